/** SIGINT and SIGTERM stop a campaign cleanly; a second one ends the process at once. */
import { constants } from 'node:os';
import { EXIT } from '../errors.js';

export interface Stopper {
  readonly signal: AbortSignal;
  /** The signal that came, or null. */
  came(): NodeJS.Signals | null;
  /** As a signal does, but that none came. */
  stop(): void;
  release(): void;
}

export function stopOnSignals(onFirst: (name: NodeJS.Signals) => void): Stopper {
  const controller = new AbortController();
  let first: NodeJS.Signals | null = null;
  const handler = (name: NodeJS.Signals): void => {
    if (first !== null) process.exit(EXIT.signal(constants.signals[name]));
    first = name;
    onFirst(name);
    controller.abort();
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, handler);
  return {
    signal: controller.signal,
    came: () => first,
    stop: () => controller.abort(),
    release() {
      for (const name of names) process.off(name, handler);
    },
  };
}

/** SIGINT, SIGTERM and SIGHUP stop a campaign cleanly; a second one ends the process at once. */
import { constants } from 'node:os';
import { EXIT } from '../errors.js';
import { DEADLINE } from '../execution/engine.js';
import { outlivesHangup } from '../execution/hangup.js';

/**
 * Who launched us passes a signal on that the kernel, or a scheduler, gave to the whole group, so that one signal arrives twice; where a session
 * ends systemd sends another one at once. Nobody types as fast.
 */
const ONE_SIGNAL_MS = 300;

export interface Stopper {
  readonly signal: AbortSignal;
  /** The signal that came, or null. */
  came(): NodeJS.Signals | null;
  /** As a signal does, but that none came: a deadline is there. */
  stop(): void;
  release(): void;
}

const STOPPING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
const HANGUP: NodeJS.Signals = 'SIGHUP';

/** Without it a terminal that ends would end the whole command, also where no campaign runs at that moment. */
export function outliveHangup(): void {
  if (outlivesHangup() && process.listenerCount(HANGUP) === 0) process.on(HANGUP, () => {});
}

/** @param onSecond the process ends when it returns */
export function stopOnSignals(
  onFirst: (name: NodeJS.Signals) => void,
  onSecond: (name: NodeJS.Signals) => void,
): Stopper {
  const controller = new AbortController();
  let first: NodeJS.Signals | null = null;
  let came = 0;
  const handler = (name: NodeJS.Signals): void => {
    if (first !== null && performance.now() - came < ONE_SIGNAL_MS) return;
    if (first !== null) {
      onSecond(name);
      process.exit(EXIT.signal(constants.signals[name]));
    }
    first = name;
    came = performance.now();
    onFirst(name);
    controller.abort();
  };
  const names = outlivesHangup() ? STOPPING : [...STOPPING, HANGUP];
  for (const name of names) process.on(name, handler);
  return {
    signal: controller.signal,
    came: () => first,
    stop: () => controller.abort(DEADLINE),
    release() {
      for (const name of names) process.off(name, handler);
    },
  };
}

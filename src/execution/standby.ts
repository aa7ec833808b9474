/**
 * A worker that is started before its job is known, while there is something else to wait for: half of what a short launch costs
 * is the start of its process. It reads its job when that comes, as one that is started for it does, and gets one job only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { addonPath } from '../native.js';
import { programFile } from '../programs.js';
import { changedEnvironment, NO_CERTIFICATES } from '../stacks/environment.js';
import type { Environment } from '../stacks/stack.js';
import { outlivesHangup } from './hangup.js';

const WORKER = programFile('inspection/worker');

/** @throws Error where the system starts no further process */
export const startWorker = (changes: Environment): ChildProcess =>
  spawn(process.execPath, [WORKER], {
    env: changedEnvironment(process.env, { ...NO_CERTIFICATES, ...changes, PIBENCH_ADDON: addonPath() }),
    // Before a worker runs its first line the end of a terminal would end it, which a whole group is told of.
    detached: outlivesHangup(),
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });

export interface Standby {
  /** Starts one, to be called only where nothing is measured. It ends with this process, however that ends. */
  prepare(changes: Environment): void;
  /** The one that stands by, where it was started in that very environment; null: there is none. */
  take(changes: Environment): ChildProcess | null;
  /** Ends the one that stands by. */
  dismiss(): void;
}

const runs = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

const isSame = (a: Environment, b: Environment): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

export function makeStandby(): Standby {
  let standing: { readonly worker: ChildProcess; readonly changes: Environment } | null = null;
  /** Where launches are of different environments most would be started in vain. */
  let inVain = false;
  const dismiss = (): void => {
    standing?.worker.kill('SIGKILL');
    standing = null;
  };
  return {
    prepare(changes) {
      if (standing !== null || inVain) return;
      try {
        const worker = startWorker(changes);
        // Nobody waits for it yet. What keeps the system from starting one, the launch will say.
        worker.on('error', () => {});
        standing = { worker, changes };
      } catch {
        inVain = true;
      }
    },
    take(changes) {
      if (standing === null) return null;
      const { worker, changes: its } = standing;
      if (runs(worker) && isSame(its, changes)) {
        standing = null;
        return worker;
      }
      inVain = true;
      dismiss();
      return null;
    },
    dismiss,
  };
}

/**
 * How a process that was started has ended. Node's `close` also waits for whoever has its files by then, as what a library started in it
 * and left behind, and for one that cannot be killed it would wait for ever: here its own end decides.
 */
import type { ChildProcess } from 'node:child_process';
import { readLocalFile } from './machine/local-files.js';
import { parseTaskStat } from './telemetry/task-stat.js';

/** To read what a process wrote before its end takes much less. */
const DRAIN_MS = 1000;
/** What is ending is waited for as long as the kernel works at that: giving back hundreds of GiB takes minutes. */
const LOOK_MS = 20_000;
/** A tenth of a CPU, in ticks of 10 ms: to give back memory takes a whole one, and what waits in a driver asks its device now and then. */
const LEAST_TICKS = LOOK_MS / 10 / 10;
/** And no longer than this: what waits in a driver for a device that is gone may work there for ever. */
const MOST_MS = 5 * 60_000;

/** What the kernel has worked for a process, in ticks; null: it is not there. */
export const kernelTicks = (pid: number): number | null =>
  parseTaskStat(readLocalFile(`/proc/${pid}/stat`) ?? '')?.systemTicks ?? null;

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What is there still: `others` that have its files, or `itself` although it was killed, as one that waits within a driver. */
  readonly left: 'nothing' | 'others' | 'itself';
}

export interface WatchedChild {
  /** By SIGKILL; whatever becomes of that, its end is told in a while, or when the kernel is done with it. */
  kill(): void;
}

export interface Surroundings {
  /** Whether nobody has the time to wait for the kernel for long. */
  readonly isOverdue?: () => boolean;
  /** Others that are ending, and may have its files until then; who has them and is not stays. */
  readonly ending?: () => readonly number[];
  readonly ticksOf?: (pid: number) => number | null;
}

/** By process. */
type Ticks = ReadonlyMap<number, number>;

/** Whether the kernel gets on with the end of processes, some of which it may be done with. */
function getsOn(now: Ticks, before: Ticks): boolean {
  if (now.size < before.size) return now.size > 0;
  const worked = [...now].reduce((sum, [pid, ticks]) => sum + ticks - (before.get(pid) ?? ticks), 0);
  return worked >= LEAST_TICKS;
}

/**
 * @param child one that has been started
 * @param onEnd called once; what it says after that nobody hears
 */
export function watchChild(
  child: ChildProcess,
  onEnd: (end: ChildEnd) => void,
  { isOverdue = () => false, ending = () => [], ticksOf = kernelTicks }: Surroundings = {},
): WatchedChild {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const finish = (end: ChildEnd): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
    onEnd(end);
  };
  const ticks = (pids: readonly number[]): Ticks =>
    new Map(
      pids.flatMap((pid) => {
        const worked = ticksOf(pid);
        return worked === null ? [] : [[pid, worked] as const];
      }),
    );
  /** Waits while the kernel gets on with the end of these, which `exit` or `close` may tell before, and ends so where it does not. */
  const waitForKernel = (pids: () => readonly number[], end: ChildEnd): void => {
    const look = (before: Ticks, waited: number): void => {
      timer = setTimeout(() => {
        const now = ticks(pids());
        const after = waited + LOOK_MS;
        if (getsOn(now, before) && after < MOST_MS && !isOverdue()) look(now, after);
        else finish(end);
      }, LOOK_MS);
    };
    look(ticks(pids()), 0);
  };
  child.on('exit', (code, signal) => {
    clearTimeout(timer);
    const end: ChildEnd = { code, signal, left: 'others' };
    const afterAll = (): void => {
      if (over) return;
      if (ending().length === 0) finish(end);
      else waitForKernel(ending, end);
    };
    // What has come by then is read first, also where this process was stopped meanwhile.
    timer = setTimeout(() => setImmediate(afterAll), DRAIN_MS);
  });
  child.on('close', (code, signal) => finish({ code, signal, left: 'nothing' }));
  // Of a signal that could not be sent: that it does not end says as much.
  child.on('error', () => {});
  return {
    kill() {
      child.kill('SIGKILL');
      if (timer === undefined)
        waitForKernel(() => [child.pid ?? 0], { code: null, signal: null, left: 'itself' });
    },
  };
}

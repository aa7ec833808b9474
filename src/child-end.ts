/**
 * How a process that was started has ended. Node's `close` also waits for whoever has its files by then, as what a library started in it
 * and left behind, and for one that cannot be killed it would wait for ever: here its own end decides.
 */
import type { ChildProcess } from 'node:child_process';
import { readLocalFile } from './machine/local-files.js';
import { parseTaskStat } from './telemetry/task-stat.js';

/** To read what a process wrote before its end takes much less. */
const DRAIN_MS = 1000;
/** One that was killed is waited for as long as the kernel still works at its end: giving back hundreds of GiB takes minutes. */
const KILL_MS = 20_000;

/** What the kernel has worked for it, in ticks; null: it is not there. */
const kernelTicks = (pid: number): number | null =>
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

/**
 * @param child one that has been started
 * @param onEnd called once; what it says after that nobody hears
 * @param ticksOf what shows that the kernel still works at its end
 */
export function watchChild(
  child: ChildProcess,
  onEnd: (end: ChildEnd) => void,
  ticksOf: (pid: number) => number | null = kernelTicks,
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
  child.on('exit', (code, signal) => {
    clearTimeout(timer);
    // What has come by then is read first, also where this process was stopped meanwhile.
    timer = setTimeout(() => setImmediate(finish, { code, signal, left: 'others' }), DRAIN_MS);
  });
  child.on('close', (code, signal) => finish({ code, signal, left: 'nothing' }));
  // Of a signal that could not be sent: that it does not end says as much.
  child.on('error', () => {});
  const ticks = (): number => ticksOf(child.pid ?? 0) ?? 0;
  const giveUp = (before: number): void => {
    const now = ticks();
    if (now > before) timer = setTimeout(giveUp, KILL_MS, now);
    else finish({ code: null, signal: null, left: 'itself' });
  };
  return {
    kill() {
      child.kill('SIGKILL');
      timer ??= setTimeout(giveUp, KILL_MS, ticks());
    },
  };
}

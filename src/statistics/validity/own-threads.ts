/**
 * Threads of the measuring process itself beyond those that were asked for, as a library starts that does not keep to its number: they
 * run on the case's own CPUs, and what they take from the measuring threads is nobody else's doing. Pure.
 */
import { formatSeconds, plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { LEAST_TICKS } from './detector.js';

/** Of the time of those that were asked for: less of it is this process's own bookkeeping. */
const LEAST_OF_TIME = 0.01;
/** Of the window: who ran, or waited to run, for less of it has only been woken now and then. */
const LEAST_OF_WINDOW = 0.1;
/** Of the measuring threads' wait for a CPU, so that it counts as theirs. */
const LEAST_OF_WAIT = 0.5;

export interface OwnThreads {
  /** That ran, those that were asked for among them; as many as were asked for where only their CPU time was seen. */
  readonly ran: number;
  /** CPU time beyond that of so many threads as were asked for. */
  readonly cpuTime: Seconds;
  /** How long so many threads as were asked for waited for a CPU; null: not known. */
  readonly waited: Seconds | null;
}

/** null: there were none, nobody waited for them, or they took too little to be why, or others' work explains it as well. */
export function unaskedThreads({ telemetry, threads: asked }: Observation): OwnThreads | null {
  const { threads, window, processCpuTime, otherCpuTime } = telemetry;
  if (threads.length === 0) return null;
  const inOrder = threads.toSorted((a, b) => b.cpuTime - a.cpuTime);
  const measuring = inOrder.slice(0, asked);
  const timeOf = (some: typeof threads): Seconds => some.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  // Threads that a library makes in each call are not among those that were seen, and may have run all the time.
  const unseen = Math.max(0, asked - measuring.length) * window;
  const cpuTime = Math.max(timeOf(threads), processCpuTime ?? 0) - timeOf(measuring) - unseen;
  if (cpuTime < Math.max(LEAST_TICKS, LEAST_OF_TIME * window * asked)) return null;
  const waited = measuring.every(({ runDelay }) => runDelay !== null)
    ? measuring.reduce((sum, { runDelay }) => sum + (runDelay ?? 0), 0)
    : null;
  if (waited === null) {
    if (cpuTime < (otherCpuTime ?? 0)) return null;
  } else {
    const much = LEAST_OF_WAIT * waited;
    // The process's other threads, a framework's own, may run where nobody measures.
    if (waited < LEAST_OF_TIME * window * asked || cpuTime < much || (otherCpuTime ?? 0) >= much) return null;
  }
  const ran = threads.filter((one) => one.cpuTime + (one.runDelay ?? 0) >= LEAST_OF_WINDOW * window).length;
  return { ran: Math.max(ran, asked), cpuTime, waited };
}

/** With how many threads, where they were seen, and with how much CPU time. */
export function ranText({ ran, cpuTime }: OwnThreads, asked: number): string {
  const time = `${formatSeconds(cpuTime, 3)} of CPU time`;
  return ran > asked
    ? `the library ran ${ran} threads where ${asked} ${asked === 1 ? 'was' : 'were'} asked for, and those beyond took ${time}`
    : `the library used ${time} beside that of ${plural(asked, 'thread')}`;
}

export const KEEP_TO_NUMBER =
  'have the library keep to the number that it is told, or ask for as many threads as it runs (--threads)';

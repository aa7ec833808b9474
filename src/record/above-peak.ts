/**
 * A rate that no CPU reaches with the threads of the case. A library that was told to use one thread and uses two looks
 * twice as fast: what it did was another case. Pure.
 */
import { formatSeconds, plural, withPrefix } from '../quantities/format.js';
import { LEAST_TICKS } from '../statistics/validity/detector.js';
import { KEEP_TO_NUMBER } from '../statistics/validity/own-threads.js';
import type { Flag } from '../statistics/validity/types.js';
import type { Seconds } from '../units.js';

/** Of the peak: it is measured beside the repetitions, at another moment of the clock. */
const ALLOWANCE = 0.05;
/** Of one thread's time: a process's own bookkeeping, as a framework's collection of garbage, takes less. */
const LEAST_OF_A_THREAD = 0.5;

export interface MeasuredRate {
  /** Operations per second. */
  readonly rate: number;
  /** Operations per second in registers only, with the threads of the case; null: not known. */
  readonly peak: number | null;
  readonly threads: number;
  /** `FLOP/s`, `OP/s`. */
  readonly unit: string;
}

/** Why such a launch does not count, or null where nothing speaks against it. */
export function abovePeak({ rate, peak, threads, unit }: MeasuredRate): string | null {
  if (peak === null || rate <= peak * (1 + ALLOWANCE)) return null;
  const percent = Math.round((rate / peak - 1) * 100);
  const of = threads === 1 ? 'one thread' : `${threads} threads`;
  return `${withPrefix(rate, unit, 3)} is ${percent} % above the peak of ${of} (${withPrefix(peak, unit, 3)}): the library did not keep to its threads, or has instructions that the peak was not measured with`;
}

export const NO_PEAK =
  'no peak of these threads was measured, as where a library’s threads spin on after its calls, or there is no loop for the data type: a rate that takes more threads than it was told would not be seen';

/**
 * Where there is no peak: more CPU time than so many threads have.
 * @param cpuTime of the whole process; null: not known
 * @returns null: nothing speaks against it
 */
export function aboveThreads(cpuTime: Seconds | null, window: Seconds, threads: number): Flag | null {
  const beyond = (cpuTime ?? 0) - threads * window;
  if (cpuTime === null || beyond < Math.max(LEAST_TICKS, LEAST_OF_A_THREAD * window)) return null;
  return {
    name: 'above-ceiling',
    reason: `the launch used ${formatSeconds(cpuTime, 3)} of CPU time in ${formatSeconds(window, 3)}, more than ${plural(threads, 'thread')} can: the library did not keep to its threads; ${KEEP_TO_NUMBER}`,
    evidence: { cpuSeconds: cpuTime, windowSeconds: window, threads },
  };
}

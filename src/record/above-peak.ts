/**
 * A rate that no CPU reaches with the threads of the case. A library that was told to use one thread and uses two looks
 * twice as fast: what it did was another case. Pure.
 */
import { withPrefix } from '../quantities/format.js';

/** Of the peak: it is measured beside the repetitions, at another moment of the clock. */
const ALLOWANCE = 0.05;

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

/**
 * How much of a communication hides behind a computation, from three times: each alone, and both at once. Pure.
 *
 * hidden = (compute + communicate - both) / communicate. It is what OSU's benchmarks of non-blocking collectives call
 * overlap, but for their ends: there it is held above 0, here it is below 0 where both at once take longer than one after
 * the other, because then somebody should know.
 */
import type { Ratio, Seconds } from '../units.js';
import { median } from './quantile.js';

export interface OverlapTimes {
  /** Alone, of the slowest rank. */
  readonly compute: Seconds;
  readonly communicate: Seconds;
  /** At once, until the later of them has ended. */
  readonly both: Seconds;
}

/** 1: all of the communication hides. */
export const hiddenShare = ({ compute, communicate, both }: OverlapTimes): Ratio =>
  (compute + communicate - both) / communicate;

/** Behind a computation that is shorter than it a communication cannot hide whole. */
export const mostHidden = ({ compute, communicate }: Pick<OverlapTimes, 'compute' | 'communicate'>): Ratio =>
  Math.min(1, compute / communicate);

/** How many times faster at once than one after the other; at most 2. */
export const overlapGain = ({ compute, communicate, both }: OverlapTimes): Ratio =>
  (compute + communicate) / both;

/** What one launch tells: medians over its repetitions, of the slowest rank of each. */
export interface OverlapSummary {
  readonly compute: Seconds;
  readonly communicate: Seconds;
  /** While the other was under way. */
  readonly computeBeside: Seconds;
  readonly communicateBeside: Seconds;
  readonly hidden: Ratio;
}

/** The addon's names of the times that are kept beside the samples, which are those of both at once. */
const PARTS = {
  compute: 'matmul_alone',
  communicate: 'collective_alone',
  computeBeside: 'matmul_beside',
  communicateBeside: 'collective_beside',
} as const;

/** null where these are no times of an overlap. */
export function summariseOverlap(
  parts: Readonly<Record<string, Float64Array>>,
  both: Float64Array,
): OverlapSummary | null {
  const of = (name: string): Seconds | null => {
    const values = parts[name];
    return values === undefined || values.length === 0 ? null : median(values);
  };
  const [compute, communicate] = [of(PARTS.compute), of(PARTS.communicate)];
  const [computeBeside, communicateBeside] = [of(PARTS.computeBeside), of(PARTS.communicateBeside)];
  if (compute === null || communicate === null || computeBeside === null || communicateBeside === null)
    return null;
  const hidden = hiddenShare({ compute, communicate, both: median(both) });
  return { compute, communicate, computeBeside, communicateBeside, hidden };
}

/**
 * A box plot's figures: Tukey's hinges and fences (1977); what is beyond is counted, never removed. simple-statistics has
 * no hinges: its quartiles of 1 to 7 are 2 and 6, Tukey's hinges 2.5 and 5.5.
 */
import { countWhile, quantileSorted, sortedCopy } from './quantile.js';

export interface Box {
  /**
   * Medians of the lower and upper half, the middle value belonging to both (Tukey 1977). They differ from the
   * quartiles of a summary (interpolated) by less than one place in the order.
   */
  readonly lowerHinge: number;
  readonly median: number;
  readonly upperHinge: number;
  /** The furthest values within 1.5 times the distance of the hinges. */
  readonly whiskerLow: number;
  readonly whiskerHigh: number;
  readonly outliersBelow: number;
  readonly outliersAbove: number;
  /** The extremes, outliers included. */
  readonly min: number;
  readonly max: number;
}

const FENCE = 1.5;

/** @param samples in the unit that the box has; at least one. @throws RangeError for none, or one not finite. */
export function box(samples: ArrayLike<number>): Box {
  return boxOfSorted(sortedCopy(samples));
}

/** The same where the samples are finite and in ascending order already. @throws RangeError for none */
export function boxOfSorted(sorted: Float64Array): Box {
  const n = sorted.length;
  if (n === 0) throw new RangeError('no samples to draw a box of');
  const half = Math.ceil(n / 2);
  const lowerHinge = quantileSorted(sorted.subarray(0, half), 0.5);
  const upperHinge = quantileSorted(sorted.subarray(n - half), 0.5);
  const reach = FENCE * (upperHinge - lowerHinge);
  const first = countWhile(sorted, (value) => value < lowerHinge - reach);
  const end = countWhile(sorted, (value) => value <= upperHinge + reach);
  return {
    lowerHinge,
    median: quantileSorted(sorted, 0.5),
    upperHinge,
    whiskerLow: sorted[first] ?? lowerHinge,
    whiskerHigh: sorted[end - 1] ?? upperHinge,
    outliersBelow: first,
    outliersAbove: n - end,
    min: sorted[0] ?? lowerHinge,
    max: sorted[n - 1] ?? upperHinge,
  };
}

/** A box plot's figures: Tukey's fences at 1.5 IQR; what is beyond is counted, never removed. */
import { quantileSorted, sortedCopy } from './quantile.js';

export interface Box {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  /** The furthest values within 1.5 IQR of the quartiles. */
  readonly whiskerLow: number;
  readonly whiskerHigh: number;
  readonly outliersBelow: number;
  readonly outliersAbove: number;
}

const FENCE = 1.5;

/** Index of the first value that is not below x. */
function lowerBound(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param samples at least one */
export function box(samples: ArrayLike<number>): Box {
  const sorted = sortedCopy(samples);
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((p) => quantileSorted(sorted, p)) as [number, number, number];
  const reach = FENCE * (q3 - q1);
  const first = lowerBound(sorted, q1 - reach);
  let last = lowerBound(sorted, q3 + reach);
  while (last < sorted.length && sorted[last] === q3 + reach) last++;
  return {
    q1,
    median,
    q3,
    whiskerLow: sorted[first] ?? q1,
    whiskerHigh: sorted[last - 1] ?? q3,
    outliersBelow: first,
    outliersAbove: sorted.length - last,
  };
}

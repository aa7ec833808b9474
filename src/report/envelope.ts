/** A series over time for a picture: at most so many buckets, each with its smallest, middle and largest value. Pure. */
import { median } from '../statistics/quantile.js';
import type { Seconds } from '../units.js';

export interface Bucket {
  /** Where the bucket's first sample begins, after the first of all. */
  readonly time: Seconds;
  readonly low: Seconds;
  readonly middle: Seconds;
  readonly high: Seconds;
  readonly n: number;
  /** How many of them may have lost their CPU; null: not known. */
  readonly disturbed: number | null;
  /** The slowest of those; null where there is none. */
  readonly worst: Seconds | null;
}

/**
 * Buckets of as many samples each as leave no more than `most`: a stall is the largest of its bucket, so that none is
 * lost. Buckets of samples, not of time: a standstill between two samples stays visible as a gap.
 * @param seconds of each sample, `times` at which each began; of the same length
 * @param disturbed which of them may have lost their CPU; null: not known
 */
export function envelope(
  seconds: Float64Array,
  times: Float64Array,
  disturbed: readonly number[] | null,
  most: number,
): readonly Bucket[] {
  const size = Math.max(1, Math.ceil(seconds.length / most));
  const hit = new Set(disturbed ?? []);
  return Array.from({ length: Math.ceil(seconds.length / size) }, (_, i) => {
    const [first, end] = [i * size, Math.min(seconds.length, (i + 1) * size)];
    const part = seconds.subarray(first, end);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let [count, worst] = [0, Number.NEGATIVE_INFINITY];
    for (let j = first; j < end; j++) {
      const value = seconds[j] ?? 0;
      low = Math.min(low, value);
      high = Math.max(high, value);
      if (!hit.has(j)) continue;
      count++;
      worst = Math.max(worst, value);
    }
    return {
      time: times[first] ?? 0,
      low,
      middle: median(part),
      high,
      n: end - first,
      disturbed: disturbed === null ? null : count,
      worst: count === 0 ? null : worst,
    };
  });
}

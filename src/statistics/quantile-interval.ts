/** The interval of any quantile of a repetition, such as p95: from the launches' own quantiles, as that of the median is. */
import { type Interval, LEVEL, launchInterval } from './interval.js';
import { sortedCopy } from './quantile.js';

/**
 * The median-unbiased quantile (type 8 of Hyndman & Fan 1996): as often too small as too large, whatever the shape, which
 * is what an interval from signs rests on. Type 7, which summaries have as others do, lies too far inside: of 60 normal
 * repetitions its p95 is too small in 63 of 100, and 30 launches then agree on a value that is not it.
 * @param sorted ascending, not empty
 */
export function launchQuantile(sorted: Float64Array, p: number): number {
  const n = sorted.length;
  const place = Math.min(n - 1, Math.max(0, (n + 1 / 3) * p + 1 / 3 - 1));
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  return low + ((sorted[Math.min(n - 1, below + 1)] ?? low) - low) * (place - below);
}

/** Repetitions beyond the quantile that a launch should have on average: with fewer its extreme stands for it. */
const LEAST_BEYOND = 1;

/** Whether a launch of so many repetitions has none beyond the quantile, on average. */
export const leansOnExtreme = (repetitions: number, p: number): boolean =>
  repetitions * Math.min(p, 1 - p) < LEAST_BEYOND;

export interface QuantileEstimate {
  /** Median over the launches of their own quantiles. */
  readonly estimate: number;
  readonly interval: Interval;
  /** Whether a launch has too few repetitions for this quantile: both are then too far inside, and the interval is none. */
  readonly tooFewRepetitions: boolean;
}

/**
 * @param sorted samples of each launch, finite, ascending, in one unit
 * @param p between 0 and 1
 * @param intervalOf that of the launches' values; another one where their number was decided by looking
 * @throws RangeError when there is no launch, one without samples, or p is no share
 */
export function quantileInterval(
  sorted: readonly Float64Array[],
  p: number,
  level = LEVEL,
  intervalOf: (values: Float64Array, level: number) => Interval = launchInterval,
): QuantileEstimate {
  if (!(p > 0 && p < 1)) throw new RangeError(`a quantile is between 0 and 1, not ${p}`);
  if (sorted.length === 0 || sorted.some(({ length }) => length === 0)) {
    throw new RangeError('no launch, or a launch without samples');
  }
  const own = Float64Array.from(sorted, (values) => launchQuantile(values, p));
  const middle = launchQuantile(sortedCopy(own), 0.5);
  const fewest = sorted.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  return {
    estimate: middle,
    interval: intervalOf(own, level),
    tooFewRepetitions: leansOnExtreme(fewest, p),
  };
}

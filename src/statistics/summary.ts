/** Every statistic of one series of repetitions. What is not defined for it is null, never NaN. */
import { memoryOf } from './autocorrelation.js';
import { type Drift, drift } from './drift.js';
import { requireFiniteSorted } from './finite.js';
import { madSorted, quantileSorted, sortedCopy } from './quantile.js';

export interface Summary {
  readonly n: number;
  readonly mean: number;
  readonly median: number;
  /** With n - 1 in the denominator. */
  readonly std: number | null;
  /** std / sqrt(n): as others report it; it takes repetitions for independent, so no interval is made from it. */
  readonly stdError: number | null;
  /** Median absolute deviation from the median, not scaled. */
  readonly mad: number;
  readonly min: number;
  readonly max: number;
  readonly q1: number;
  readonly q3: number;
  readonly iqr: number;
  readonly p1: number;
  readonly p5: number;
  readonly p95: number;
  readonly p99: number;
  /** std / mean. */
  readonly cv: number | null;
  /** iqr / median. */
  readonly covm: number | null;
  /** Bias-corrected (G1, as pandas). */
  readonly skew: number | null;
  readonly lag1: number | null;
  readonly effectiveSampleSize: number | null;
  readonly drift: Drift | null;
}

interface Moments {
  readonly mean: number;
  readonly std: number | null;
  readonly skew: number | null;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/**
 * One pass about the median and in units of the furthest deviation, so that nothing cancels (the mean is within one
 * standard deviation of the median) and no power leaves the range of doubles. simple-statistics has the same formulas,
 * each with passes of its own and a closure an element: at ten million samples that is seconds.
 */
function moments(sorted: Float64Array, origin: number): Moments {
  const n = sorted.length;
  const furthest = Math.max(origin - (sorted[0] ?? 0), (sorted[n - 1] ?? 0) - origin);
  if (!(furthest > 0)) return { mean: origin, std: n < 2 ? null : 0, skew: null };
  let [first, second, third] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const d = ((sorted[i] ?? 0) - origin) / furthest;
    const square = d * d;
    first += d;
    second += square;
    third += square * d;
  }
  const shift = first / n;
  const variance = second / n - shift * shift;
  const cubes = third / n - (3 * shift * second) / n + 2 * shift * shift * shift;
  const skew =
    n < 3 ? null : finite((Math.sqrt(n * (n - 1)) / (n - 2)) * (cubes / (variance * Math.sqrt(variance))));
  return {
    mean: origin + shift * furthest,
    std: n < 2 ? null : furthest * Math.sqrt((variance * n) / (n - 1)),
    skew,
  };
}

const ratio = (std: number | null, mean: number): number | null =>
  std === null || mean === 0 ? null : finite(std / mean);

/** Standard deviation / mean, by itself. @param sorted finite, at least one; null: not defined */
export function variationOfSorted(sorted: Float64Array): number | null {
  const { mean, std } = moments(sorted, quantileSorted(sorted, 0.5));
  return ratio(std, mean);
}

/**
 * @param samples in order, finite, at least one; the summary has their unit
 * @throws RangeError for an empty series or a value that is not finite
 */
export function summarise(samples: ArrayLike<number>): Summary {
  return summariseSorted(samples, sortedCopy(samples));
}

/**
 * The same where the samples were sorted already: `sorted` has the values of `samples` in ascending order.
 * @throws RangeError as `summarise` does, and where there are more of the one than of the other
 */
export function summariseSorted(samples: ArrayLike<number>, sorted: Float64Array): Summary {
  const n = sorted.length;
  const [min, max] = [sorted[0], sorted[n - 1]];
  if (min === undefined || max === undefined) throw new RangeError('no samples to summarise');
  if (samples.length !== n) throw new RangeError(`${samples.length} samples, and ${n} of them sorted`);
  requireFiniteSorted(sorted);
  const at = (p: number): number => quantileSorted(sorted, p);
  const middle = at(0.5);
  const { mean, std, skew } = moments(sorted, middle);
  const [q1, q3] = [at(0.25), at(0.75)];
  return {
    n,
    mean,
    median: middle,
    std,
    stdError: std === null ? null : std / Math.sqrt(n),
    mad: madSorted(sorted, middle),
    min,
    max,
    q1,
    q3,
    iqr: q3 - q1,
    p1: at(0.01),
    p5: at(0.05),
    p95: at(0.95),
    p99: at(0.99),
    cv: ratio(std, mean),
    covm: middle === 0 ? null : finite((q3 - q1) / middle),
    skew,
    ...memoryOf(samples),
    drift: drift(samples),
  };
}

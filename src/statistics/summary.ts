/** Every statistic of one series of repetitions. What is not defined for it is null, never NaN. */
import { effectiveSampleSize, lag1 } from './autocorrelation.js';
import { type Drift, drift } from './drift.js';
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

/**
 * Two passes, the second about the mean, so that nothing cancels. simple-statistics has the same formulas, each with
 * passes of its own and a closure an element: at ten million samples that is seconds.
 */
function moments(values: ArrayLike<number>, origin: number): Moments {
  const n = values.length;
  let shift = 0;
  for (let i = 0; i < n; i++) shift += (values[i] ?? 0) - origin;
  const mean = origin + shift / n;
  let squares = 0;
  let cubes = 0;
  for (let i = 0; i < n; i++) {
    const d = (values[i] ?? 0) - mean;
    squares += d * d;
    cubes += d * d * d;
  }
  const std = n < 2 ? null : Math.sqrt(squares / (n - 1));
  const spread = squares / n;
  const skew =
    n < 3 || !(spread > 0) ? null : (Math.sqrt(n * (n - 1)) / (n - 2)) * (cubes / n / (spread * Math.sqrt(spread)));
  return { mean, std, skew: skew !== null && Number.isFinite(skew) ? skew : null };
}

/** @param samples in order, finite, at least one. @throws RangeError for an empty series. */
export function summarise(samples: ArrayLike<number>): Summary {
  const n = samples.length;
  if (n === 0) throw new RangeError('no samples to summarise');
  const sorted = sortedCopy(samples);
  const at = (p: number): number => quantileSorted(sorted, p);
  const middle = at(0.5);
  const { mean, std, skew } = moments(samples, middle);
  const [q1, q3] = [at(0.25), at(0.75)];
  return {
    n,
    mean,
    median: middle,
    std,
    stdError: std === null ? null : std / Math.sqrt(n),
    mad: madSorted(sorted, middle),
    min: sorted[0] ?? Number.NaN,
    max: sorted[n - 1] ?? Number.NaN,
    q1,
    q3,
    iqr: q3 - q1,
    p1: at(0.01),
    p5: at(0.05),
    p95: at(0.95),
    p99: at(0.99),
    cv: std === null || mean === 0 ? null : std / mean,
    covm: middle === 0 ? null : (q3 - q1) / middle,
    skew,
    lag1: lag1(samples),
    effectiveSampleSize: effectiveSampleSize(samples),
    drift: drift(samples),
  };
}

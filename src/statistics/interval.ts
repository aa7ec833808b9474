/**
 * The 95 % interval of a median. The launch is the sampling unit: repetitions of one launch share its memory layout and
 * placement, so however many there are, they say nothing of the next launch.
 */
import { effectiveSampleSize } from './autocorrelation.js';
import { median, quantileSorted, sortedCopy } from './quantile.js';

export const LEVEL = 0.95;

export type IntervalBasis = 'launches' | 'few launches' | 'two launches' | 'within one launch';

export interface Interval {
  readonly level: number;
  /** null where so few values allow none. */
  readonly ci: { readonly low: number; readonly high: number } | null;
  readonly method: string;
  readonly basis: IntervalBasis;
  /** Values that it rests on. */
  readonly n: number;
}

/** Fewest launches whose extremes enclose the median with 95 %. */
const LEAST_FOR_ORDER_STATISTICS = 6;
/** Student's t at 0.975 with n - 1 degrees of freedom, n = 3, 4, 5. */
const STUDENT: Readonly<Record<number, number>> = { 3: 4.302652729911275, 4: 3.182446305284263, 5: 2.776445105197799 };
const Z_95 = 1.959963984540054;

/** Confidence of [x(d), x(k-d+1)] for the median: 1 - 2 P(Bin(k, 1/2) <= d - 1). */
function coverage(k: number, d: number): number {
  let term = 2 ** -k;
  let below = 0;
  for (let i = 0; i < d; i++) {
    below += term;
    term *= (k - i) / (i + 1);
  }
  return 1 - 2 * below;
}

/**
 * Interpolated order statistics (Hettmansperger & Sheather 1986): needs no shape, and has 95 % where the plain ones
 * have 96.9 or 99.2.
 */
function hettmanspergerSheather(sorted: Float64Array): { low: number; high: number } {
  const k = sorted.length;
  const x = (i: number): number => sorted[i - 1] ?? Number.NaN;
  let d = 1;
  while (d + 1 <= k / 2 && coverage(k, d + 1) >= LEVEL) d++;
  const share = (coverage(k, d) - LEVEL) / (coverage(k, d) - coverage(k, d + 1));
  const lambda = ((k - d) * share) / (d + (k - 2 * d) * share);
  return {
    low: (1 - lambda) * x(d) + lambda * x(d + 1),
    high: (1 - lambda) * x(k - d + 1) + lambda * x(k - d),
  };
}

function student(values: ArrayLike<number>, quantile: number): { low: number; high: number } {
  const n = values.length;
  const list = Array.from(values);
  const mean = list.reduce((sum, value) => sum + value, 0) / n;
  const variance = list.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  // Around the median, which is what is estimated: with so few values their mean is no better placed.
  const centre = median(values);
  const reach = quantile * Math.sqrt(variance / n);
  return { low: centre - reach, high: centre + reach };
}

/** @param values one for each launch, at least two */
export function launchInterval(values: ArrayLike<number>): Interval {
  const n = values.length;
  const base = { level: LEVEL, n };
  if (n >= LEAST_FOR_ORDER_STATISTICS) {
    const ci = hettmanspergerSheather(sortedCopy(values));
    return { ...base, ci, method: 'interpolated order statistics of launch medians (Hettmansperger-Sheather)', basis: 'launches' };
  }
  const quantile = STUDENT[n];
  if (quantile !== undefined) {
    return { ...base, ci: student(values, quantile), method: "Student's t on launch medians", basis: 'few launches' };
  }
  return { ...base, ci: null, method: 'none: two launches give a range', basis: n === 1 ? 'within one launch' : 'two launches' };
}

/**
 * The interval of the median of one launch, for this launch only: order statistics at n/2 -+ z sqrt(n)/2 of the
 * effective sample size, so that autocorrelation widens it.
 * @param samples in order
 */
export function withinLaunchInterval(samples: ArrayLike<number>): Interval {
  const n = samples.length;
  const base = { level: LEVEL, n, basis: 'within one launch' as const };
  if (n < LEAST_FOR_ORDER_STATISTICS) return { ...base, ci: null, method: `none: ${n} repetitions are too few` };
  const worth = Math.min(n, effectiveSampleSize(samples) ?? n);
  const reach = Z_95 / (2 * Math.sqrt(worth));
  const sorted = sortedCopy(samples);
  const ci = {
    low: quantileSorted(sorted, Math.max(0, 0.5 - reach)),
    high: quantileSorted(sorted, Math.min(1, 0.5 + reach)),
  };
  return { ...base, ci, method: 'order statistics with the effective sample size' };
}

/** How much a repetition depends on those before it, and how many independent ones a series is worth. */

import { requireFinite } from './finite.js';

/** Series longer than this are looked at in their first part: the structure is the same throughout, or drift says so. */
const MOST_LOOKED_AT = 100_000;
const MOST_LAGS = 100;
/** Values that are averaged into one where the memory is longer than MOST_LAGS. */
const COARSER = 10;
/** Alternating series (negative autocorrelation) can be worth more than their length; no more than this is credited. */
const MOST_GAIN = 2;

/** Values of a series on which its autocorrelations rest. */
export const lookedAt = ({ length }: ArrayLike<number>): number => Math.min(length, MOST_LOOKED_AT);

function autocovariance(values: ArrayLike<number>, n: number, mean: number, lag: number): number {
  let sum = 0;
  for (let i = lag; i < n; i++) sum += ((values[i] ?? 0) - mean) * ((values[i - lag] ?? 0) - mean);
  return sum / n;
}

interface Start {
  readonly n: number;
  readonly mean: number;
  readonly variance: number;
}

function start(values: ArrayLike<number>): Start {
  requireFinite(values);
  const n = lookedAt(values);
  // About the first value, so that nothing is lost of values that hardly differ; a division each would cost the most.
  const origin = values[0] ?? 0;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (values[i] ?? 0) - origin;
  const mean = origin + sum / Math.max(1, n);
  return { n, mean, variance: autocovariance(values, n, mean, 0) };
}

/** Whether values differ by more than the rounding of their mean: below that there is no structure to look for. */
const varies = (n: number, mean: number, variance: number): boolean =>
  n >= 3 && Math.sqrt(variance) > 1e-13 * Math.abs(mean) && variance >= 1e-290;

/**
 * Lag-1 autocorrelation; null for fewer than 3 values or when all are equal.
 * @throws RangeError for a value that is not finite
 */
export function lag1(values: ArrayLike<number>): number | null {
  const { n, mean, variance } = start(values);
  return varies(n, mean, variance) ? autocovariance(values, n, mean, 1) / variance : null;
}

/**
 * n times the variance of the mean of a stationary series (its spectrum at zero): the sum of autocovariances, cut where
 * pairs of neighbouring lags stop being positive (Geyer 1992, initial positive sequence). A memory of more than 100 lags
 * is looked at in means of ten, which have ten times the reach and a tenth of the long-run variance.
 * @param next the autocovariance of neighbours, where it is known already
 */
function longRunVariance(
  values: ArrayLike<number>,
  { n, mean, variance }: Start,
  next = autocovariance(values, n, mean, 1),
): number {
  let sum = -variance;
  for (let lag = 0; lag + 1 < n; lag += 2) {
    if (lag >= MOST_LAGS && n > COARSER * MOST_LAGS) {
      const means = meansOf(values, n);
      return COARSER * longRunVariance(means, start(means));
    }
    const pair =
      lag === 0
        ? variance + next
        : autocovariance(values, n, mean, lag) + autocovariance(values, n, mean, lag + 1);
    if (!(pair > 0)) break;
    sum += 2 * pair;
  }
  return sum;
}

function meansOf(values: ArrayLike<number>, n: number): Float64Array {
  return Float64Array.from({ length: Math.floor(n / COARSER) }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < COARSER; j++) sum += values[i * COARSER + j] ?? 0;
    return sum / COARSER;
  });
}

/**
 * Effective sample size: n / (1 + 2 sum of autocorrelations), by Geyer's initial positive sequence. At least 1, at most
 * twice n. null for fewer than 3 or all-equal values.
 * @throws RangeError for a value that is not finite
 */
export const effectiveSampleSize = (values: ArrayLike<number>): number | null =>
  memoryOf(values).effectiveSampleSize;

export interface Memory {
  readonly lag1: number | null;
  readonly effectiveSampleSize: number | null;
}

/**
 * Both of the above, in fewer passes over the values.
 * @throws RangeError for a value that is not finite
 */
export function memoryOf(values: ArrayLike<number>): Memory {
  const { n, mean, variance } = start(values);
  if (!varies(n, mean, variance)) return { lag1: null, effectiveSampleSize: null };
  const next = autocovariance(values, n, mean, 1);
  const times = Math.max(longRunVariance(values, { n, mean, variance }, next) / variance, 1 / MOST_GAIN);
  return { lag1: next / variance, effectiveSampleSize: Math.max(1, values.length / times) };
}

/**
 * Autocorrelations at lags 1 to `lags` (fewer for a series of no more than that); null where there is no structure to
 * look for: fewer than 3 values, or all equal.
 * @throws RangeError for a value that is not finite
 */
export function autocorrelations(values: ArrayLike<number>, lags: number): readonly number[] | null {
  const { n, mean, variance } = start(values);
  if (!varies(n, mean, variance)) return null;
  return Array.from(
    { length: Math.min(lags, n - 1) },
    (_, i) => autocovariance(values, n, mean, i + 1) / variance,
  );
}

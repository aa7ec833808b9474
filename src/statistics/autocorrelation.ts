/** How much a repetition depends on those before it, and how many independent ones a series is worth. */

/** Series longer than this are looked at in their first part: the structure is the same throughout, or drift says so. */
const MOST_LOOKED_AT = 100_000;
const MOST_LAGS = 1000;
/** Alternating series (negative autocorrelation) can be worth more than their length; no more than this is credited. */
const MOST_GAIN = 2;

function autocovariance(values: ArrayLike<number>, n: number, mean: number, lag: number): number {
  let sum = 0;
  for (let i = lag; i < n; i++) sum += ((values[i] ?? 0) - mean) * ((values[i - lag] ?? 0) - mean);
  return sum / n;
}

function start(values: ArrayLike<number>): { n: number; mean: number; variance: number } {
  const n = Math.min(values.length, MOST_LOOKED_AT);
  let mean = 0;
  for (let i = 0; i < n; i++) mean += ((values[i] ?? 0) - mean) / (i + 1);
  return { n, mean, variance: autocovariance(values, n, mean, 0) };
}

/** Lag-1 autocorrelation; null for fewer than 3 values or when all are equal. */
export function lag1(values: ArrayLike<number>): number | null {
  const { n, mean, variance } = start(values);
  return n < 3 || !(variance > 0) ? null : autocovariance(values, n, mean, 1) / variance;
}

/**
 * Effective sample size: n / (1 + 2 sum of autocorrelations), the sum cut where pairs of neighbouring lags stop being
 * positive (Geyer 1992, initial positive sequence). At most MOST_GAIN x n. null for fewer than 3 or all-equal values.
 */
export function effectiveSampleSize(values: ArrayLike<number>): number | null {
  const { n, mean, variance } = start(values);
  if (n < 3 || !(variance > 0)) return null;
  const rho = (lag: number): number => autocovariance(values, n, mean, lag) / variance;
  let sum = -1;
  for (let lag = 0; lag + 1 < Math.min(n, MOST_LAGS); lag += 2) {
    const pair = rho(lag) + rho(lag + 1);
    if (pair <= 0) break;
    sum += 2 * pair;
  }
  return Math.min(values.length / Math.max(sum, 1 / MOST_GAIN), MOST_GAIN * values.length);
}

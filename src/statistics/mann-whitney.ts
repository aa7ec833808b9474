/**
 * The distribution of Mann & Whitney's U (1947), which the interval of a shift between two samples rests on: how many of the
 * pairs of a value of one and a value of the other have the first above the second, where both come from one distribution.
 */
import { withinNormal } from './normal.js';

/** Up to so many values together the distribution is counted; beyond, the normal one is as good. */
const MOST_COUNTED = 50;

/** By sizes: P(U <= u) for u = 0, 1, ... */
const counted = new Map<string, Float64Array>();

/**
 * Each of the C(m + n, m) orders is equally likely; how many have U = u are the coefficients of the Gaussian binomial, the
 * product of (1 - x^(n+i)) / (1 - x^i) over i = 1 ... m. Whole numbers below 2^53 up to 50 values together: exact.
 */
function count(m: number, n: number): Float64Array {
  const key = `${m} ${n}`;
  const known = counted.get(key);
  if (known !== undefined) return known;
  const ways = new Float64Array(m * n + 1);
  ways[0] = 1;
  for (let i = 1; i <= m; i++) {
    for (let u = m * n; u >= n + i; u--) ways[u] = (ways[u] ?? 0) - (ways[u - n - i] ?? 0);
    for (let u = i; u <= m * n; u++) ways[u] = (ways[u] ?? 0) + (ways[u - i] ?? 0);
  }
  const all = ways.reduce((sum, value) => sum + value, 0);
  let below = 0;
  const cumulative = ways.map((value) => {
    below += value;
    return below / all;
  });
  counted.set(key, cumulative);
  return cumulative;
}

/** Mean and variance with the correction for continuity. */
function normal(u: number, m: number, n: number): number {
  const z = (u + 0.5 - (m * n) / 2) / Math.sqrt((m * n * (m + n + 1)) / 12);
  return z < 0 ? (1 - withinNormal(-z)) / 2 : (1 + withinNormal(z)) / 2;
}

/**
 * P(U <= u) for samples of m and n values without ties.
 * @throws RangeError for an empty sample
 */
export function atMost(u: number, m: number, n: number): number {
  if (!(m >= 1 && n >= 1)) throw new RangeError('a sample without values');
  if (u < 0) return 0;
  if (u >= m * n) return 1;
  const whole = Math.floor(u);
  return m + n <= MOST_COUNTED ? (count(m, n)[whole] ?? 1) : normal(whole, m, n);
}

/**
 * The d for which the d-th smallest and the d-th largest of the m n differences enclose the shift with at least `level`: the
 * largest with 2 P(U <= d - 1) <= 1 - level. null where not even the extremes do: at 95 % below 4 and 4 values.
 */
export function differenceRank(m: number, n: number, level: number): number | null {
  const risk = (1 - level) / 2;
  if (atMost(0, m, n) > risk) return null;
  let [low, high] = [1, Math.ceil((m * n) / 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (atMost(middle - 1, m, n) <= risk) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The distribution of Wilcoxon's signed-rank statistic (1945), which the interval of the centre of symmetric differences rests
 * on: the sum of the ranks, by size, of those differences that are above it.
 */
import { withinNormal } from './normal.js';

/** Up to so many differences the distribution is counted; beyond, the normal one is as good. */
const MOST_COUNTED = 50;

/** By number of differences: P(W <= w) for w = 0, 1, ... */
const counted = new Map<number, Float64Array>();

/**
 * Each of the 2^n signs is equally likely; how many have the sum w are the coefficients of the product of 1 + x^i over
 * i = 1 ... n. Whole numbers up to 2^50: exact.
 */
function count(n: number): Float64Array {
  const known = counted.get(n);
  if (known !== undefined) return known;
  const most = (n * (n + 1)) / 2;
  const ways = new Float64Array(most + 1);
  ways[0] = 1;
  for (let i = 1; i <= n; i++) {
    for (let w = most; w >= i; w--) ways[w] = (ways[w] ?? 0) + (ways[w - i] ?? 0);
  }
  let below = 0;
  const cumulative = ways.map((value) => {
    below += value;
    return below / 2 ** n;
  });
  counted.set(n, cumulative);
  return cumulative;
}

/** Mean and variance with the correction for continuity. */
function normal(w: number, n: number): number {
  const z = (w + 0.5 - (n * (n + 1)) / 4) / Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
  return z < 0 ? (1 - withinNormal(-z)) / 2 : (1 + withinNormal(z)) / 2;
}

/**
 * P(W <= w) for n differences without ties and without 0.
 * @throws RangeError for no differences
 */
export function signedRankAtMost(w: number, n: number): number {
  if (!(n >= 1)) throw new RangeError('no differences');
  if (w < 0) return 0;
  if (w >= (n * (n + 1)) / 2) return 1;
  const whole = Math.floor(w);
  return n <= MOST_COUNTED ? (count(n)[whole] ?? 1) : normal(whole, n);
}

/**
 * The d for which the d-th smallest and the d-th largest of the n (n + 1) / 2 Walsh averages enclose the centre with at least
 * `level`: the largest with 2 P(W <= d - 1) <= 1 - level. null where not even the extremes do: at 95 % below 6 differences.
 */
export function walshRank(n: number, level: number): number | null {
  const risk = (1 - level) / 2;
  if (signedRankAtMost(0, n) > risk) return null;
  let [low, high] = [1, Math.ceil((n * (n + 1)) / 4)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (signedRankAtMost(middle - 1, n) <= risk) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The means of all pairs of values, each with itself included, ascending. */
export function walshAverages(values: ArrayLike<number>): Float64Array {
  const n = values.length;
  const all = new Float64Array((n * (n + 1)) / 2);
  let at = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) all[at++] = ((values[i] ?? 0) + (values[j] ?? 0)) / 2;
  }
  return all.sort();
}

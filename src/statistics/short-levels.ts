/**
 * The levels of a short series of which some values stand out, as the medians of campaigns over weeks do: software was changed, a
 * machine was mended, a neighbour came for a day. Penalised partition into segments with a biweight loss (Fearnhead & Rigaill 2019): a
 * value far off costs no more than `BEYOND` deviations do, so that one or two of them make no level of their own, and neither do they
 * hide a change. `change-points.ts` looks for levels among hundreds of samples, in blocks of them, which a short series does not have.
 */
import type { Level } from './change-points.js';
import { requireFinite } from './finite.js';
import { median, medianInPlace } from './quantile.js';

/** Of fewer values the spread is not known. */
export const LEAST_FOR_SHORT_LEVELS = 6;
/** Of the newest so many are looked at: the cost grows with the third power of their number. */
export const MOST_FOR_SHORT_LEVELS = 600;
/** Two far off would pay for a level of their own, for they cost no more than twice `BEYOND`; three do. */
const LEAST_IN_LEVEL = 3;
/** Deviations beyond which a value costs no more. */
const BEYOND = 3;
/**
 * Price of a change, in variances of a value: of steady series, normal ones or with heavier tails, fewer than 1 in 100 are then called
 * changed, and of such as depend on the value before with a correlation of 0.3 fewer than 3 (test/statistics/short-levels.test.ts). Of few values the variance is hardly known, and of many the largest gain is larger.
 */
const PRICE = 9;
const PRICE_OF_MANY = 1.5;
const VALUES_OF_DOUBLE_PRICE = 8;
const MAD_OF_NORMAL = 0.6745;
/** Neighbouring means of 1, 2 and 4 values are compared, as long as there are so many pairs; of more they would span the changes. */
const LEAST_PAIRS = 5;
const MOST_WIDTH = 4;

/**
 * Long-run deviation of one value, from differences of neighbouring means of 1, 2 and 4 of them, the largest: those that depend on
 * the one before them show it in the longer ones. The median of the differences' sizes does not see the few that span a change, or that
 * stand out; where more than half of the neighbours are equal the mean of their squares tells.
 */
function longRunDeviation(values: Float64Array): number {
  const n = values.length;
  let largest = 0;
  for (let width = 1; width === 1 || (width <= MOST_WIDTH && n / width - 1 >= LEAST_PAIRS); width *= 2) {
    const means = Float64Array.from(
      { length: Math.floor(n / width) },
      (_, i) => values.subarray(i * width, (i + 1) * width).reduce((sum, value) => sum + value, 0) / width,
    );
    const sizes = means.subarray(1).map((mean, i) => Math.abs(mean - (means[i] ?? 0)));
    if (sizes.length === 0) break;
    largest = Math.max(largest, (medianInPlace(sizes) / MAD_OF_NORMAL) * Math.sqrt(width / 2));
  }
  if (largest > 0) return largest;
  const squares = values.subarray(1).map((value, i) => (value - (values[i] ?? 0)) ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / (2 * squares.length));
}

/** Keeps `sorted[0..count)` ascending. */
function insert(sorted: Float64Array, count: number, value: number): void {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  sorted.copyWithin(low + 1, low, count);
  sorted[low] = value;
}

/** Squared distances from the median, each of `most` at most. @param sorted ascending, of which the first `count` count */
function costOf(sorted: Float64Array, count: number, most: number): number {
  const centre = ((sorted[(count - 1) >> 1] ?? 0) + (sorted[count >> 1] ?? 0)) / 2;
  let cost = 0;
  for (let i = 0; i < count; i++) cost += Math.min(most, ((sorted[i] ?? 0) - centre) ** 2);
  return cost;
}

/** First indices of the levels after the first, where losses and prices are least. */
function changesOf(values: Float64Array, deviation: number, price: number): readonly number[] {
  const n = values.length;
  const most = (BEYOND * deviation) ** 2;
  // Of all from `begin` on; segments grow towards the end, so that the best of what is behind them is known.
  const best = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY);
  const next = new Int32Array(n + 1);
  best[n] = -price;
  const sorted = new Float64Array(n + 1);
  for (let begin = n - LEAST_IN_LEVEL; begin >= 0; begin--) {
    for (let end = begin + 1; end <= n; end++) {
      insert(sorted, end - 1 - begin, values[end - 1] ?? 0);
      const behind = best[end] ?? 0;
      if (end - begin < LEAST_IN_LEVEL || behind === Number.POSITIVE_INFINITY) continue;
      const cost = costOf(sorted, end - begin, most) + price + behind;
      if (cost < (best[begin] ?? 0)) {
        best[begin] = cost;
        next[begin] = end;
      }
    }
  }
  const changes: number[] = [];
  for (let at = next[0] ?? n; at < n; at = next[at] ?? n) changes.push(at);
  return changes;
}

/**
 * The levels of a series, in order: one where nothing changed, where there are fewer than 6 values, or none of them differ. One level
 * is at least three values long.
 * @param values at most `MOST_FOR_SHORT_LEVELS`
 * @returns none for no values
 * @throws RangeError for a value that is not finite, or for more of them
 */
export function shortLevels(values: ArrayLike<number>): readonly Level[] {
  requireFinite(values);
  const all = Float64Array.from(values);
  const n = all.length;
  if (n > MOST_FOR_SHORT_LEVELS) throw new RangeError(`${n} values are no short series`);
  if (n === 0) return [];
  const deviation = n < LEAST_FOR_SHORT_LEVELS ? 0 : longRunDeviation(all);
  const price = (PRICE + PRICE_OF_MANY * Math.log(n)) * (1 + VALUES_OF_DOUBLE_PRICE / n) * deviation ** 2;
  const bounds = [0, ...(deviation > 0 ? changesOf(all, deviation, price) : []), n];
  return bounds.slice(1).map((to, i) => {
    const from = bounds[i] ?? 0;
    return { from, to, level: median(all.subarray(from, to)) };
  });
}

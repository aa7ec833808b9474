/**
 * Quantiles by linear interpolation (type 7 of Hyndman & Fan 1996), as pandas, numpy and R have them by default.
 * simple-statistics interpolates nothing (its quantile is an order statistic or the mean of two), so its quartiles
 * would differ from everybody's tables; its medianSorted and mad take plain arrays only, 80 MB more for ten million.
 */
import { requireFiniteSorted } from './finite.js';
import { sortInPlace } from './sort.js';

/** @param sorted ascending; NaN when it is empty. `p` from 0 to 1. */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  const place = p * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  // Rounding must not carry the value past its neighbour: quantiles are ordered.
  return Math.min(high, low + (high - low) * (place - below));
}

/**
 * A sorted copy.
 * @throws RangeError for a value that is not finite
 */
export function sortedCopy(values: ArrayLike<number>): Float64Array {
  const sorted = sortInPlace(new Float64Array(values));
  requireFiniteSorted(sorted);
  return sorted;
}

/**
 * How many of the values, from the first on, fulfil a condition that none fulfils after one that does not; in a few steps
 * however many they are.
 */
export function countWhile(sorted: ArrayLike<number>, holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle] ?? Number.NaN)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param values not empty, finite */
export function median(values: ArrayLike<number>): number {
  return medianInPlace(new Float64Array(values));
}

/** The median in linear time; the order of the values changes. */
export function medianInPlace(values: Float64Array): number {
  const n = values.length;
  const upper = selectInPlace(values, n >> 1);
  if (n % 2 === 1) return upper;
  // What lies before the place is not above it: its largest is the lower of the two in the middle.
  let lower = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n >> 1; i++) lower = Math.max(lower, values[i] ?? Number.NaN);
  return Math.min(upper, lower + (upper - lower) / 2);
}

/**
 * The value that sorting would put at `place`; what is smaller goes before it, what is larger after it (Hoare's
 * selection, pivot by the middle of three). simple-statistics' quickselect takes plain arrays only.
 */
function selectInPlace(values: Float64Array, place: number): number {
  let left = 0;
  let right = values.length - 1;
  // No closures and no tuples in here: this loop is half of the time of summarising a campaign.
  while (left < right) {
    const a = values[left] as number;
    const b = values[(left + right) >> 1] as number;
    const c = values[right] as number;
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let i = left;
    let j = right;
    while (i <= j) {
      while ((values[i] as number) < pivot) i++;
      while ((values[j] as number) > pivot) j--;
      if (i > j) break;
      const held = values[i] as number;
      values[i++] = values[j] as number;
      values[j--] = held;
    }
    if (place <= j) right = j;
    else if (place >= i) left = i;
    else break;
  }
  return values[place] ?? Number.NaN;
}

/** `quantileSorted` of values that are not sorted, in linear time; their order changes. */
export function quantileInPlace(values: Float64Array, p: number): number {
  const place = p * (values.length - 1);
  const below = Math.floor(place);
  const low = selectInPlace(values, below);
  let high = low;
  if (below + 1 < values.length) {
    // What lies behind the place is not below it: its smallest is the next.
    high = Number.POSITIVE_INFINITY;
    for (let i = below + 1; i < values.length; i++) high = Math.min(high, values[i] as number);
  }
  return Math.min(high, low + (high - low) * (place - below));
}

/** The median absolute deviation from `centre`, without sorting. @param values not empty, finite */
export function deviationFrom(centre: number, values: ArrayLike<number>): number {
  return medianInPlace(new Float64Array(values).map((value) => Math.abs(value - centre)));
}

/**
 * The same of sorted values, without a copy: deviations grow to both sides of the centre, so the two sides are merged
 * like sorted lists.
 */
export function madSorted(sorted: ArrayLike<number>, centre: number): number {
  const n = sorted.length;
  let right = countWhile(sorted, (value) => value < centre);
  let left = right - 1;
  const deviations = [0, 0];
  const [lower, upper] = [(n - 1) >> 1, n >> 1];
  for (let taken = 0; taken <= upper; taken++) {
    const toLeft = left >= 0 ? centre - (sorted[left] ?? 0) : Number.POSITIVE_INFINITY;
    const toRight = right < n ? (sorted[right] ?? 0) - centre : Number.POSITIVE_INFINITY;
    const next = Math.min(toLeft, toRight);
    if (toLeft <= toRight) left--;
    else right++;
    if (taken === lower) deviations[0] = next;
    if (taken === upper) deviations[1] = next;
  }
  return ((deviations[0] ?? 0) + (deviations[1] ?? 0)) / 2;
}

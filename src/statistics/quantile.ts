/**
 * Quantiles by linear interpolation (type 7 of Hyndman & Fan 1996), as pandas, numpy and R have them by default.
 * simple-statistics interpolates nothing (its quantile is an order statistic or the mean of two), so its quartiles
 * would differ from everybody's tables.
 */

/** @param sorted ascending, not empty; `p` from 0 to 1. */
export function quantileSorted(sorted: ArrayLike<number>, p: number): number {
  const place = p * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (place - below);
}

/** A sorted copy; typed arrays sort by value, and fast. */
export function sortedCopy(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/** @param values not empty */
export function median(values: ArrayLike<number>): number {
  return quantileSorted(sortedCopy(values), 0.5);
}

/**
 * The median absolute deviation from `centre`, in linear time on sorted values: deviations grow to both sides of the
 * centre, so the two sides are merged like sorted lists.
 */
export function madSorted(sorted: ArrayLike<number>, centre: number): number {
  const n = sorted.length;
  let right = 0;
  while (right < n && (sorted[right] ?? 0) < centre) right++;
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

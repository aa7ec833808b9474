/** Ranks in place of values: no unit, no tails. */
import { sortedCopy } from './quantile.js';

/**
 * Mean ranks over the number of values, from -1/2 to 1/2, their mean 0; equal values share theirs.
 * @throws RangeError for a value that is not finite
 */
export function ranksOf(values: Float64Array): Float64Array {
  const sorted = sortedCopy(values);
  const rank = new Map<number, number>();
  const n = sorted.length;
  for (let first = 0; first < n; ) {
    let last = first;
    while (last + 1 < n && sorted[last + 1] === sorted[first]) last++;
    rank.set(sorted[first] ?? 0, ((first + last) / 2 + 0.5) / n - 0.5);
    first = last + 1;
  }
  return values.map((value) => rank.get(value) ?? 0);
}

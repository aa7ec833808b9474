/** How wide an interval of launch medians will be, before they are measured: what plans of launches rest on. */
import { orderStatistics } from './interval.js';
import { normalReach } from './normal.js';

/** Expected place of the i-th largest of k standard normal values (Blom 1958). */
const placeOfLargest = (i: number, k: number): number => normalReach(1 - (2 * (i - 0.375)) / (k + 0.25));

/**
 * Expected half-width of the interval of k normal launch medians, in their standard deviations; null where k values have
 * no interval of this level. At 95 % it is 1.06 for 6 and 0.44 for 30: about 1.25 times that of Student's t.
 * @param level between 0 and 1
 */
export function expectedHalfWidth(k: number, level: number, kind: 'interpolated' | 'plain'): number | null {
  const chosen = orderStatistics(k, level, kind);
  if (chosen === null) return null;
  const { d, lambda } = chosen;
  const inner = 2 * d < k ? placeOfLargest(d + 1, k) : 0;
  return (1 - lambda) * placeOfLargest(d, k) + lambda * inner;
}

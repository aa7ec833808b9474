// Intervals of medians by order statistics, with the exact tails of a binomial distribution, as records have them. Pure.
import { orderStatistics } from '../../dist/statistics/interval.js';

/**
 * Null where even the lowest and the highest value enclose the median less often than the level says.
 * @param {readonly number[]} values
 * @param {number} [level]
 * @returns {{ low: number, high: number } | null}
 */
export function intervalOf(values, level = 0.95) {
  const chosen = orderStatistics(values.length, level, 'plain');
  if (chosen === null) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return { low: sorted[chosen.d - 1], high: sorted[sorted.length - chosen.d] };
}

/**
 * On which side of a target all of an interval lies; `open` where the target is inside.
 * @param {{ low: number, high: number }} interval
 * @param {number} target
 */
export const sideOf = ({ low, high }, target) => (low >= target ? 'above' : high < target ? 'below' : 'open');

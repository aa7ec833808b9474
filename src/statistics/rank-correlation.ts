/** How much neighbours in a series resemble each other, by their ranks: no shape is assumed, and a value far off has no say. */
import { ranksOf } from './ranks.js';

export function squaredDifferences(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 1; i < values.length; i++) sum += ((values[i] ?? 0) - (values[i - 1] ?? 0)) ** 2;
  return sum;
}

/**
 * One minus half of von Neumann's ratio of ranks (Bartels 1982): 0 on average of independent values, however few. Of
 * dependent ones it is too small by some four times itself over their number. null where all are equal.
 * @throws RangeError for a value that is not finite
 */
export function rankCorrelation(values: ArrayLike<number>): number | null {
  const ranks = ranksOf(new Float64Array(values));
  const variance = ranks.reduce((sum, rank) => sum + rank * rank, 0);
  return variance > 0 ? 1 - squaredDifferences(ranks) / variance / 2 : null;
}

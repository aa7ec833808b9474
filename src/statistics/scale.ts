/** The spread of a few values of which some may be far off. */
import { sampleStandardDeviation } from 'simple-statistics';
import { sortedCopy } from './quantile.js';

/** Qn times this is the standard deviation of normal values; and what few values need beside (Croux & Rousseeuw 1992). */
const OF_NORMAL = 2.21914;
const OF_FEW = [0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872];

const correction = (n: number): number => OF_FEW[n - 2] ?? (n % 2 === 1 ? n / (n + 1.4) : n / (n + 3.8));

/**
 * Qn of Rousseeuw & Croux (1993), scaled to the standard deviation of normal values: a quarter of the distances between
 * two values are smaller. Up to half of the values can lie anywhere, and of normal ones it is nearly as exact as the
 * standard deviation, which the median absolute deviation is not. Its cost grows with the square of the values.
 * @param values at least two, finite
 * @throws RangeError for fewer, or for a value that is not finite
 */
export function robustDeviation(values: ArrayLike<number>): number {
  const sorted = sortedCopy(values);
  const n = sorted.length;
  if (n < 2) throw new RangeError('one value has no spread');
  const distances = new Float64Array((n * (n - 1)) / 2);
  let at = 0;
  for (let i = 1; i < n; i++) {
    for (let j = 0; j < i; j++) distances[at++] = (sorted[i] ?? 0) - (sorted[j] ?? 0);
  }
  const half = Math.floor(n / 2) + 1;
  return correction(n) * OF_NORMAL * (distances.sort()[(half * (half - 1)) / 2 - 1] ?? 0);
}

/** Fewest values of which a quarter of the distances are several: of three Qn is the smallest, of five the third smallest of ten. */
export const LEAST_FOR_ROBUST = 6;

/**
 * The spread of launches, known as well as so many tell it: of few the standard deviation, because Qn of these is decided by
 * two values that happen to lie close; of more Qn, which a launch far off does not decide.
 * @param values at least two, finite
 * @throws RangeError for fewer, or for a value that is not finite
 */
export function launchDeviation(values: ArrayLike<number>): number {
  const robust = robustDeviation(values);
  return values.length < LEAST_FOR_ROBUST ? sampleStandardDeviation(Array.from(values)) : robust;
}

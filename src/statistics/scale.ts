/** The spread of a few values of which some may be far off. */
import { sampleStandardDeviation } from 'simple-statistics';
import { sortedCopy } from './quantile.js';

/** Qn times this is the standard deviation of normal values; and what few values need beside (Croux & Rousseeuw 1992). */
const OF_NORMAL = 2.21914;
const OF_FEW = [0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872];

const pairsOf = (n: number): number => (n * (n - 1)) / 2;

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
  const distances = new Float64Array(pairsOf(n));
  let at = 0;
  for (let i = 1; i < n; i++) {
    for (let j = 0; j < i; j++) distances[at++] = (sorted[i] ?? 0) - (sorted[j] ?? 0);
  }
  const half = Math.floor(n / 2) + 1;
  return correction(n) * OF_NORMAL * (distances.sort()[pairsOf(half) - 1] ?? 0);
}

/** Pairs of values that are no further apart. @param sorted ascending */
function pairsWithin(sorted: Float64Array, distance: number): number {
  let pairs = 0;
  for (let high = 0, low = 0; high < sorted.length; high++) {
    while ((sorted[high] as number) - (sorted[low] as number) > distance) low++;
    pairs += high - low;
  }
  return pairs;
}

/** Halvings of an interval until it is as narrow as numbers can tell. */
const HALVINGS = 60;

/**
 * The same of values in groups, where those of one may have much in common: only distances between two groups count, of which as
 * large a share is smaller as of single values, one of each group. Where those of each are equal it is that of single values.
 * @param groups at least two, none empty, of finite values
 * @throws RangeError for fewer, or for a value that is not finite
 */
export function robustDeviationOfGroups(groups: readonly ArrayLike<number>[]): number {
  const n = groups.length;
  if (n < 2) throw new RangeError('one group has no spread');
  const own = groups.map(sortedCopy);
  const all = sortedCopy(own.flatMap((group) => Array.from(group)));
  const between = (count: (sorted: Float64Array) => number): number =>
    own.reduce((left, group) => left - count(group), count(all));
  const pairs = between(({ length }) => pairsOf(length));
  const place = Math.ceil((pairsOf(Math.floor(n / 2) + 1) * pairs) / pairsOf(n));
  if (between((sorted) => pairsWithin(sorted, 0)) >= place) return 0;
  // All pairs would be too many to sort: those within a distance are counted, until it is the one that is sought.
  let [below, within] = [0, (all.at(-1) ?? 0) - (all[0] ?? 0)];
  for (let turn = 0; turn < HALVINGS; turn++) {
    const middle = (below + within) / 2;
    if (between((sorted) => pairsWithin(sorted, middle)) >= place) within = middle;
    else below = middle;
  }
  return correction(n) * OF_NORMAL * within;
}

/** Fewest values of which a quarter of the distances are several: of three Qn is the smallest, of five the third smallest of ten. */
export const LEAST_FOR_ROBUST = 6;

/**
 * The spread of launches, known as well as so many tell it: of few the standard deviation, because Qn of these is decided by
 * two values that happen to lie close; of more Qn, which a launch far off does not decide. Where so many tie at the step of the
 * clock that the others are all that varies, these tell.
 * @param values at least two, finite
 * @throws RangeError for fewer, or for a value that is not finite
 */
export function launchDeviation(values: ArrayLike<number>): number {
  const robust = robustDeviation(values);
  const tells = values.length >= LEAST_FOR_ROBUST && robust > 0;
  return tells ? robust : sampleStandardDeviation(Array.from(values));
}

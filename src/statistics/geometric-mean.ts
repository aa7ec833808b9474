/**
 * The geometric mean over cases of rate / reference rate, with an interval that follows from those of the launches.
 *
 * Each median comes with its interval. On logarithms the mean over C cases is a sum of independent terms / C, so their
 * distances to the interval's ends add up like standard errors, each end for itself because an interval of order statistics is
 * not symmetric: the square-and-add rule of Zou & Donner (2008), "Construction of confidence limits about effect measures".
 *
 * Added up as they are, intervals of 6 launches would cover 99.5 % over ten cases: each holds a reserve for how badly its own
 * spread is known, and that averages out. So a distance is first divided by how many standard errors of the median it is
 * expected to be, and the sum is multiplied by the reach of Student's t with the degrees of freedom that its terms have
 * together (Welch & Satterthwaite), k - 1 for k launches.
 */
import { LEVEL } from './interval.js';
import { normalReach } from './normal.js';
import { hasNoWidth, type Range } from './shift.js';
import { degreesOfSum, reachOf, studentReach } from './student.js';

/** A median of launches, above 0, with the interval that a record has for it. */
export interface MedianWithInterval {
  readonly median: number;
  readonly interval: Range | null;
  /** Launches that both rest on. */
  readonly launches: number;
}

export interface Pair {
  readonly value: MedianWithInterval;
  readonly reference: MedianWithInterval;
}

export interface GeometricMean {
  /** Of value / reference. */
  readonly mean: number;
  /** null where one of the medians has none, or the launches of both sides of a case show no spread. */
  readonly interval: Range | null;
}

export interface Term {
  /** Distances on logarithms from the estimate to the ends, as standard errors. */
  readonly below: number;
  readonly above: number;
  readonly degrees: number;
}

/** Standard error of the median of 3, 4, 5 normal values over that of their mean, about which their interval is. */
const OF_MEDIAN: Readonly<Record<number, number>> = { 3: 1.16, 4: 1.092, 5: 1.198 };
/**
 * Root mean square of the half-widths of order statistics, in standard errors of the median: 2.59 for 6 normal launches, 2.30
 * for 12, 2.14 for 30 (simulated), which is the normal reach times this.
 */
const ofOrderStatistics = (k: number): number => 1 + 2 / k;

/** How many standard errors of the median the end of its interval is away from it, as a rule. */
function standardErrors(k: number, level: number): number {
  const few = OF_MEDIAN[k];
  return few === undefined ? normalReach(level) * ofOrderStatistics(k) : studentReach(level, k - 1) / few;
}

function termOf(
  { median, interval, launches }: MedianWithInterval,
  level: number,
  inverse: boolean,
): Term | null {
  if (interval === null || launches < 3) return null;
  const reach = standardErrors(launches, level);
  const [low, high] = [Math.log(median / interval.low) / reach, Math.log(interval.high / median) / reach];
  const [below, above] = inverse ? [high, low] : [low, high];
  // The interval of few launches is about their mean, and need not hold their median.
  return { below: Math.max(0, below), above: Math.max(0, above), degrees: launches - 1 };
}

export const showsNoSpread = ({ interval }: MedianWithInterval): boolean =>
  interval !== null && hasNoWidth(interval);

/**
 * Launches without any spread on both sides do not tell how far they spread (`shiftBetween`): as terms of 0 they would make a mean
 * exact of which nobody knows how exact it is.
 */
function termsOf({ value, reference }: Pair, level: number): readonly (Term | null)[] {
  if (showsNoSpread(value) && showsNoSpread(reference)) return [null];
  return [termOf(value, level, false), termOf(reference, level, true)];
}

function reachOfSum(terms: readonly Term[], level: number): number {
  const degrees = degreesOfSum(
    terms.map(({ below, above, degrees: own }) => ({ variance: ((below + above) / 2) ** 2, degrees: own })),
  );
  return reachOf(level, degrees);
}

/**
 * @param logs of the ratio of each case, at least one
 * @param terms independent of each other, several of a case or one; null: nothing is known of one, and so nothing of the mean's interval
 */
export function meanOfLogs(
  logs: readonly number[],
  terms: readonly (Term | null)[],
  level = LEVEL,
): GeometricMean {
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const known = terms.filter((term) => term !== null);
  if (known.length < terms.length) return { mean: Math.exp(mean), interval: null };
  const reach = reachOfSum(known, level) / logs.length;
  const sum = (side: 'below' | 'above'): number =>
    reach * Math.sqrt(known.reduce((total, term) => total + term[side] ** 2, 0));
  return {
    mean: Math.exp(mean),
    interval: { low: Math.exp(mean - sum('below')), high: Math.exp(mean + sum('above')) },
  };
}

/**
 * @param pairs one for each case, independent of each other
 * @param level that the intervals have, and that the result gets
 * @throws RangeError where there is no case, or a median is not above 0
 */
export function geometricMean(pairs: readonly Pair[], level = LEVEL): GeometricMean {
  if (pairs.length === 0) throw new RangeError('a mean over no case');
  const logs = pairs.map(({ value, reference }) => Math.log(value.median / reference.median));
  if (!logs.every(Number.isFinite)) throw new RangeError('a median is not above 0');
  return meanOfLogs(
    logs,
    pairs.flatMap((pair) => termsOf(pair, level)),
    level,
  );
}

/**
 * How far the launches of one batch lie from those of another, on logarithms: a ratio is what is asked, and the interval of a
 * rate is then exactly that of its time turned over.
 *
 * From 6 launches on both sides: the median of all differences between a launch of one and a launch of the other (Hodges &
 * Lehmann 1963), with the interval of Mann & Whitney's test, which is exact whatever the shape as long as both have the same
 * one. With fewer its ends are the extremes, so Welch's t (1947) takes over, and says that it assumes a shape. Beside many of
 * the other side its degrees of freedom are a guess that few launches cannot make: then those of the few count alone.
 *
 * Where the batch with fewer launches spreads more, ranks are too sure: their interval would cover too seldom. Then it is the
 * union with Welch's, which covers as often as it claims (test/statistics/compare.test.ts).
 */
import { mean, sampleVariance } from 'simple-statistics';
import { atMost, differenceRank } from './mann-whitney.js';
import { quantileSorted } from './quantile.js';
import { robustDeviation } from './scale.js';
import { degreesOfSum, studentReach, withinStudent } from './student.js';

/** Fewest launches on both sides for a test without a shape. */
export const LEAST_FOR_RANKS = 6;

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** What the rounding of logarithms leaves between the ends of an interval of values that are all alike. */
const ROUNDING = 1e-12;

/** Whether both ends, above 0, are one value: a time or a ratio of launches that tie at the step of the clock, below which nothing is known. */
export const hasNoWidth = ({ low, high }: Range): boolean => Math.log(high / low) <= ROUNDING;

/** Of the logarithm of value over reference. */
export interface Shift {
  readonly estimate: number;
  /** null where so few launches, or launches without any spread, tell nothing. */
  readonly interval: ((level: number) => Range) | null;
  /** Two-sided, of no difference; 1 where there is no interval. */
  readonly p: number;
  readonly method: string;
}

/** @throws RangeError for no values, and for one that is not above 0 */
export function logarithms(values: ArrayLike<number>): Float64Array {
  const logs = Float64Array.from(values, Math.log);
  if (logs.length === 0) throw new RangeError('a batch without launches');
  if (!logs.every(Number.isFinite)) throw new RangeError('a launch median is not above 0');
  return logs;
}

function differencesOf(reference: Float64Array, values: Float64Array): Float64Array {
  const all = new Float64Array(reference.length * values.length);
  let at = 0;
  for (const value of values) for (const other of reference) all[at++] = value - other;
  return all.sort();
}

/** Equal launches count on both sides, so that ties never make a difference surer. */
function rankP(differences: Float64Array, m: number, n: number): number {
  let [notAbove, notBelow] = [0, 0];
  for (const value of differences) {
    if (value <= 0) notAbove++;
    if (value >= 0) notBelow++;
  }
  return Math.min(1, 2 * Math.min(atMost(notAbove, m, n), atMost(notBelow, m, n)));
}

function byRanks(reference: Float64Array, values: Float64Array, differences: Float64Array): Shift {
  const [m, n] = [reference.length, values.length];
  return {
    estimate: quantileSorted(differences, 0.5),
    interval: (level) => {
      const d = differenceRank(m, n, level) ?? 1;
      return { low: differences[d - 1] ?? Number.NaN, high: differences[m * n - d] ?? Number.NaN };
    },
    p: rankP(differences, m, n),
    method: 'Hodges-Lehmann shift of log launch medians, Mann-Whitney interval',
  };
}

/** Launches on one side, and times as many on the other, with which Welch's t misses oftener than it may, up to twice as often. */
const FEW_FOR_WELCH = 4;
const TIMES_AS_MANY = 2;

const tooUnlike = (m: number, n: number): boolean =>
  Math.min(m, n) <= FEW_FOR_WELCH && Math.max(m, n) >= TIMES_AS_MANY * Math.min(m, n);

function byWelch(reference: Float64Array, values: Float64Array): Shift {
  const [a, b] = [Array.from(reference), Array.from(values)];
  const estimate = mean(b) - mean(a);
  const parts = [a, b].map((one) => ({
    variance: sampleVariance(one) / one.length,
    degrees: one.length - 1,
  }));
  const error = parts.reduce((sum, { variance }) => sum + variance, 0);
  const ofFewest = tooUnlike(a.length, b.length);
  const degrees = ofFewest ? Math.min(a.length, b.length) - 1 : degreesOfSum(parts);
  const deviation = Math.sqrt(error);
  return {
    estimate,
    interval: (level) => {
      const reach = studentReach(level, degrees) * deviation;
      return { low: estimate - reach, high: estimate + reach };
    },
    p: Math.max(0, 1 - withinStudent(Math.abs(estimate) / deviation, degrees)),
    method: `Welch's t on log launch medians: fewer than ${LEAST_FOR_RANKS} launches, assuming normal spread${ofFewest ? ', with the degrees of freedom of the fewer alone' : ''}`,
  };
}

const NO_SPREAD =
  'none: launches without any spread, as where they tie at the step of the clock, do not tell how far they spread';

export const untold = (estimate: number, method: string): Shift => ({
  estimate,
  interval: null,
  p: 1,
  method,
});

const isConstant = (values: Float64Array): boolean => values.every((value) => value === values[0]);

/** Ranks take spreads for alike unless the smaller batch's is so many times the other's. */
const UNLIKE = 1.5;

function smallerSpreadsMore(a: Float64Array, b: Float64Array): boolean {
  if (a.length === b.length) return false;
  const [smaller, larger] = a.length < b.length ? [a, b] : [b, a];
  return robustDeviation(smaller) > UNLIKE * robustDeviation(larger);
}

function union(ranks: Shift, welch: Shift): Shift {
  const { interval: one } = ranks;
  const { interval: other } = welch;
  if (one === null || other === null) return ranks;
  return {
    ...ranks,
    interval: (level) => {
      const [a, b] = [one(level), other(level)];
      return { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
    },
    p: Math.max(ranks.p, welch.p),
    method: `${ranks.method}, and Welch's, because the batch with fewer launches spreads more`,
  };
}

/**
 * @param reference launch medians, above 0; `values` those that are compared with them, in the same unit
 * @throws RangeError for a batch without launches or a median that is not above 0
 */
export function shiftBetween(reference: ArrayLike<number>, values: ArrayLike<number>): Shift {
  const [a, b] = [logarithms(reference), logarithms(values)];
  const fewest = Math.min(a.length, b.length);
  const differences = differencesOf(a, b);
  if (fewest >= 2 && isConstant(a) && isConstant(b)) {
    const estimate = quantileSorted(differences, 0.5);
    return untold(estimate, NO_SPREAD);
  }
  if (fewest >= LEAST_FOR_RANKS) {
    const ranks = byRanks(a, b, differences);
    return smallerSpreadsMore(a, b) ? union(ranks, byWelch(a, b)) : ranks;
  }
  if (fewest >= 2) return byWelch(a, b);
  return untold(quantileSorted(differences, 0.5), 'none: one launch says nothing of the next');
}

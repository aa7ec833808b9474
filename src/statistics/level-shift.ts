/**
 * Whether new values of a series lie on the level of those before them, on logarithms: a prediction interval where there is one new
 * value (Student's t of the earlier ones, 1908), and the difference of two means with one spread where there are several.
 *
 * A level may have had values that stood far out of it. They say nothing of its spread, and would hide what is new; but a new value that
 * lies no further out than they do is no surer to be a change than they were: then their number bounds p (a rank among the earlier runs
 * of as many values, as in conformal prediction).
 */
import { mean, sampleVariance } from 'simple-statistics';
import { median } from './quantile.js';
import { robustDeviation } from './scale.js';
import { hasNoWidth, logarithms, type Range } from './shift.js';
import { studentReach, withinStudent } from './student.js';

/** Fewest earlier values by which new ones are judged. */
export const LEAST_EARLIER = 3;
/** Of a level with so many values, those beyond so many deviations stood out of it; of fewer no spread is known well enough. */
const LEAST_TO_LEAVE_OUT = 10;
const STOOD_OUT = 4;

export interface LevelShift {
  /** New over earlier. */
  readonly ratio: number;
  /** Of the ratio at a level; null where the earlier values do not differ, which tells nothing of their spread. */
  readonly interval: ((level: number) => Range) | null;
  /** Two-sided, of no difference; 1 where there is no interval. */
  readonly p: number;
  /** Relative standard deviation of one value; null likewise. */
  readonly deviation: number | null;
  /** Earlier values, and those of them that stood out and are not in the interval. */
  readonly earlier: number;
  readonly stoodOut: number;
  /** Index of the last of the earlier values that did not. */
  readonly lastOnLevel: number;
}

interface OnLevel {
  readonly logs: Float64Array;
  readonly centre: number;
  /** Distance from it beyond which a value stands out; Infinity: of so few, or without any spread, none does. */
  readonly most: number;
}

function levelOf(logs: Float64Array): OnLevel {
  const centre = median(logs);
  const most = logs.length < LEAST_TO_LEAVE_OUT ? 0 : STOOD_OUT * robustDeviation(logs);
  return most > 0
    ? { logs: logs.filter((log) => Math.abs(log - centre) <= most), centre, most }
    : { logs, centre, most: Number.POSITIVE_INFINITY };
}

/** Of the runs of so many neighbours, how many lie as far from the centre. */
function runsAsFar(logs: Float64Array, length: number, centre: number, distance: number) {
  const runs = Math.max(0, logs.length - length + 1);
  let asFar = 0;
  for (let begin = 0; begin < runs; begin++) {
    const own = mean(Array.from(logs.subarray(begin, begin + length)));
    if (Math.abs(own - centre) >= distance) asFar++;
  }
  return { runs, asFar };
}

/**
 * The bound that values which stood out set to p; 0 where none lay as far out. Those right before the new ones and on their side are the
 * beginning of what is judged, and no precedent for it: with them it is a run that is longer, among the runs before it.
 */
function leastP(all: Float64Array, own: Float64Array, { centre, most }: OnLevel): number {
  const side = Math.sign(mean(Array.from(own)) - centre);
  let begin = all.length;
  while (begin > 0 && side * ((all[begin - 1] ?? 0) - centre) > most) begin--;
  const run = [...all.subarray(begin), ...own];
  const { runs, asFar } = runsAsFar(all.subarray(0, begin), run.length, centre, Math.abs(mean(run) - centre));
  return asFar > 0 ? (asFar + 1) / (runs + 1) : 0;
}

/**
 * @param earlier in order, above 0, at least `LEAST_EARLIER`
 * @param newer above 0, at least one
 * @param more variance of the logarithm of the newer ones' mean beyond that of earlier ones, as where it rests on fewer launches
 * @throws RangeError for fewer, or a value that is not above 0
 */
export function levelShift(earlier: ArrayLike<number>, newer: ArrayLike<number>, more = 0): LevelShift {
  if (earlier.length < LEAST_EARLIER)
    throw new RangeError(`${earlier.length} earlier values: at least ${LEAST_EARLIER} tell a spread`);
  const [all, own] = [logarithms(earlier), logarithms(newer)];
  const found = levelOf(all);
  const level = Array.from(found.logs);
  const degrees = level.length - 1 + own.length - 1;
  const squares =
    (level.length - 1) * sampleVariance(level) +
    (own.length > 1 ? (own.length - 1) * sampleVariance(Array.from(own)) : 0);
  const variance = squares / degrees;
  const centre = mean(level);
  const estimate = mean(Array.from(own)) - centre;
  const error = Math.sqrt(variance * (1 / level.length + 1 / own.length) + more);
  const stoodOut = all.length - level.length;
  const lastOnLevel = all.findLastIndex((log) => Math.abs(log - found.centre) <= found.most);
  const rangeAt = (reach: number): Range => ({
    low: Math.exp(estimate - reach * error),
    high: Math.exp(estimate + reach * error),
  });
  if (hasNoWidth(rangeAt(1)))
    return {
      ratio: Math.exp(estimate),
      interval: null,
      p: 1,
      deviation: null,
      earlier: all.length,
      stoodOut,
      lastOnLevel,
    };
  const byRank = stoodOut > 0 ? leastP(all, own, found) : 0;
  return {
    ratio: Math.exp(estimate),
    interval: (at) => rangeAt(studentReach(at, degrees)),
    p: Math.max(byRank, 1 - withinStudent(Math.abs(estimate) / error, degrees)),
    deviation: Math.sqrt(variance),
    earlier: all.length,
    stoodOut,
    lastOnLevel,
  };
}

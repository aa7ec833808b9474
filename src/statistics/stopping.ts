/**
 * When enough launches were measured for a precision that was asked for, and how long each of them should be.
 *
 * Who looks after each launch and stops at the first interval that is narrow enough stops on lucky data. The interpolated
 * interval (Hettmansperger-Sheather) has 95 % and nothing to spare, so that it would keep less; plain order statistics of
 * 95 % lose about two points as well where many launches are needed, because the first look after each step of their
 * ranks finds them at barely 95 %. So plain order statistics of 97 % are taken for a claim of 95 %; looking begins at 8
 * launches; and the width asked for is narrowed by target / k, so that the first few launches cannot agree by chance and
 * end it (the guard of Glynn & Whitt 1992). `npm run bench:coverage` measures what remains.
 *
 * Short launches one after the other share the machine's mood. Where neighbours are alike, they are worth fewer, and the
 * interval is widened by that: the rule then goes on until so many were seen that the width holds all the same. What ends before
 * keeps its wide interval, also where that reaches beyond all that was measured: without those the others would cover less, as
 * they are of launches that look independent by chance.
 */
import { UserError } from '../errors.js';
import { formatShare, significant } from '../quantities/format.js';
import type { Seconds } from '../units.js';
import { type Interval, LEVEL, levelForLooking, type Scale, sequentialInterval } from './interval.js';
import { expectedHalfWidth } from './interval-width.js';
import { type Alikeness, alikeness } from './launch-dependence.js';
import { quantileSorted, sortedCopy } from './quantile.js';
import { bestRepetitions, leastCount, type VarianceComponents, varianceComponents } from './variance.js';

/** Looking begins here. */
export const LEAST_LAUNCHES = 8;
/** A launch's median of fewer repetitions is hardly one. */
export const LEAST_REPETITIONS = 20;
/** Launches whose medians' spread says anything of the others. */
const LEAST_PILOTS = 3;
/**
 * A launch measures for at least this share of what it costs beside, and for no more than that cost, or than the pilots did.
 * The best count rests on the spread between launches, and three of them hardly know it. Within these bounds a launch of the
 * wrong length costs little, whatever that spread is: with half of its cost at most half as much again as the best count
 * where launches differ so much that it is shorter, and with all of its cost at most twice as much where it is longer.
 */
const LEAST_SHARE = 0.5;
const MOST_SHARE = 1;
/** And no less than this: a quota's period and some ticks of the scheduler, whose phase a shorter launch would be a draw of. */
const LEAST_MEASURED: Seconds = 0.1;
/** The larger half-width over the mean of both, normal launch medians. */
const LARGER_HALF = 1.1;

export interface Precision {
  readonly reached: boolean;
  readonly launches: number;
  /** Median of the launch medians; null when there is none. */
  readonly estimate: number | null;
  /** What to report of launches whose number was decided so. Not that of a fixed number of launches. */
  readonly interval: Interval;
  /** How many independent launches they are worth; null: as many as they are. */
  readonly worth: number | null;
  /** The larger distance from the estimate to an end, as a share of the estimate; null where there is no interval. */
  readonly halfWidth: number | null;
  /** What the half-width is compared with: target - target / launches. */
  readonly limit: number;
  /** One clause for a person. */
  readonly reason: string;
}

/**
 * The interval of so many launches as these are worth, which may be six times as wide. On logarithms, as `student` is: of
 * 1.0 to 1.7 ms a straight line leads below 0, and the interval of a rate would not be that of its time.
 */
function widened(
  interval: Interval,
  centre: number,
  { correlation, worth, widening }: Alikeness,
  scale: Scale,
): Interval {
  const { ci } = interval;
  if (ci === null || widening === 1) return interval;
  const logarithmic = scale === 'logarithmic' && ci.low > 0;
  const at = (end: number): number =>
    logarithmic ? centre * (end / centre) ** widening : centre + (end - centre) * widening;
  return {
    ...interval,
    ci: { low: at(ci.low), high: at(ci.high) },
    method: `${interval.method}, widened by ${significant(widening, 2)} because neighbouring launches are alike (correlation of ranks ${significant(correlation, 2)}: worth ${significant(worth, 2)} independent ones)`,
  };
}

/**
 * What to report of launches whose number was decided by looking at their medians: with a reserve for that, and for what
 * neighbours have in common. Also of their other figures, which come of the same launches.
 * @param values one for each launch, in the order of time
 * @throws RangeError for a level outside of 0 to 1, and for a value that is not finite
 */
export function lookedInterval(
  values: ArrayLike<number>,
  level = LEVEL,
  scale: Scale = 'logarithmic',
): Interval {
  const interval = sequentialInterval(values, level);
  if (interval.ci === null) return interval;
  return widened(interval, quantileSorted(sortedCopy(values), 0.5), alikeness(values), scale);
}

/** Two shares with as many digits as tell them apart, so that no figure contradicts the verdict beside it. */
function toldApart(one: number, other: number): readonly [string, string] {
  const digits = [2, 3, 4, 5, 6, 7, 8].find((some) => formatShare(one, some) !== formatShare(other, some));
  return [formatShare(one, digits), formatShare(other, digits)];
}

function requireTarget(target: number): void {
  if (!(target > 0 && target < 1)) {
    throw new UserError(`a precision is between 0 and 100 %, not ${target * 100} %: give 1%, for example`);
  }
}

/**
 * The rule to ask after each launch; deterministic, so that a resumed campaign ends where it would have ended.
 * @param launchMedians in the order of time, one unit
 * @param target the interval's larger half-width as a share of the estimate: 0.01 for ±1 %
 * @throws UserError for a target that is not between 0 and 1; RangeError for a median that is not finite
 */
export function precisionReached(launchMedians: ArrayLike<number>, target: number, level = LEVEL): Precision {
  requireTarget(target);
  const launches = launchMedians.length;
  const estimate = launches === 0 ? null : quantileSorted(sortedCopy(launchMedians), 0.5);
  const alike = alikeness(launchMedians);
  const interval = lookedInterval(launchMedians, level);
  const { ci } = interval;
  const limit = launches === 0 ? 0 : target - target / launches;
  const halfWidth =
    ci === null || estimate === null || !(estimate > 0)
      ? null
      : Math.max(ci.high - estimate, estimate - ci.low) / estimate;
  const worth = alike.widening === 1 ? null : alike.worth;
  const base = { launches, estimate, interval, halfWidth, limit, worth };
  if (estimate !== null && !(estimate > 0)) {
    return { ...base, reached: false, reason: 'no share can be taken of a median that is not above 0' };
  }
  if (launches < LEAST_LAUNCHES || halfWidth === null) {
    return { ...base, reached: false, reason: `${launches} launches of at least ${LEAST_LAUNCHES}` };
  }
  const reached = halfWidth <= limit;
  const worthText = worth === null ? '' : `, worth ${significant(worth, 2)} independent ones`;
  const tiesText =
    halfWidth === 0 ? ', whose interval has no width, as where they tie at the step of the clock' : '';
  const [found, needed] = toldApart(halfWidth, limit);
  const reason = `±${found} after ${launches} launches${worthText}${tiesText}; ±${formatShare(target)} takes ±${needed} there, a reserve for looking after each`;
  return { ...base, reached, reason };
}

export interface PrecisionPlanInput {
  /** Samples of the launches so far, in order: the pilots, all with about as many repetitions. */
  readonly launches: readonly ArrayLike<number>[];
  /** Seconds of a launch outside its repetitions (start, load, warm-up, end), and of one repetition. */
  readonly costOfLaunch: number;
  readonly costOfRepetition: number;
  /** As a share of the estimate. */
  readonly target: number;
  readonly level?: number;
}

export interface PrecisionPlan {
  /** In each further launch: at least 20; the pilots' count when they are too few to tell. */
  readonly repetitions: number;
  /** Launches expected in all, the pilots included; at least 8. null when the pilots are too few to tell. */
  readonly launches: number | null;
  /** Of them still to come; null likewise. */
  readonly remaining: number | null;
  /** What it rests on; null likewise. */
  readonly components: VarianceComponents | null;
}

/** The expected larger half-width of plain order statistics with the guard, in the same unit as a limit without it. */
function guarded(k: number, level: number, widest: number): number | null {
  const halfWidth = expectedHalfWidth(k, levelForLooking(level), 'plain');
  return k < LEAST_LAUNCHES || halfWidth === null ? null : LARGER_HALF * halfWidth + widest / k;
}

/**
 * From the first launches, how long the others should be and how many are to be expected. Fix the repetitions once, from
 * the pilots: chosen anew after each launch they would follow its luck. The number of launches is an estimate for a
 * progress line; `precisionReached` decides.
 * @throws UserError for a target that is not between 0 and 1; RangeError for costs below 0, samples that are not finite,
 *   a launch without samples
 */
export function precisionPlan(input: PrecisionPlanInput): PrecisionPlan {
  const { launches, costOfLaunch, costOfRepetition, target, level = LEVEL } = input;
  requireTarget(target);
  const most = launches.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const pilots = Number.isFinite(most) ? most : LEAST_REPETITIONS;
  const components = launches.length < LEAST_PILOTS ? null : varianceComponents(launches);
  if (components === null || !(components.estimate > 0)) {
    return { repetitions: pilots, launches: null, remaining: null, components: null };
  }
  const { within, between, estimate } = components;
  const taking = (seconds: Seconds): number => Math.ceil(seconds / costOfRepetition);
  const least = Math.max(LEAST_REPETITIONS, taking(Math.max(LEAST_MEASURED, LEAST_SHARE * costOfLaunch)));
  const longest = Math.max(pilots, taking(MOST_SHARE * costOfLaunch));
  const expectedWith = (repetitions: number): number => {
    const widest = (target * estimate) / Math.sqrt(between + within / repetitions);
    return leastCount(widest, level, (k) => guarded(k, level, widest), LEAST_LAUNCHES);
  };
  // Where the fewest launches will do with short ones, longer ones would not make them fewer.
  const best =
    expectedWith(least) === LEAST_LAUNCHES
      ? least
      : (bestRepetitions({ within, between, costOfLaunch, costOfRepetition }) ?? longest);
  const repetitions = Math.min(longest, Math.max(least, best));
  const all = Math.max(expectedWith(repetitions), launches.length);
  return { repetitions, launches: all, remaining: all - launches.length, components };
}

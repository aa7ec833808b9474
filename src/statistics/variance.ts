/**
 * The two levels of a batch's variance, and what follows from them: how many repetitions and how many launches are worth
 * their time (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable time"). For medians in place of means, and with
 * spreads that a launch far off does not decide: intervals of medians do not widen for it either, once there are enough of
 * them to leave it out, so that a plan which follows the plain standard deviation would ask for many times the launches that
 * they take. Of fewer than six launches no spread is both exact and robust (`launchDeviation`).
 */
import { effectiveSampleSize } from './autocorrelation.js';
import { binomialTail } from './binomial.js';
import { requireFinite } from './finite.js';
import { LEVEL, launchInterval, orderStatistics } from './interval.js';
import { expectedHalfWidth } from './interval-width.js';
import { normalReach } from './normal.js';
import { median, medianInPlace, quantileSorted, sortedCopy } from './quantile.js';
import { launchDeviation } from './scale.js';

export interface VarianceComponents {
  readonly launches: number;
  /** Harmonic mean over the launches: what the within-launch variance is divided by on average. */
  readonly repetitions: number;
  /** Median of the launch medians, in the unit of the samples; the variances below have its square. */
  readonly estimate: number;
  /** Of the launch medians as they are: S2², by the square of `launchDeviation`. */
  readonly total: number;
  /** What remains of it without the noise of finite repetitions: T2² = S2² - within / repetitions, at least 0. */
  readonly between: number;
  /**
   * Of the median per repetition: n times the variance of the median of n repetitions of one launch, dependence among
   * them counted; the median over the launches.
   */
  readonly within: number;
  /** The same two as standard deviations relative to the estimate; null where that is not above 0. */
  readonly relativeBetween: number | null;
  readonly relativeWithin: number | null;
}

/** Standard errors to either side of the middle at which the quantiles are read (McKean & Schrader 1984 take about 2). */
const ERRORS = 2;
/** But no further out than the quartiles: with few independent repetitions, stalls would be read. */
const FURTHEST = 0.25;
/** The noise of a repetition is the same throughout, or a flag says so: the first ones tell it, and a median over launches is taken. */
const MOST_LOOKED_AT = 4096;

/**
 * n times the variance of the median of a dependent series. The share of values at or below the median has the variance
 * 1 / (4 m), m the effective sample size of that indicator (as the interval within a launch has it); quantiles two of
 * its standard errors to either side are four standard errors of the median apart.
 */
function longRunVarianceOfMedian(whole: Float64Array): number {
  const samples = whole.subarray(0, MOST_LOOKED_AT);
  const sorted = sortedCopy(samples);
  const n = samples.length;
  const centre = quantileSorted(sorted, 0.5);
  const indicator = Float64Array.from({ length: n }, (_, i) => ((samples[i] ?? 0) <= centre ? 1 : 0));
  const worth = effectiveSampleSize(indicator) ?? n;
  const error = 1 / (2 * Math.sqrt(worth));
  const reach = Math.min(FURTHEST, ERRORS * error);
  const between = quantileSorted(sorted, 0.5 + reach) - quantileSorted(sorted, 0.5 - reach);
  return n * ((between * error) / (2 * reach)) ** 2;
}

/** What the components take of one launch. */
export interface LaunchNoise {
  readonly repetitions: number;
  readonly median: number;
  /** n times the variance of its median, dependence counted. */
  readonly longRun: number;
}

/**
 * @param samples of one launch, in order
 * @param known their median, where it is known already
 * @throws RangeError for a launch without samples, and for a sample that is not finite
 */
export function launchNoise(samples: ArrayLike<number>, known?: number): LaunchNoise {
  if (samples.length === 0) throw new RangeError('a launch without samples');
  requireFinite(samples);
  const whole = new Float64Array(samples);
  const longRun = longRunVarianceOfMedian(whole);
  return { repetitions: samples.length, median: known ?? medianInPlace(whole), longRun };
}

/**
 * @param launches samples of each launch, in order, in one unit
 * @returns null for fewer than two launches: one says nothing of the next
 * @throws RangeError for a launch without samples, and for a sample that is not finite
 */
export const varianceComponents = (launches: readonly ArrayLike<number>[]): VarianceComponents | null =>
  componentsOf(launches.map((samples) => launchNoise(samples)));

/** The same from what was taken of each launch; null for fewer than two. */
export function componentsOf(launches: readonly LaunchNoise[]): VarianceComponents | null {
  const k = launches.length;
  if (k < 2) return null;
  const medians = Float64Array.from(launches, (launch) => launch.median);
  const perRepetition = launches.reduce((sum, { repetitions }) => sum + 1 / repetitions / k, 0);
  const estimate = median(medians);
  const within = median(Float64Array.from(launches, ({ longRun }) => longRun));
  const total = launchDeviation(medians) ** 2;
  const between = Math.max(0, total - within * perRepetition);
  const relative = (variance: number): number | null =>
    estimate > 0 ? Math.sqrt(variance) / estimate : null;
  return {
    launches: k,
    repetitions: 1 / perRepetition,
    estimate,
    total,
    between,
    within,
    relativeBetween: relative(between),
    relativeWithin: relative(within),
  };
}

export interface RepetitionCosts {
  /** Variances, as `varianceComponents` has them: only their ratio counts. */
  readonly within: number;
  readonly between: number;
  /** Time of one repetition, and of a launch outside its repetitions; only their ratio counts. */
  readonly costOfRepetition: number;
  readonly costOfLaunch: number;
}

/**
 * Repetitions in each launch that give the narrowest interval for the time spent: sqrt((c2 / c1) (s1² / T2²)), at least 1.
 * null where the launches do not differ (T2² = 0): then a launch's repetitions are as good as another launch's and spare
 * its start, so that more are better without end, and something else has to limit them.
 * @throws RangeError for a variance or cost below 0, or a repetition that costs nothing
 */
export function bestRepetitions(of: RepetitionCosts): number | null {
  const { within, between, costOfRepetition, costOfLaunch } = of;
  const valid = within >= 0 && between >= 0 && costOfLaunch >= 0 && costOfRepetition > 0;
  if (!valid || !Number.isFinite(within + between + costOfLaunch + costOfRepetition)) {
    throw new RangeError('variances and costs are finite and not below 0, and a repetition costs something');
  }
  if (between === 0) return null;
  const best = Math.sqrt((costOfLaunch / costOfRepetition) * (within / between));
  return best < Number.MAX_SAFE_INTEGER ? Math.max(1, Math.round(best)) : null;
}

export interface LaunchesAsked {
  readonly within: number;
  readonly between: number;
  readonly estimate: number;
  /** In each launch. */
  readonly repetitions: number;
  /** Half-width of the interval as a share of the estimate: 0.01 for 1 %. */
  readonly target: number;
  readonly level?: number;
  /** Those that the variances were found of: whether they reached the target is known. */
  readonly measured?: MeasuredLaunches;
}

export interface MeasuredLaunches {
  /** One for each launch, in whichever unit. */
  readonly medians: ArrayLike<number>;
  /** In each launch. */
  readonly repetitions: number;
}

/** From here on the half-width is that of a large sample. */
const MANY = 2000;
/**
 * What a plan asks for, or one more than were measured, where about half of the launches are far off, so that no number is known to reach
 * the target: as many or more. From here on a plan is a guess anyhow, and read as such.
 */
export const MOST_OF_HALVES = 1000;
/** Standard error of a median over that of a mean, normal data: sqrt(pi / 2). */
const OF_MEDIAN = Math.sqrt(Math.PI / 2);

/** The fewest values whose interval is expected to reach no further than `widest` of their standard deviations. */
export function leastCount(
  widest: number,
  level: number,
  expected: (k: number) => number | null,
  least = 1,
): number {
  const ofMany = Math.min(
    Number.MAX_SAFE_INTEGER,
    Math.ceil(((OF_MEDIAN * normalReach(level)) / widest) ** 2),
  );
  if (ofMany > MANY) return ofMany;
  for (let k = least; ; k++) {
    const halfWidth = expected(k);
    if (halfWidth !== null && halfWidth <= widest) return k;
  }
}

/** The larger distance from the median to an end of its interval, as a share; null where there is none. */
function halfWidthOf(medians: ArrayLike<number>, level: number): number | null {
  const { ci } = launchInterval(medians, level);
  const centre = median(medians);
  return ci === null || !(centre > 0) ? null : Math.max(ci.high - centre, centre - ci.low) / centre;
}

/**
 * The variance between launches that the width of their interval tells, where by the one that was found so many as were measured would
 * have reached the target, and they did not; null where nothing is amiss. Then they spread further than most of them do, as where they
 * have two modes: `launchDeviation` is that of one mode, and the width says how far both are apart.
 */
function varianceOfWidth(
  { within, between, estimate, target, level = LEVEL }: LaunchesAsked,
  { medians, repetitions }: MeasuredLaunches,
): number | null {
  const expected = expectedHalfWidth(medians.length, level, 'interpolated');
  const reached = halfWidthOf(medians, level);
  if (expected === null || reached === null || reached <= target) return null;
  const noise = within / repetitions;
  const promised = (expected * Math.sqrt(between + noise)) / estimate;
  return promised > target ? null : ((reached * estimate) / expected) ** 2 - noise;
}

/**
 * The fewest launches, more than were measured, whose interval more often than not ends before those that are further from the median
 * than the target, if as large a share is as of the measured ones, on the side with more of them. By how much does not matter: of one
 * in six it takes nine. `MOST_OF_HALVES` where it is about half of them, as of two modes alike: of no number does it end between these.
 */
function launchesWithin({ target, level = LEVEL }: LaunchesAsked, { medians }: MeasuredLaunches): number {
  const centre = median(medians);
  const beyond = (sign: number): number =>
    Array.from(medians).filter((value) => (sign * (value - centre)) / centre > target).length;
  const share = Math.max(beyond(1), beyond(-1)) / medians.length;
  // An end is at 1/2 -+ z / (2 sqrt(k)) of many.
  const ofMany = share < 0.5 ? (normalReach(level) / (1 - 2 * share)) ** 2 : Number.POSITIVE_INFINITY;
  if (ofMany > MOST_OF_HALVES) return Math.max(medians.length + 1, MOST_OF_HALVES);
  for (let k = medians.length + 1; ; k++) {
    const chosen = orderStatistics(k, level, 'interpolated');
    if (chosen !== null && binomialTail(k, share, chosen.d) <= 0.5) return k;
  }
}

/** @param between the variance between launches */
function launchesOfVariance(
  { within, estimate, repetitions, target, level = LEVEL }: LaunchesAsked,
  between: number,
): number {
  const deviation = Math.sqrt(between + within / repetitions);
  return leastCount((target * estimate) / deviation, level, (k) =>
    expectedHalfWidth(k, level, 'interpolated'),
  );
}

/**
 * Launches whose interval (`launchInterval`: interpolated order statistics, so at least 6 at 95 %) is expected to reach
 * `target` of the estimate to either side. Expected of normal launch effects: tails make it a little wider or narrower,
 * and half of the time chance makes it wider. More than were measured, with as many repetitions, where these did not reach it: by the
 * width of their interval, unless fewer leave out what made it so wide.
 * @throws RangeError for a target, estimate or number of repetitions that is not above 0, or a variance below 0
 */
export function launchesFor(asked: LaunchesAsked): number {
  const { within, between, estimate, repetitions, target, measured } = asked;
  const valid = within >= 0 && between >= 0 && estimate > 0 && repetitions > 0 && target > 0;
  if (!valid)
    throw new RangeError('a target, an estimate and repetitions are above 0, and variances not below');
  const ofMost = launchesOfVariance(asked, between);
  const further = measured === undefined ? null : varianceOfWidth(asked, measured);
  if (measured === undefined || further === null) return ofMost;
  return Math.max(ofMost, Math.min(launchesOfVariance(asked, further), launchesWithin(asked, measured)));
}

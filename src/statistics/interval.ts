/**
 * The interval of a median. The launch is the sampling unit: repetitions of one launch share its memory layout and
 * placement, so however many there are, they say nothing of the next launch (Kalibera & Jones 2013).
 */
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { significant } from '../quantities/format.js';
import { effectiveSampleSize } from './autocorrelation.js';
import { quantileSorted, sortedCopy } from './quantile.js';
import { rankCorrelation } from './rank-correlation.js';
import { reachOf, studentReach } from './student.js';

export const LEVEL = 0.95;

/** `linear` for what may lie on both sides of 0: then no logarithms where by chance all are above it. */
export type Scale = 'logarithmic' | 'linear';

export type IntervalBasis = 'launches' | 'few launches' | 'two launches' | 'within one launch';

export interface Interval {
  /** How often an interval made so contains the true median. */
  readonly level: number;
  /** In the unit of the values; null where so few values allow none. */
  readonly ci: { readonly low: number; readonly high: number } | null;
  /** The smallest and the largest value; null when there is none. It is no interval: it grows with every launch. */
  readonly range: { readonly low: number; readonly high: number } | null;
  readonly method: string;
  readonly basis: IntervalBasis;
  /** Values that it rests on. */
  readonly n: number;
}

/** Fewest repetitions for an interval within a launch. Fewer do not show whether they depend on each other. */
const LEAST_REPETITIONS = 15;
/** Standard errors that a correlation may be above what was found of it: it is in one series of four. */
const ABOVE_FOUND = 0.6745;
/** Repetitions more alike than this are worth hardly any. */
const MOST_ALIKE = 0.985;
/** Lags whose correlation is less add nothing. */
const LEAST_CORRELATION = 1e-4;

function requireLevel(level: number): void {
  if (!(level > 0 && level < 1)) throw new RangeError(`a level is between 0 and 1, not ${level}`);
}

function rangeOf(sorted: Float64Array): Interval['range'] {
  const [low, high] = [sorted[0], sorted.at(-1)];
  return low === undefined || high === undefined ? null : { low, high };
}

/**
 * Confidence of [x(d), x(k-d+1)] for the median, g(d) = 1 - 2 P(Bin(k, 1/2) <= d - 1), for d = 1, 2, ... while it is at
 * least `level`, and the first that is not: the two that are interpolated. Logarithms, because 2^-k ends at k = 1,074.
 */
function neighbours(k: number, level: number): { d: number; at: number; next: number } {
  let logTerm = -k * Math.LN2;
  let confidence = 1;
  for (let d = 0; ; d++) {
    const next = confidence - 2 * Math.exp(logTerm);
    if (next < level || d + 1 > k / 2) return { d, at: confidence, next };
    confidence = next;
    logTerm += Math.log((k - d) / (d + 1));
  }
}

/** Which order statistics of k values make an interval: [x(d), x(k-d+1)], moved inwards by a share of the next. */
export interface OrderStatistics {
  /** Counted from 1, from either end. */
  readonly d: number;
  /** The weight of x(d+1) and x(k-d). */
  readonly lambda: number;
}

/**
 * `interpolated` (Hettmansperger & Sheather 1986) has 95 % where `plain` order statistics have 96.9 or 99.2. null when
 * even the extremes enclose the median less often than `level`: for 95 %, below 6 values.
 */
export function orderStatistics(
  k: number,
  level: number,
  kind: 'interpolated' | 'plain',
): OrderStatistics | null {
  const { d, at, next } = neighbours(k, level);
  if (d === 0) return null;
  const share = kind === 'plain' ? 0 : (at - level) / (at - next);
  return { d, lambda: ((k - d) * share) / (d + (k - 2 * d) * share) };
}

/**
 * A step between order statistics that is longer than this times what lies between the two steps is a gap: launches have
 * modes, or one is far off, and nothing is known of values in between.
 */
const GAP = 2;

/**
 * Needs no shape, and interpolates only where values lie close. Across a gap the end is the order statistic itself: with
 * two separate modes a plain Hettmansperger-Sheather interval of few launches ends between them and covers less than it
 * claims. Of launches of one mode the two differ little, and from 9 on hardly. `npm run bench:coverage` measures what this
 * one covers, of two modes too.
 */
function orderStatisticInterval(sorted: Float64Array, chosen: OrderStatistics): NonNullable<Interval['ci']> {
  const k = sorted.length;
  const { d, lambda } = chosen;
  const x = (i: number): number => sorted[i - 1] ?? Number.NaN;
  const inner = x(k - d) - x(d + 1);
  const knowsInner = d + 1 < k - d;
  const end = (outer: number, next: number): number => {
    const isGap = knowsInner && Math.abs(next - outer) > GAP * inner;
    return isGap ? outer : (1 - lambda) * outer + lambda * next;
  };
  return { low: end(x(d), x(d + 1)), high: end(x(k - d + 1), x(k - d)) };
}

/**
 * Student's t about the mean, which is the median of a symmetric distribution; about the median of the values it would
 * have 93 % for 5, because that varies more. On logarithms where all are above 0: of [1, 1, 3] seconds, which one busy
 * neighbour can do, the interval begins below 0 otherwise, and the interval of a rate would not be that of its time.
 */
function student(sorted: Float64Array, level: number, logarithmic: boolean): NonNullable<Interval['ci']> {
  const n = sorted.length;
  const values = Array.from(sorted, (value) => (logarithmic ? Math.log(value) : value));
  const centre = mean(values);
  const reach = (studentReach(level, n - 1) * sampleStandardDeviation(values)) / Math.sqrt(n);
  const [low, high] = [centre - reach, centre + reach];
  return logarithmic ? { low: Math.exp(low), high: Math.exp(high) } : { low, high };
}

/** Where both ends are one value, that need not be exact: below the step of the clock launches cannot differ. */
const ofTies = (interval: Interval): Interval =>
  interval.ci === null || interval.ci.low < interval.ci.high
    ? interval
    : {
        ...interval,
        method: `${interval.method}; its ends do not differ, as where launches tie at the step of the clock, below which nothing is known`,
      };

/**
 * From 6 launches on (at 95 %) interpolated order statistics; 3 to 5: Student's t; two: their range, no interval; one or
 * none: nothing.
 * @param values one for each launch, independent of each other
 * @throws RangeError for a level outside of 0 to 1, and for a value that is not finite
 */
export function launchInterval(
  values: ArrayLike<number>,
  level = LEVEL,
  scale: Scale = 'logarithmic',
): Interval {
  requireLevel(level);
  const n = values.length;
  const sorted = sortedCopy(values);
  const base = { level, n, range: rangeOf(sorted) };
  if (n < 2)
    return {
      ...base,
      ci: null,
      method: 'none: one launch says nothing of the next',
      basis: 'within one launch',
    };
  if (n === 2) return { ...base, ci: null, method: 'none: two launches give a range', basis: 'two launches' };
  const chosen = orderStatistics(n, level, 'interpolated');
  if (chosen !== null) {
    const method =
      'interpolated order statistics of launch medians (Hettmansperger-Sheather, not across gaps)';
    return ofTies({ ...base, ci: orderStatisticInterval(sorted, chosen), method, basis: 'launches' });
  }
  const logarithmic = scale === 'logarithmic' && (sorted[0] ?? 0) > 0;
  return ofTies({
    ...base,
    ci: student(sorted, level, logarithmic),
    method: `Student's t on ${logarithmic ? 'logarithms of ' : ''}launch medians`,
    basis: 'few launches',
  });
}

/** Of the risk that an interval misses, what it may spend where its end was chosen by looking at it. */
const RISK_AFTER_LOOKING = 0.6;

/** The level at which order statistics are read where the number of launches was decided by looking at them. */
export const levelForLooking = (level: number): number => 1 - RISK_AFTER_LOOKING * (1 - level);

/**
 * The interval of launches whose number was decided by looking at them: plain order statistics of 97 % where 95 % are
 * claimed, because stopping on lucky data costs about two points (src/statistics/stopping.ts). With fewer than 7
 * launches (at 95 %) there is none.
 * @param values one for each launch, independent of each other
 * @throws RangeError for a level outside of 0 to 1, and for a value that is not finite
 */
export function sequentialInterval(values: ArrayLike<number>, level = LEVEL): Interval {
  requireLevel(level);
  const n = values.length;
  const sorted = sortedCopy(values);
  const chosen = orderStatistics(n, levelForLooking(level), 'plain');
  return ofTies({
    level,
    n,
    range: rangeOf(sorted),
    ci: chosen === null ? null : orderStatisticInterval(sorted, chosen),
    method:
      chosen === null
        ? `none: ${n} launches are too few for order statistics`
        : 'order statistics of launch medians with a reserve for looking after each launch',
    basis: chosen === null ? 'few launches' : 'launches',
  });
}

/** Fewest independent values whose extremes enclose the median so often: of m, all are on one side of it once in 2^(m-1). */
const leastIndependent = (level: number): number => 1 - Math.log2(1 - level);

/**
 * n times the variance of the share of a normal series that lies below its median, over that of an independent one, where
 * each value has this correlation with the one before: the signs of normal values correlate by 2/pi asin of what they do.
 */
function timesOfSigns(correlation: number): number {
  let times = 1;
  for (let power = correlation; power > LEAST_CORRELATION; power *= correlation) {
    times += (4 / Math.PI) * Math.asin(power);
  }
  return times;
}

/**
 * How many independent repetitions these are worth for their median, and rather fewer. The sum of autocorrelations
 * (Geyer's) of "at or below the median", because the variance of a quantile of a dependent series is that of this
 * indicator (Heidelberger & Lewis 1984); a few stalls do not hide the memory of the rest. Of few repetitions it sees too
 * little: the sum ends too early, and all of it is too small because the middle is their own. So it is not believed
 * further than what the correlation of neighbouring ranks, its bias taken out and two thirds of a standard error added, would mean
 * for a memory that fades evenly.
 */
function worthForMedian(samples: ArrayLike<number>, centre: number): number {
  const n = samples.length;
  const indicator = Float64Array.from({ length: n }, (_, i) => ((samples[i] ?? 0) <= centre ? 1 : 0));
  const bySum = effectiveSampleSize(indicator) ?? n;
  const found = (rankCorrelation(samples) ?? 0) * (1 + 4 / n);
  const deviation = Math.sqrt(Math.max(0.1, 1 - found ** 2) / n);
  const correlation = Math.min(MOST_ALIKE, found + ABOVE_FOUND * deviation);
  return Math.min(n, bySum, n / timesOfSigns(correlation));
}

/**
 * The interval of the median of one launch, for this launch only: order statistics at 1/2 -+ t / (2 sqrt(m)), m the
 * independent repetitions that it is worth. Student's t in place of the normal reach is a reserve for how badly m is
 * known: with the rest of that reserve it makes an interval of 20 independent repetitions 26 % wider than if they were known
 * to be so, of 100 8 %. Where even the extremes of m values would enclose the median less often than `level`, there is none.
 * `npm run bench:coverage` measures it.
 * @param samples in order
 * @throws RangeError for a level outside of 0 to 1, and for a value that is not finite
 */
export function withinLaunchInterval(samples: ArrayLike<number>, level = LEVEL): Interval {
  requireLevel(level);
  const n = samples.length;
  const sorted = sortedCopy(samples);
  const base = { level, n, range: rangeOf(sorted), basis: 'within one launch' as const };
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (n < LEAST_REPETITIONS || first === undefined || last === undefined)
    return { ...base, ci: null, method: `none: ${n} repetitions are too few` };
  if (first === last) return { ...base, ci: { low: first, high: last }, method: 'all repetitions are equal' };
  const worth = worthForMedian(samples, quantileSorted(sorted, 0.5));
  if (worth < leastIndependent(level))
    return {
      ...base,
      ci: null,
      method: `none: ${n} repetitions that depend on each other may be worth no more than ${significant(worth, 2)} independent ones`,
    };
  const reach = reachOf(level, Math.max(1, Math.floor(worth) - 1)) / (2 * Math.sqrt(worth));
  const ci = {
    low: quantileSorted(sorted, Math.max(0, 0.5 - reach)),
    high: quantileSorted(sorted, Math.min(1, 0.5 + reach)),
  };
  return { ...base, ci, method: 'order statistics with the effective sample size' };
}

/**
 * The interval of a median. The launch is the sampling unit: repetitions of one launch share its memory layout and
 * placement, so however many there are, they say nothing of the next launch (Kalibera & Jones 2013).
 */
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { effectiveSampleSize } from './autocorrelation.js';
import { normalReach } from './normal.js';
import { quantileSorted, sortedCopy } from './quantile.js';
import { studentReach } from './student.js';

export const LEVEL = 0.95;

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

/** Fewest repetitions for an interval within a launch. */
const LEAST_REPETITIONS = 6;

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

/**
 * From 6 launches on (at 95 %) interpolated order statistics; 3 to 5: Student's t; two: their range, no interval; one or
 * none: nothing.
 * @param values one for each launch, independent of each other
 * @param scale `linear` for what may lie on both sides of 0: then no logarithms where by chance all are above it
 * @throws RangeError for a level outside of 0 to 1, and for a value that is not finite
 */
export function launchInterval(
  values: ArrayLike<number>,
  level = LEVEL,
  scale: 'logarithmic' | 'linear' = 'logarithmic',
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
    return { ...base, ci: orderStatisticInterval(sorted, chosen), method, basis: 'launches' };
  }
  const logarithmic = scale === 'logarithmic' && (sorted[0] ?? 0) > 0;
  return {
    ...base,
    ci: student(sorted, level, logarithmic),
    method: `Student's t on ${logarithmic ? 'logarithms of ' : ''}launch medians`,
    basis: 'few launches',
  };
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
  return {
    level,
    n,
    range: rangeOf(sorted),
    ci: chosen === null ? null : orderStatisticInterval(sorted, chosen),
    method:
      chosen === null
        ? `none: ${n} launches are too few for order statistics`
        : 'order statistics of launch medians with a reserve for looking after each launch',
    basis: chosen === null ? 'few launches' : 'launches',
  };
}

/**
 * The interval of the median of one launch, for this launch only: order statistics at 1/2 -+ z / (2 sqrt(m)), m the
 * effective sample size of "at or below the median" rather than of the values, because the variance of a quantile of a
 * dependent series is that of this indicator (Heidelberger & Lewis 1984); a few stalls do not hide the memory of the rest.
 * @param samples in order
 * @throws RangeError for a level outside of 0 to 1, and for a value that is not finite
 */
export function withinLaunchInterval(samples: ArrayLike<number>, level = LEVEL): Interval {
  requireLevel(level);
  const n = samples.length;
  const sorted = sortedCopy(samples);
  const base = { level, n, range: rangeOf(sorted), basis: 'within one launch' as const };
  if (n < LEAST_REPETITIONS) return { ...base, ci: null, method: `none: ${n} repetitions are too few` };
  const centre = quantileSorted(sorted, 0.5);
  const indicator = Float64Array.from({ length: n }, (_, i) => ((samples[i] ?? 0) <= centre ? 1 : 0));
  const worth = Math.min(n, effectiveSampleSize(indicator) ?? n);
  const reach = normalReach(level) / (2 * Math.sqrt(worth));
  const ci = {
    low: quantileSorted(sorted, Math.max(0, 0.5 - reach)),
    high: quantileSorted(sorted, Math.min(1, 0.5 + reach)),
  };
  return { ...base, ci, method: 'order statistics with the effective sample size' };
}

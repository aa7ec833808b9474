/**
 * Where a series changes its level for good, or for a while that is long: the clock was lowered, a neighbour came, memory
 * moved. Optimal partitioning (Jackson et al. 2005) of the ranks of block medians: ranks, so that neither tails nor units
 * matter; blocks, so that the cost does not grow with the square of the samples; and a price for each change in units of
 * the long-run variance, so that a series that depends on itself does not look as if it changed.
 */
import { requireFinite } from './finite.js';
import { median, medianInPlace } from './quantile.js';
import { ranksOf } from './ranks.js';

export interface Level {
  /** Index of the first sample, and after the last. */
  readonly from: number;
  readonly to: number;
  /** Median, in the unit of the samples. */
  readonly level: number;
}

const MOST_BLOCKS = 400;
const LEAST_IN_BLOCK = 5;
const LEAST_BLOCKS = 60;
/** Fewest samples in which a change can be told. */
export const LEAST_FOR_LEVELS = LEAST_IN_BLOCK * LEAST_BLOCKS;
/** Of the series: a level that lasts for less is an episode, and others look for those. */
const LEAST_SHARE = 0.05;
const LEAST_BLOCKS_OF_LEVEL = 3;
/**
 * Price of a change, in long-run variances of a block: of steady series, also ones that depend on themselves up to a
 * lag-1 autocorrelation of 0.9, fewer than 1 in 100 are then called changed (test/statistics/false-alarms).
 */
const PRICE = 20;
/** Neighbouring blocks are compared singly, in twos, fours, ... as long as there are so many pairs. */
const LEAST_PAIRS = 10;
/** With few blocks their variance is hardly known: so many of them have twice the price. */
const BLOCKS_OF_DOUBLE_PRICE = 60;
/** Of the price of a change, what a smooth curve costs: where both explain a series, it is the curve. */
const OF_SMOOTH = 0.7;
/** Lengths of a smooth beginning, as shares of the series: time constants of a decay, ends of a slope. */
const BEGINNINGS = [0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33, 0.5, 0.75];
const MAD_OF_NORMAL = 0.6745;

const beginOf = (block: number, blocks: number, n: number): number => Math.floor((block * n) / blocks);

/** prefix[i]: the sum of the first i values. */
function prefixSums(values: Float64Array): Float64Array {
  const prefix = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) prefix[i + 1] = (prefix[i] ?? 0) + (values[i] ?? 0);
  return prefix;
}

/**
 * Long-run variance of one block: from differences of neighbouring means of 1, 2, 4, ... blocks, the largest. Positive
 * dependence shows in the longer ones; the median of the differences' sizes does not see the few that span a change. By a coarse clock
 * most neighbours are equal, and so would the median be 0, and changes free: the mean of their squares sees the others.
 */
function longRunVariance(prefix: Float64Array): number {
  const n = prefix.length - 1;
  let largest = varianceOfNeighbours(prefix);
  for (let width = 1; n / width - 1 >= LEAST_PAIRS; width *= 2) {
    const sumAt = (begin: number): number => (prefix[begin + width] ?? 0) - (prefix[begin] ?? 0);
    const pairs = Math.floor(n / width) - 1;
    const sizes = Float64Array.from({ length: pairs }, (_, i) =>
      Math.abs(sumAt((i + 1) * width) - sumAt(i * width)),
    );
    largest = Math.max(largest, (medianInPlace(sizes) / MAD_OF_NORMAL) ** 2 / (2 * width));
  }
  return largest;
}

/** Half the mean of the squared differences of neighbours. */
function varianceOfNeighbours(prefix: Float64Array): number {
  const values = prefix.subarray(1).map((sum, i) => sum - (prefix[i] ?? 0));
  const squares = values.subarray(1).map((value, i) => (value - (values[i] ?? 0)) ** 2);
  return squares.reduce((sum, square) => sum + square, 0) / (2 * squares.length);
}

interface Partition {
  /** First blocks of the segments after the first. */
  readonly changes: readonly number[];
  /** Squared deviations from the segments' means, and the price of each change. */
  readonly cost: number;
}

/** The least squared deviations from segments' means plus `price` for each change, segments of at least `least` blocks. */
function partition(prefix: Float64Array, sumOfSquares: number, price: number, least: number): Partition {
  const n = prefix.length - 1;
  // Up to the sum of squares, which is the same for all: the gain of a segment is sum² / length.
  const best = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(n + 1);
  best[0] = -price;
  for (let end = least; end <= n; end++) {
    const until = prefix[end] ?? 0;
    for (let begin = 0; begin <= end - least; begin++) {
      const sum = until - (prefix[begin] ?? 0);
      const cost = (best[begin] ?? 0) + price - (sum * sum) / (end - begin);
      if (cost < (best[end] ?? 0)) {
        best[end] = cost;
        from[end] = begin;
      }
    }
  }
  const changes: number[] = [];
  for (let end = from[n] ?? 0; end > 0; end = from[end] ?? 0) changes.unshift(end);
  return { changes, cost: sumOfSquares + (best[n] ?? 0) };
}

/** Squared deviations from the best a + b f(i). */
function costOfCurve(values: Float64Array, curve: (i: number) => number): number {
  const n = values.length;
  let [x, y, xx, xy, yy] = [0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [a, b] = [curve(i), values[i] ?? 0];
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  const [sxx, sxy, syy] = [xx - (x * x) / n, xy - (x * y) / n, yy - (y * y) / n];
  return sxx > 0 ? syy - (sxy * sxy) / sxx : syy;
}

/**
 * What a drift or a warm-up leaves: a staircase would follow it, and must not be taken for steps. A warm-up that stands
 * out of the noise is a slope in ranks, one that does not a decay.
 */
function costOfSmooth(values: Float64Array): number {
  const n = values.length;
  const beginnings = BEGINNINGS.flatMap((share) => [
    costOfCurve(values, (i) => Math.exp(-i / (share * n))),
    costOfCurve(values, (i) => Math.max(0, 1 - i / (share * n))),
  ]);
  return Math.min(
    costOfCurve(values, (i) => i),
    ...beginnings,
  );
}

/**
 * The levels of a series, two or more, in order; empty where it has one, or changes all the time as a drift or a warm-up
 * does, and for fewer than 300 samples, too few to tell. Changes are placed to a block, a four-hundredth of a long series.
 * @param samples in order
 * @throws RangeError for a sample that is not finite
 */
export function levelsOf(samples: ArrayLike<number>): readonly Level[] {
  requireFinite(samples);
  const n = samples.length;
  const blocks = Math.min(MOST_BLOCKS, Math.floor(n / LEAST_IN_BLOCK));
  if (blocks < LEAST_BLOCKS) return [];
  const all = new Float64Array(samples);
  const medians = Float64Array.from({ length: blocks }, (_, i) =>
    medianInPlace(all.subarray(beginOf(i, blocks, n), beginOf(i + 1, blocks, n))),
  );
  const ranks = ranksOf(medians);
  const prefix = prefixSums(ranks);
  const price = PRICE * (1 + BLOCKS_OF_DOUBLE_PRICE / blocks) * longRunVariance(prefix);
  const least = Math.max(LEAST_BLOCKS_OF_LEVEL, Math.ceil(LEAST_SHARE * blocks));
  const sumOfSquares = ranks.reduce((sum, rank) => sum + rank * rank, 0);
  const { changes, cost } = partition(prefix, sumOfSquares, price, least);
  if (changes.length === 0 || cost >= costOfSmooth(ranks) + OF_SMOOTH * price) return [];
  const bounds = [0, ...changes.map((block) => beginOf(block, blocks, n)), n];
  const whole = new Float64Array(samples);
  return bounds.slice(1).map((to, i) => {
    const from = bounds[i] ?? 0;
    return { from, to, level: median(whole.subarray(from, to)) };
  });
}

/** Neighbouring levels that differ by less are no change that anybody would notice. */
const LEAST_STEP = 0.02;

/** Of the series: a first level that ends before is a beginning that was not warm, and `not-steady` names it. */
const BEGINNING = 0.1;

/**
 * The levels of a series of which some neighbours differ by 2 % or more; null where there are none. The first level lasts
 * for a tenth of the series at least: a shorter one counts to the next.
 */
export function steppedLevels(samples: ArrayLike<number>): readonly Level[] | null {
  const found = levelsOf(samples);
  const [first, second, ...rest] = found;
  const isBeginning = first !== undefined && first.to < BEGINNING * samples.length;
  const levels = isBeginning && second !== undefined ? [{ ...second, from: 0 }, ...rest] : found;
  const steps = levels.slice(1).map(({ level }, i) => stepOf(levels[i]?.level ?? level, level));
  const valid = levels.every(({ level }) => level > 0);
  return valid && steps.some((step) => Math.abs(step) >= LEAST_STEP) ? levels : null;
}

/** Of the level after over the level before, less 1; 0 where that is no ratio. */
export const stepOf = (before: number, after: number): number => (before > 0 ? after / before - 1 : 0);

/**
 * Each sample over its level, for what else may be wrong with a series than its steps.
 * @param levels above 0, of these samples
 */
export function withoutLevels(samples: ArrayLike<number>, levels: readonly Level[]): Float64Array {
  const relative = new Float64Array(samples);
  for (const { from, to, level } of levels) {
    for (let i = from; i < to; i++) relative[i] = (relative[i] ?? 0) / level;
  }
  return relative;
}

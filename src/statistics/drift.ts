/**
 * Does a series go anywhere? Theil-Sen slope (Theil 1950, Sen 1968) with its interval, and the Mann-Kendall test, over
 * the medians of at most 100 blocks: blocks take out the noise of single repetitions and most of their autocorrelation, and
 * keep the cost away from n squared. What a block has in common with the next one nonetheless makes both less sure.
 */
import { requireFinite } from './finite.js';
import { withoutTrend } from './monotone.js';
import { median, medianInPlace, quantileInPlace } from './quantile.js';
import { rankCorrelation } from './rank-correlation.js';

export interface Drift {
  /** Slope relative to the median: share of the median per 1,000 repetitions. */
  readonly perThousand: number;
  /** The same over the whole series. */
  readonly overall: number;
  /** 95 % interval of `overall`. */
  readonly overallLow: number;
  readonly overallHigh: number;
  /**
   * By how much what lasts is slower than the beginning: of the median of all, or of the last tenth where that is slower, over the
   * median of the first 25th, less 1. A fall early on leaves no slope, for most pairs lie behind it.
   */
  readonly fade: number;
  /** Mann-Kendall's z, less where neighbouring blocks are alike: beyond ±3 a trend is hardly chance. */
  readonly z: number;
  readonly blocks: number;
}

const MOST_BLOCKS = 100;
const LEAST_BLOCKS = 8;
/** Repetitions. */
export const LEAST_FOR_DRIFT = LEAST_BLOCKS;
/** Neighbours depend on each other: a block has at least this many where that leaves enough blocks. */
const LEAST_IN_BLOCK = 5;
/** Of the blocks, at the beginning and at the end. */
const BEGINNING = 1 / 25;
const END = 1 / 10;
const Z_95 = 1.959963984540054;

function blockMedians(values: ArrayLike<number>): Float64Array {
  const n = values.length;
  const blocks = Math.min(MOST_BLOCKS, Math.max(LEAST_BLOCKS, Math.floor(n / LEAST_IN_BLOCK)));
  const all = new Float64Array(values);
  return Float64Array.from({ length: blocks }, (_, i) =>
    medianInPlace(all.subarray(Math.floor((i * n) / blocks), Math.floor(((i + 1) * n) / blocks))),
  );
}

/** Variance of Kendall's S when there is no trend, with the correction for equal values (Kendall 1975). */
function varianceOfS(values: Float64Array): number {
  const term = (count: number): number => count * (count - 1) * (2 * count + 5);
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let ties = 0;
  for (const count of counts.values()) ties += term(count);
  return (term(values.length) - ties) / 18;
}

/** Blocks more alike than this say nothing of their spread. */
const MOST_ALIKE = 0.95;
/**
 * Of the variance of blocks that have a memory and no trend, the nearest monotone series takes more than this of few of them only: of
 * twenty blocks of repetitions that have 0.9 of the one before in one case of ten, of sixty in none.
 */
const MOST_TAKEN = 0.75;

function variance(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/**
 * By how much the deviation of Kendall's S is larger because neighbouring blocks are alike, for a memory that fades evenly (after
 * Hamed & Rao 1998): of repetitions that have 0.9 of the one before, blocks of five have much in common. The trend is taken out
 * first, or it would pass for a memory and hide itself. So would what a trend leaves that turns for a while: it is as smooth, however
 * little of it there is, and ranks do not tell how much. A memory leaves much, and what leaves little counts for as much less.
 */
function widening(blocks: Float64Array, sign: number): number {
  const rest = withoutTrend(blocks, sign);
  const found = rankCorrelation(rest);
  if (found === null) return 1;
  const left = Math.min(1, variance(rest) / variance(blocks) / (1 - MOST_TAKEN));
  const correlation = Math.min(MOST_ALIKE, Math.max(0, found * left * (1 + 4 / blocks.length)));
  return Math.sqrt((1 + correlation) / (1 - correlation));
}

/**
 * null for fewer than 8 repetitions, or where the median is 0 or so small that nothing is relative to it.
 * @throws RangeError for a value that is not finite
 */
export function drift(values: ArrayLike<number>): Drift | null {
  requireFinite(values);
  if (values.length < LEAST_FOR_DRIFT) return null;
  const blocks = blockMedians(values);
  const n = blocks.length;
  const centre = median(blocks);
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let at = 0;
  let sign = 0;
  for (let i = 0; i < n; i++) {
    const from = blocks[i] as number;
    for (let j = i + 1; j < n; j++) {
      const rise = (blocks[j] as number) - from;
      slopes[at++] = rise / (j - i);
      if (rise > 0) sign++;
      else if (rise < 0) sign--;
    }
  }
  const deviation = Math.sqrt(varianceOfS(blocks)) * widening(blocks, sign);
  // Sen's interval: with C = z sd, the slopes of rank (N - C) / 2 and (N + C) / 2 + 1, counted from 1.
  const share = (rank: number): number => Math.min(1, Math.max(0, rank / Math.max(1, slopes.length - 1)));
  const relative = (place: number): number => (quantileInPlace(slopes, place) / centre) * n;
  const overall = relative(0.5);
  const overallLow = relative(share((slopes.length - Z_95 * deviation) / 2 - 1));
  const overallHigh = relative(share((slopes.length + Z_95 * deviation) / 2));
  const beginning = median(blocks.subarray(0, Math.max(1, Math.round(BEGINNING * n))));
  const end = median(blocks.subarray(n - Math.max(1, Math.round(END * n))));
  const fade = Math.max(centre, end) / beginning - 1;
  if (![overallLow, overall, overallHigh, fade].every(Number.isFinite)) return null;
  return {
    perThousand: (overall / values.length) * 1000,
    overall,
    overallLow,
    overallHigh,
    fade,
    // One step back towards 0: S moves in steps of two (continuity correction).
    z: sign === 0 ? 0 : (sign - Math.sign(sign)) / deviation,
    blocks: n,
  };
}

/**
 * Does a series go anywhere? Theil-Sen slope (Theil 1950, Sen 1968) with its interval, and the Mann-Kendall test, over
 * the medians of at most 200 blocks: blocks take out the noise of single repetitions and their autocorrelation, and
 * keep the cost away from n squared.
 */
import { median, quantileSorted } from './quantile.js';

export interface Drift {
  /** Slope relative to the median: share of the median per 1,000 repetitions. */
  readonly perThousand: number;
  /** The same over the whole series. */
  readonly overall: number;
  /** 95 % interval of `overall`. */
  readonly overallLow: number;
  readonly overallHigh: number;
  /** Mann-Kendall's z: beyond ±3 a trend is hardly chance. */
  readonly z: number;
  readonly blocks: number;
}

const MOST_BLOCKS = 200;
const LEAST_BLOCKS = 8;
const Z_95 = 1.959963984540054;

function blockMedians(values: ArrayLike<number>): Float64Array {
  const blocks = Math.min(MOST_BLOCKS, values.length);
  const all = Float64Array.from(values);
  return Float64Array.from({ length: blocks }, (_, i) =>
    median(all.subarray(Math.floor((i * all.length) / blocks), Math.floor(((i + 1) * all.length) / blocks))),
  );
}

/** null for fewer than 8 repetitions. */
export function drift(values: ArrayLike<number>): Drift | null {
  if (values.length < LEAST_BLOCKS) return null;
  const blocks = blockMedians(values);
  const n = blocks.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let at = 0;
  let sign = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const rise = (blocks[j] ?? 0) - (blocks[i] ?? 0);
      slopes[at++] = rise / (j - i);
      sign += Math.sign(rise);
    }
  }
  slopes.sort();
  const centre = median(blocks);
  // Variance of Kendall's S without ties (Kendall 1975); block medians are seldom equal.
  const variance = (n * (n - 1) * (2 * n + 5)) / 18;
  const z = sign === 0 ? 0 : (sign - Math.sign(sign)) / Math.sqrt(variance);
  // Sen's interval: the order statistics of the slopes at (N -+ z sqrt(var)) / 2.
  const reach = Z_95 * Math.sqrt(variance);
  const share = (rank: number): number => Math.min(1, Math.max(0, rank / Math.max(1, slopes.length - 1)));
  const slope = quantileSorted(slopes, 0.5);
  const low = quantileSorted(slopes, share((slopes.length - reach) / 2));
  const high = quantileSorted(slopes, share((slopes.length + reach) / 2));
  const overall = (value: number): number => (centre === 0 ? 0 : (value * n) / centre);
  return {
    perThousand: (overall(slope) / values.length) * 1000,
    overall: overall(slope),
    overallLow: overall(low),
    overallHigh: overall(high),
    z,
    blocks: n,
  };
}

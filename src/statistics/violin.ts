/** The shape of a distribution: a Gaussian kernel density on a grid, for violin plots, and its modes. */
import { bin } from './bandwidth.js';
import { type Bandwidth, chooseBandwidth, convolve } from './density.js';
import { prominentMaxima } from './modes.js';
import { countWhile, quantileSorted, sortedCopy } from './quantile.js';

export interface Violin {
  /** `log`: density and bandwidth are in natural logarithms of the values; the grid is in values either way. */
  readonly scale: 'linear' | 'log';
  /** Of the density below, in units of the scale. */
  readonly bandwidth: number;
  readonly bandwidthRule: Bandwidth['rule'] | 'none: all values are equal';
  readonly n: number;
  /** Increasing, from the smallest to the largest value shown. */
  readonly grid: readonly number[];
  /**
   * Per unit of the scale, averaged over the grid point's cell, so that a mode narrower than a cell is not missed. By
   * the trapezoid rule it integrates to the share of the samples that is shown. All values equal: one point, 1.
   */
  readonly density: readonly number[];
  /** Samples beyond the grid on either side; they are in the statistics and in the box, not in this picture. */
  readonly beyond: { readonly below: number; readonly above: number };
  /** Where the density has maxima that rise by a tenth of the highest above the valleys beside them. */
  readonly modes: readonly number[];
}

const POINTS = 128;
/** Fine steps to a step of the grid: the density is computed on these, and averaged. */
const FINE = 32;
const LOG_FROM = 3;
const PROMINENCE = 0.1;

/** Integral of the fine density over fine steps `from` to `to`, by the trapezoid rule, in fine steps. */
function integral(fine: Float64Array, from: number, to: number): number {
  let sum = -((fine[from] ?? 0) + (fine[to] ?? 0)) / 2;
  for (let i = from; i <= to; i++) sum += fine[i] ?? 0;
  return sum;
}

/**
 * @param samples finite, at least one, in any order
 * @param shown the share of the samples that the grid spans, symmetric about the median; 1: all of them
 * @throws RangeError for no sample, and for one that is not finite
 */
export function violin(samples: ArrayLike<number>, shown = 1): Violin {
  return violinOfSorted(sortedCopy(samples), shown);
}

/** The same where the samples are finite and in ascending order already. @throws RangeError for none */
export function violinOfSorted(all: Float64Array, shown = 1): Violin {
  const n = all.length;
  if (n === 0) throw new RangeError('no samples to draw a violin of');
  const [from, to] = [quantileSorted(all, (1 - shown) / 2), quantileSorted(all, (1 + shown) / 2)];
  // Of very few samples, a narrow share can lie between two of them.
  const first = Math.min(
    n - 1,
    countWhile(all, (value) => value < from),
  );
  const end = Math.max(
    first + 1,
    countWhile(all, (value) => value <= to),
  );
  const sorted = all.subarray(first, end);
  const beyond = { below: first, above: n - end };
  const [min, max] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const scale = min > 0 && max / min > LOG_FROM ? 'log' : 'linear';
  const transform = scale === 'log' ? Math.log : (x: number): number => x;
  const [low, high] = [transform(min), transform(max)];
  const fineBins = (POINTS - 1) * FINE + 1;
  const fineStep = (high - low) / (fineBins - 1);
  // So close to each other that the grid would not increase: equal, for all that a picture can show.
  if (!(low + fineStep > low && high - fineStep < high)) {
    const bandwidthRule = 'none: all values are equal';
    return {
      scale: 'linear',
      bandwidth: 0,
      bandwidthRule,
      n,
      grid: [min],
      density: [1],
      beyond,
      modes: [min],
    };
  }
  const chosen = chooseBandwidth(sorted, transform);
  const bandwidth = Math.max(chosen.bandwidth, fineStep);
  const fine = convolve(bin(sorted, low, high, fineBins, transform), bandwidth);
  // What the kernel carries beyond the observed range is given back in proportion.
  const unit = sorted.length / n / (integral(fine, 0, fineBins - 1) * fineStep);
  const valueAt = (i: number): number => {
    if (i === 0) return min;
    if (i === fineBins - 1) return max;
    return scale === 'log' ? Math.exp(low + i * fineStep) : low + i * fineStep;
  };
  const cells = Array.from({ length: POINTS }, (_, i) => i * FINE);
  return {
    scale,
    bandwidth,
    bandwidthRule: chosen.rule,
    n,
    grid: cells.map(valueAt),
    density: cells.map((centre) => {
      const [start, end] = [Math.max(0, centre - FINE / 2), Math.min(fineBins - 1, centre + FINE / 2)];
      return (unit * integral(fine, start, end)) / (end - start);
    }),
    beyond,
    modes: prominentMaxima(fine, PROMINENCE).map(valueAt),
  };
}

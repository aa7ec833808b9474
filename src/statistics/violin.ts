/** The shape of a distribution: a Gaussian kernel density on a grid, for violin plots, and its modes. */
import { type Binned, bin, sheatherJones, silverman, spreadOf } from './bandwidth.js';
import { prominentMaxima } from './modes.js';
import { countWhile, quantileSorted, sortedCopy } from './quantile.js';

export interface Violin {
  /** `log`: density and bandwidth are in natural logarithms of the values; the grid is in values either way. */
  readonly scale: 'linear' | 'log';
  /** Of the density below, in units of the scale. */
  readonly bandwidth: number;
  readonly bandwidthRule:
    | 'Sheather-Jones'
    | 'Silverman: Sheather-Jones did not converge'
    | 'Silverman: fewer than 10 different values'
    | 'none: all values are equal';
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
/** The bandwidth is found on the middle of the data, finely: stalls far away would leave it a handful of bins. */
const BINS = 2048;
const MIDDLE = 3;
const LOG_FROM = 3;
const LEAST_DISTINCT = 10;
const PROMINENCE = 0.1;
/** Kernels are cut off here, in bandwidths: 6e-9 of the mass lies beyond. */
const REACH = 6;

interface Bandwidth {
  readonly bandwidth: number;
  readonly rule: Violin['bandwidthRule'];
}

/** Whether there are fewer different values than `most`. */
function fewerThan(most: number, sorted: Float64Array): boolean {
  let distinct = 1;
  for (let i = 1; i < sorted.length && distinct < most; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  return distinct < most;
}

function chooseBandwidth(sorted: Float64Array, transform: (x: number) => number): Bandwidth {
  const quantile = (p: number): number => transform(quantileSorted(sorted, p));
  const [q1, q3, least, most] = [quantile(0.25), quantile(0.75), quantile(0), quantile(1)];
  const iqr = q3 - q1;
  const beyond = iqr > 0 ? MIDDLE * iqr : most - least;
  const [from, to] = [Math.max(least, q1 - beyond), Math.min(most, q3 + beyond)];
  const middle = sorted.subarray(
    countWhile(sorted, (value) => transform(value) < from),
    countWhile(sorted, (value) => transform(value) <= to),
  );
  const binned = bin(middle, from, to, BINS, transform);
  const spread = spreadOf(binned, iqr);
  const ofThumb = silverman(spread, sorted.length);
  if (fewerThan(LEAST_DISTINCT, sorted)) {
    return { bandwidth: ofThumb, rule: 'Silverman: fewer than 10 different values' };
  }
  const solved = sheatherJones(binned, spread);
  return solved === null
    ? { bandwidth: ofThumb, rule: 'Silverman: Sheather-Jones did not converge' }
    : { bandwidth: solved, rule: 'Sheather-Jones' };
}

/** Density at the bins' centres, up to a factor. */
function convolve({ counts, step }: Binned, bandwidth: number): Float64Array {
  const reach = Math.min(counts.length - 1, Math.ceil((REACH * bandwidth) / step));
  const kernel = Float64Array.from({ length: reach + 1 }, (_, lag) =>
    Math.exp(-(((lag * step) / bandwidth) ** 2) / 2),
  );
  const density = new Float64Array(counts.length);
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? 0;
    if (count === 0) continue;
    const [from, to] = [Math.max(0, i - reach), Math.min(counts.length - 1, i + reach)];
    for (let j = from; j <= to; j++) density[j] = (density[j] ?? 0) + count * (kernel[Math.abs(i - j)] ?? 0);
  }
  return density;
}

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

/** The same where the samples are in ascending order already. */
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

/** A Gaussian kernel density on bins: its bandwidth, and the density at the bins' centres. */
import { type Binned, bin, sheatherJones, silverman, spreadOf } from './bandwidth.js';
import { countWhile, quantileSorted } from './quantile.js';

/** The bandwidth is found on the middle of the data, finely: stalls far away would leave it a handful of bins. */
const BINS = 2048;
const MIDDLE = 3;
const LEAST_DISTINCT = 10;
/** Kernels are cut off here, in bandwidths: 6e-9 of the mass lies beyond. */
const REACH = 6;

export interface Bandwidth {
  readonly bandwidth: number;
  readonly rule:
    | 'Sheather-Jones'
    | 'Silverman: Sheather-Jones did not converge'
    | 'Silverman: fewer than 10 different values';
}

/** Whether there are fewer different values than `most`. */
function fewerThan(most: number, sorted: Float64Array): boolean {
  let distinct = 1;
  for (let i = 1; i < sorted.length && distinct < most; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  return distinct < most;
}

/**
 * @param sorted in ascending order
 * @param transform to the scale of the density, increasing
 * @param bins the cost grows with their square
 */
export function chooseBandwidth(
  sorted: Float64Array,
  transform: (x: number) => number,
  bins = BINS,
): Bandwidth {
  const quantile = (p: number): number => transform(quantileSorted(sorted, p));
  const [q1, q3, least, most] = [quantile(0.25), quantile(0.75), quantile(0), quantile(1)];
  const iqr = q3 - q1;
  const beyond = iqr > 0 ? MIDDLE * iqr : most - least;
  const [from, to] = [Math.max(least, q1 - beyond), Math.min(most, q3 + beyond)];
  const middle = sorted.subarray(
    countWhile(sorted, (value) => transform(value) < from),
    countWhile(sorted, (value) => transform(value) <= to),
  );
  const binned = bin(middle, from, to, bins, transform);
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
export function convolve({ counts, step }: Binned, bandwidth: number): Float64Array {
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

/**
 * The shape of a distribution: a Gaussian kernel density on a grid, from binned counts so that ten million samples cost
 * what a thousand do. Bandwidth by Sheather & Jones (1991), which keeps modes that Silverman's rule would smear.
 */
import { quantileSorted, sortedCopy } from './quantile.js';

export interface Violin {
  /** `log`: density and bandwidth are in natural logarithms of the values; the grid is in values either way. */
  readonly scale: 'linear' | 'log';
  readonly bandwidth: number;
  readonly bandwidthRule: 'Sheather-Jones' | 'Silverman' | 'none: all values are equal';
  readonly n: number;
  /** Increasing, from the smallest to the largest value shown. */
  readonly grid: readonly number[];
  /** Per unit of the scale; integrates to the share of the samples that is shown. */
  readonly density: readonly number[];
  /** Samples beyond the grid on either side; they are in the statistics and in the box, not in this picture. */
  readonly beyond: { readonly below: number; readonly above: number };
  /** Maxima that rise by a tenth of the highest above the valleys beside them. */
  readonly modes: readonly number[];
}

const POINTS = 128;
const BINS = 1024;
const LOG_FROM = 3;
const LEAST_DISTINCT = 10;
const PROMINENCE = 0.1;
/** A bandwidth finer than a grid step or wider than the data says nothing. */
const FINEST = 0.5;

interface Binned {
  readonly counts: Float64Array;
  readonly low: number;
  readonly step: number;
  readonly n: number;
}

/** Linear binning: each value is shared between the two nearest bin centres. */
function bin(sorted: Float64Array, low: number, high: number, transform: (x: number) => number): Binned {
  const counts = new Float64Array(BINS);
  const step = (high - low) / (BINS - 1);
  for (const value of sorted) {
    const place = Math.min(BINS - 1, Math.max(0, (transform(value) - low) / step));
    const below = Math.min(BINS - 2, Math.floor(place));
    const share = place - below;
    counts[below] = (counts[below] ?? 0) + 1 - share;
    counts[below + 1] = (counts[below + 1] ?? 0) + share;
  }
  return { counts, low, step, n: sorted.length };
}

/** How many pairs of samples are so many bins apart: all that the functionals below need, computed once. */
function pairCounts({ counts }: Binned): Float64Array {
  const pairs = new Float64Array(BINS);
  for (let i = 0; i < BINS; i++) {
    const own = counts[i] ?? 0;
    if (own === 0) continue;
    for (let j = i; j < BINS; j++) pairs[j - i] = (pairs[j - i] ?? 0) + own * (counts[j] ?? 0) * (i === j ? 1 : 2);
  }
  return pairs;
}

/** Estimate of the integral of f^(r) f with pilot bandwidth g (Wand & Jones 1995, psi_r), r = 4 or 6. */
function psi(pairs: Float64Array, { step, n }: Binned, g: number, r: 4 | 6): number {
  let sum = 0;
  for (let lag = 0; lag < BINS; lag++) {
    const x = (lag * step) / g;
    const x2 = x * x;
    if (x2 > 80) break;
    const hermite = r === 4 ? x2 * x2 - 6 * x2 + 3 : x2 ** 3 - 15 * x2 * x2 + 45 * x2 - 15;
    sum += (pairs[lag] ?? 0) * hermite * Math.exp(-x2 / 2);
  }
  return sum / (Math.sqrt(2 * Math.PI) * n * n * g ** (r + 1));
}

/** Solve-the-equation bandwidth; null when the equation has no root in reach. */
function sheatherJones(binned: Binned, scale: number): number | null {
  const { n, step } = binned;
  const pairs = pairCounts(binned);
  const a = 0.92 * scale * 1.349 * n ** (-1 / 7);
  const b = 0.912 * scale * 1.349 * n ** (-1 / 9);
  const sd = psi(pairs, binned, a, 4);
  const td = -psi(pairs, binned, b, 6);
  if (!(sd > 0) || !(td > 0)) return null;
  const excess = (h: number): number => {
    const pilot = 1.357 * (sd / td) ** (1 / 7) * h ** (5 / 7);
    const curvature = psi(pairs, binned, pilot, 4);
    return curvature > 0 ? (1 / (2 * Math.sqrt(Math.PI) * n * curvature)) ** (1 / 5) - h : Number.NaN;
  };
  let [low, high] = [step * FINEST, scale * 2];
  const [atLow, atHigh] = [excess(low), excess(high)];
  if (!(atLow > 0) || !(atHigh < 0)) return null;
  for (let i = 0; i < 60; i++) {
    const middle = Math.sqrt(low * high);
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** Density at a place, from the binned counts. */
function densityAt({ counts, low, step, n }: Binned, x: number, bandwidth: number): number {
  const reach = 5 * bandwidth;
  const first = Math.max(0, Math.ceil((x - reach - low) / step));
  const last = Math.min(BINS - 1, Math.floor((x + reach - low) / step));
  let sum = 0;
  for (let i = first; i <= last; i++) {
    const z = (x - (low + i * step)) / bandwidth;
    sum += (counts[i] ?? 0) * Math.exp((-z * z) / 2);
  }
  return sum / (n * bandwidth * Math.sqrt(2 * Math.PI));
}

function modesOf(grid: readonly number[], density: readonly number[]): number[] {
  const least = PROMINENCE * Math.max(...density);
  const modes: number[] = [];
  let valley = 0;
  let peak = 0;
  let rising = true;
  density.forEach((value, i) => {
    if (rising) {
      if (value >= (density[peak] ?? 0)) peak = i;
      else if ((density[peak] ?? 0) - value > least && (density[peak] ?? 0) - (density[valley] ?? 0) > least) {
        modes.push(grid[peak] ?? 0);
        rising = false;
        valley = i;
      }
    } else if (value <= (density[valley] ?? 0)) {
      valley = i;
    } else if (value - (density[valley] ?? 0) > least) {
      rising = true;
      peak = i;
    }
  });
  // A maximum at the upper end has no valley behind it.
  if (rising && (density[peak] ?? 0) - (modes.length === 0 ? 0 : (density[valley] ?? 0)) > least) modes.push(grid[peak] ?? 0);
  return modes;
}

/**
 * @param samples positive or not, finite, at least one
 * @param shown the share of the samples that the grid spans, symmetric about the median; 1: all of them
 */
export function violin(samples: ArrayLike<number>, shown = 1): Violin {
  const all = sortedCopy(samples);
  const [from, to] = [quantileSorted(all, (1 - shown) / 2), quantileSorted(all, (1 + shown) / 2)];
  const first = all.findIndex((value) => value >= from);
  const last = all.findLastIndex((value) => value <= to);
  const sorted = all.subarray(first, last + 1);
  const n = all.length;
  const beyond = { below: first, above: n - 1 - last };
  const [min, max] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  if (!(max > min)) {
    const rule = 'none: all values are equal';
    return { scale: 'linear', bandwidth: 0, bandwidthRule: rule, n, grid: [min], density: [1], beyond, modes: [min] };
  }
  const scale = min > 0 && max / min > LOG_FROM ? 'log' : 'linear';
  const transform = scale === 'log' ? Math.log : (x: number): number => x;
  const [low, high] = [transform(min), transform(max)];
  const binned = bin(sorted, low, high, transform);

  const quartile = (p: number): number => transform(quantileSorted(sorted, p));
  const robust = (quartile(0.75) - quartile(0.25)) / 1.349;
  const spread = robust > 0 ? robust : (high - low) / 6;
  const silverman = 0.9 * spread * sorted.length ** (-1 / 5);
  const distinct = binned.counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  const solved = distinct >= LEAST_DISTINCT ? sheatherJones(binned, spread) : null;
  const bandwidth = Math.max(solved ?? silverman, binned.step * FINEST);

  const places = Array.from({ length: POINTS }, (_, i) => low + ((high - low) * i) / (POINTS - 1));
  const grid = places.map((x, i) => (i === 0 ? min : i === POINTS - 1 ? max : scale === 'log' ? Math.exp(x) : x));
  const density = places.map((x) => (densityAt(binned, x, bandwidth) * sorted.length) / n);
  return {
    scale,
    bandwidth,
    bandwidthRule: solved === null ? 'Silverman' : 'Sheather-Jones',
    n,
    grid,
    density,
    beyond,
    modes: modesOf(grid, density),
  };
}

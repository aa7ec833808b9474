/** Whether a series has several usual values: modes of its density with a valley between them that chance does not dig. */
import { randomBits, uniformOf } from '../random.js';
import { effectiveSampleSize } from './autocorrelation.js';
import { bin } from './bandwidth.js';
import { chooseBandwidth, convolve } from './density.js';
import { requireFinite } from './finite.js';
import { prominentMaxima } from './modes.js';
import { quantileSorted } from './quantile.js';

export interface Mode {
  /** In the unit of the samples. */
  readonly place: number;
  /** Of the samples, between the valleys beside it. */
  readonly share: number;
}

/** Fewest samples in which modes can be told. */
export const LEAST_FOR_MODES = 100;
/** So many values, one from each stretch of the series, stand for all. */
const MOST_LOOKED_AT = 4096;
const SEED = 1991;
/** Beyond these quantiles a few stalls would take all bins. */
const SHOWN = [0.01, 0.99] as const;
const BINS = 1024;
const BANDWIDTH_BINS = 512;
const PROMINENCE = 0.02;
/** The density in a valley over that of the lower peak beside it. */
const DEEPEST_RIDGE = 0.6;
const LEAST_SHARE = 0.05;
/** Places of neighbouring modes differ by so much: closer ones are of no consequence. */
const LEAST_DISTANCE = 0.02;
/** Standard errors between what lies about the lower peak and about the valley. */
const LEAST_ERRORS = 3.5;
/** Width of a box with the variance that a Gaussian kernel's estimate has, in bandwidths. */
const KERNEL_WIDTH = 2 * Math.sqrt(Math.PI);

/** A random one from each stretch: every second or fourth would miss what alternates. */
function lookedAt(samples: ArrayLike<number>): Float64Array {
  const n = samples.length;
  if (n <= MOST_LOOKED_AT) return new Float64Array(samples);
  const uniform = uniformOf(randomBits(SEED));
  return Float64Array.from(
    { length: MOST_LOOKED_AT },
    (_, i) => samples[Math.floor(((i + uniform()) * n) / MOST_LOOKED_AT)] ?? 0,
  );
}

interface Peak {
  readonly at: number;
  /** Bins of the valleys to its sides; the ends of the density for the first and the last. */
  readonly from: number;
  readonly to: number;
}

function lowestBetween(density: Float64Array, from: number, to: number): number {
  let lowest = from;
  for (let i = from; i <= to; i++) if ((density[i] ?? 0) < (density[lowest] ?? 0)) lowest = i;
  return lowest;
}

function peaksAt(density: Float64Array, maxima: readonly number[]): Peak[] {
  const valleys = maxima.slice(1).map((next, i) => lowestBetween(density, maxima[i] ?? 0, next));
  return maxima.map((at, i) => ({ at, from: valleys[i - 1] ?? 0, to: valleys[i] ?? density.length - 1 }));
}

const massOf = (density: Float64Array, { from, to }: Peak): number =>
  density.subarray(from, to).reduce((sum, value) => sum + value, 0);

/** Drops the weaker of two neighbours that `apart` does not hold for, and the peaks of too little mass, until all stand. */
function standing(
  density: Float64Array,
  maxima: readonly number[],
  apart: (a: number, b: number, valley: number) => boolean,
): readonly Peak[] {
  const all = density.reduce((sum, value) => sum + value, 0);
  let kept = [...maxima];
  for (;;) {
    const peaks = peaksAt(density, kept);
    const small = peaks.find((peak) => massOf(density, peak) < LEAST_SHARE * all);
    const joined = peaks.findIndex((peak, i) => i > 0 && !apart(peaks[i - 1]?.at ?? 0, peak.at, peak.from));
    if (peaks.length < 2 || (small === undefined && joined < 0)) return peaks;
    const [a, b] = [kept[joined - 1] ?? 0, kept[joined] ?? 0];
    const dropped = small?.at ?? ((density[a] ?? 0) < (density[b] ?? 0) ? a : b);
    kept = kept.filter((at) => at !== dropped);
  }
}

/**
 * The modes of a series of positive values, by place; one (or none) where it has no more than one that stands out. The
 * density is that of logarithms at the bandwidth of Sheather & Jones (1991).
 * @param samples in order: how much they depend on each other decides how much a valley says
 * @param resolution values differ by chance of the clock by so much; 0 where they are exact
 * @throws RangeError for a sample that is not finite
 */
export function modesOf(samples: ArrayLike<number>, resolution = 0): readonly Mode[] {
  requireFinite(samples);
  if (samples.length < LEAST_FOR_MODES) return [];
  const sorted = lookedAt(samples).sort();
  const n = sorted.length;
  const [first, last] = SHOWN.map((p) => quantileSorted(sorted, p)) as [number, number];
  if (!(first > 0) || !(Math.log(last) - Math.log(first) >= LEAST_DISTANCE)) return [];
  const { bandwidth } = chooseBandwidth(sorted, Math.log, BANDWIDTH_BINS);
  const [low, high] = [Math.log(first), Math.log(last)];
  const middle = sorted.filter((value) => value >= first && value <= last);
  const binned = bin(middle, low, high, BINS, Math.log);
  const width = Math.max(bandwidth, binned.step, resolution / quantileSorted(sorted, 0.5));
  const density = convolve(binned, width);
  const maxima = prominentMaxima(density, PROMINENCE);
  if (maxima.length < 2) return [];
  const valueAt = (i: number): number => Math.exp(low + i * binned.step);
  const mass = density.reduce((sum, value) => sum + value, 0);
  // Values that repeat each other are worth fewer.
  const worth = (n / samples.length) * Math.min(samples.length, effectiveSampleSize(samples) ?? n);
  const countAt = (i: number): number =>
    (worth * (density[i] ?? 0) * KERNEL_WIDTH * width) / (mass * binned.step);
  const apart = (a: number, b: number, valley: number): boolean => {
    const [ofPeak, ofValley] = [Math.min(countAt(a), countAt(b)), countAt(valley)];
    return (
      ofValley <= DEEPEST_RIDGE * ofPeak &&
      ofPeak - ofValley >= LEAST_ERRORS * Math.sqrt(ofPeak + ofValley) &&
      valueAt(b) / valueAt(a) >= 1 + LEAST_DISTANCE &&
      valueAt(b) - valueAt(a) >= 3 * resolution
    );
  };
  return standing(density, maxima, apart).map((peak) => ({
    place: valueAt(peak.at),
    share: massOf(density, peak) / mass,
  }));
}

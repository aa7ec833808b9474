/**
 * Finds the plateaus of a falling curve over a logarithmic axis, such as the rate of reading over the working set: each
 * plateau is a cache, and where it ends the cache is full. Pure.
 *
 * The logarithm of y is taken for piecewise constant. The best segmentation for a cost of absolute deviations (robust
 * to single outliers) and a price for each segment is found exactly, by dynamic programming (the optimal partitioning
 * of Jackson et al. 2005, with medians for means). Short segments between long ones are the way down, not plateaus.
 */
import { median } from './quantile.js';

export type Point = readonly [x: number, y: number];

export interface Plateau {
  /** The first and the last x that belong to it. */
  readonly from: number;
  readonly to: number;
  /** The median of y. */
  readonly level: number;
  /** The first x at which y is nearer to the next plateau's level, on a logarithmic scale; null for the last. */
  readonly leftBy: number | null;
}

/** In units of the noise: two segments must explain the points better by so much to be worth more than one. */
const PRICE = 5;
/** Noise of log y that is assumed at least and believed at most. */
const LEAST_NOISE = 0.01;
const MOST_NOISE = 0.1;
/** A plateau between others has at least so many points; the first and the last may be cut off by the sweep's ends. */
const LEAST_POINTS = 3;
/** Plateaus whose logarithms differ by less are one: the noise of a shared machine makes steps like these. */
const LEAST_STEP = 0.06;
/** A single point at an end of the sweep must differ by so much: it may be an outlier. */
const LEAST_STEP_OF_ONE = Math.log(1.5);
/** The median of |x| of a normal distribution with standard deviation 1. */
const MAD_OF_NORMAL = 0.6745;

interface Segment {
  readonly first: number;
  readonly last: number;
  readonly level: number;
}

/** Medians of three neighbours: a single outlier is gone, a step stays where it is (Tukey 1977). */
function smoothed(values: readonly number[]): readonly number[] {
  return values.map((value, i) => {
    const [before, after] = [values[i - 1], values[i + 1]];
    return before === undefined || after === undefined ? value : median([before, value, after]);
  });
}

/** From the differences of neighbours: steps are few among them. */
function noiseOf(values: readonly number[]): number {
  const differences = values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)));
  if (differences.length === 0) return LEAST_NOISE;
  const noise = median(differences) / MAD_OF_NORMAL / Math.SQRT2;
  return Math.min(MOST_NOISE, Math.max(LEAST_NOISE, noise));
}

function segmentsOf(values: readonly number[], price: number): readonly Segment[] {
  // best[i]: the least cost of the first i values; from[i]: where the last segment of that solution begins.
  const best = [0];
  const from = [0];
  for (let end = 1; end <= values.length; end++) {
    best[end] = Number.POSITIVE_INFINITY;
    for (let begin = 0; begin < end; begin++) {
      const part = values.slice(begin, end);
      const level = median(part);
      const cost = (best[begin] ?? 0) + price + part.reduce((sum, value) => sum + Math.abs(value - level), 0);
      if (cost < (best[end] ?? 0)) {
        best[end] = cost;
        from[end] = begin;
      }
    }
  }
  const segments: Segment[] = [];
  for (let end = values.length; end > 0; end = from[end] ?? 0) {
    const first = from[end] ?? 0;
    segments.unshift({ first, last: end - 1, level: median(values.slice(first, end)) });
  }
  return segments;
}

function isPlateau({ first, last }: Segment, count: number): boolean {
  const atEnd = first === 0 || last === count - 1;
  return atEnd || last - first + 1 >= LEAST_POINTS;
}

function isStep(above: Segment, below: Segment): boolean {
  const single = above.first === above.last || below.first === below.last;
  return above.level - below.level >= (single ? LEAST_STEP_OF_ONE : LEAST_STEP);
}

/** Neighbours that are no step down apart become one: noise, or a rise, which no cache makes. */
function merged(segments: readonly Segment[], values: readonly number[]): readonly Segment[] {
  const kept: Segment[] = [];
  for (const segment of segments) {
    let next = segment;
    for (let before = kept.at(-1); before !== undefined; before = kept.at(-1)) {
      if (isStep(before, next)) break;
      kept.pop();
      next = {
        first: before.first,
        last: next.last,
        level: median(values.slice(before.first, next.last + 1)),
      };
    }
    kept.push(next);
  }
  return kept;
}

/** @param points by x; x and y positive. Returns the plateaus from left to right, each lower than the one before. */
export function findPlateaus(points: readonly Point[]): readonly Plateau[] {
  const values = smoothed(points.map(([, y]) => Math.log(y)));
  const segments = segmentsOf(values, PRICE * noiseOf(values));
  const plateaus = segments.filter((segment) => isPlateau(segment, values.length));
  const x = (i: number): number => points[i]?.[0] ?? 0;
  return merged(plateaus, values).map(({ first, last, level }, i, all) => {
    const next = all[i + 1];
    const half = next === undefined ? null : (level + next.level) / 2;
    const left = half === null ? -1 : values.findIndex((value, at) => at > last && value < half);
    return {
      from: x(first),
      to: x(last),
      level: Math.exp(level),
      leftBy: next === undefined ? null : x(left < 0 ? next.first : left),
    };
  });
}

/**
 * How far healthy nodes lie from the middle of their fleet, where that is further than normal values do. The half of the fleet
 * that is better than the middle tells: no defect makes a node faster. Student's t is fitted to it by maximum likelihood,
 * weights in turns (Lange, Little & Taylor 1989), and taken where it fits better than the normal distribution does: the
 * likelihood ratio at the boundary of the parameter, half of which is chi-squared of one degree (Self & Liang 1987). It says
 * nothing of a fleet whose healthy nodes are slow more often than fast. Pure.
 */
import { gammaln } from 'simple-statistics';
import { sortInPlace } from '../statistics/sort.js';
import { studentReach } from '../statistics/student.js';

/** Differences from the middle as `scale` times Student's t, in robust standard deviations of their KPI. */
export interface Tail {
  readonly degrees: number;
  readonly scale: number;
}

/** Of a KPI with fewer nodes the robust deviation is itself so uncertain that what is divided by it has heavy tails. */
export const LEAST_FOR_TAIL = 50;
/** Values that are fitted: evenly chosen from the sorted ones where there are more. */
const MOST_FITTED = 10_000;
export const LEAST_FITTED = 100;
const DEGREES = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30] as const;
const ROUNDS = 30;
/** Twice the logarithm of the likelihood ratio that normal values pass in 1 of 100 fleets: chi-squared of one degree at 0.98. */
const HEAVIER = 5.412;
/** What the likelihood may lose from its most: the lower end of an interval of 95 %. */
const WITHIN = 1.353;

interface Fit extends Tail {
  readonly likelihood: number;
}

/** Up to the constant that all fits have in common. */
function fitNormal(squares: Float64Array): Fit {
  const variance = squares.reduce((sum, square) => sum + square, 0) / squares.length;
  const each = -0.5 * Math.log(2 * Math.PI * variance) - 0.5;
  return { degrees: Number.POSITIVE_INFINITY, scale: Math.sqrt(variance), likelihood: squares.length * each };
}

/** @param start a scale to begin with */
function fitStudent(squares: Float64Array, degrees: number, start: number): Fit {
  let variance = start ** 2;
  for (let turn = 0; turn < ROUNDS; turn++) {
    let sum = 0;
    for (let i = 0; i < squares.length; i++) {
      const square = squares[i] as number;
      sum += ((degrees + 1) * square) / (degrees + square / variance);
    }
    variance = sum / squares.length;
  }
  const constant =
    gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * Math.log(Math.PI * degrees * variance);
  let logs = 0;
  for (let i = 0; i < squares.length; i++) logs += Math.log1p((squares[i] as number) / (degrees * variance));
  return {
    degrees,
    scale: Math.sqrt(variance),
    likelihood: squares.length * constant - ((degrees + 1) / 2) * logs,
  };
}

function evenly(sorted: Float64Array): Float64Array {
  if (sorted.length <= MOST_FITTED) return sorted;
  const step = sorted.length / MOST_FITTED;
  return Float64Array.from({ length: MOST_FITTED }, (_, i) => sorted[Math.floor((i + 0.5) * step)] as number);
}

/**
 * @param better how far the nodes of the better half lie from the middle, in robust standard deviations, of all KPIs together
 * @returns the heaviest tail that these do not speak against; null: they are not known to differ from normal ones
 */
export function tailOf(better: Float64Array): Tail | null {
  const sorted = sortInPlace(better.filter((value) => value > 0));
  if (sorted.length < LEAST_FITTED) return null;
  const squares = evenly(sorted).map((value) => value * value);
  const normal = fitNormal(squares);
  const fits: Fit[] = [];
  for (const degrees of DEGREES) fits.push(fitStudent(squares, degrees, fits.at(-1)?.scale ?? normal.scale));
  const most = Math.max(...fits.map(({ likelihood }) => likelihood));
  if (2 * (most - normal.likelihood) <= HEAVIER) return null;
  const first = fits.find(({ likelihood }) => likelihood >= most - WITHIN);
  return first === undefined ? null : { degrees: first.degrees, scale: first.scale };
}

/** Robust standard deviations that a healthy node goes beyond, to one side, with that probability. */
export const reachOfTail = ({ degrees, scale }: Tail, level: number): number =>
  scale * studentReach(1 - 2 * level, degrees);

/**
 * Whether launches that followed each other resemble each other more than chance allows: neighbours in time share the
 * machine's mood, and an interval that takes their medians for independent claims too much.
 */
import { randomBits, shuffle } from '../random.js';
import { lag1 } from './autocorrelation.js';
import { ranksOf } from './ranks.js';

export interface LaunchDependence {
  readonly launches: number;
  /** Autocorrelation of neighbouring launch medians. */
  readonly lag1: number;
  /** Mean squared difference of neighbouring ranks over their variance (Bartels 1982): 2 by chance, less when alike. */
  readonly vonNeumannRatio: number;
  /** How often a random order of the same launches has a ratio so small: one-sided. */
  readonly p: number;
}

/** Fewer orders than 720 say little. */
export const LEAST_LAUNCHES = 6;
const DRAWS = 1999;
const SEED = 1941;

function squaredDifferences(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 1; i < values.length; i++) sum += ((values[i] ?? 0) - (values[i - 1] ?? 0)) ** 2;
  return sum;
}

/**
 * The rank version of von Neumann's ratio, its distribution by random orders: exact whatever shape launches have, where a
 * test of the autocorrelation itself assumes normal ones and is misled by a single launch far off.
 * @param launchMedians in the order of time
 * @returns null for fewer than 6 launches, and for equal ones
 * @throws RangeError for a median that is not finite
 */
export function launchDependence(launchMedians: ArrayLike<number>): LaunchDependence | null {
  const launches = launchMedians.length;
  const correlation = lag1(launchMedians);
  if (launches < LEAST_LAUNCHES || correlation === null) return null;
  const ranks = ranksOf(new Float64Array(launchMedians));
  const variance = ranks.reduce((sum, rank) => sum + rank * rank, 0);
  const observed = squaredDifferences(ranks);
  const bits = randomBits(SEED);
  let smaller = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    shuffle(ranks, bits);
    // Orders with the same differences differ by rounding only.
    if (squaredDifferences(ranks) <= observed * (1 + 1e-12)) smaller++;
  }
  return {
    launches,
    lag1: correlation,
    vonNeumannRatio: observed / variance,
    p: (smaller + 1) / (DRAWS + 1),
  };
}

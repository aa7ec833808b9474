/**
 * Whether launches that followed each other resemble each other more than chance allows: neighbours in time share the
 * machine's mood, and an interval that takes their medians for independent claims too much.
 */
import { randomBits, shuffle } from '../random.js';
import { lag1 } from './autocorrelation.js';
import { rankCorrelation, squaredDifferences } from './rank-correlation.js';
import { ranksOf } from './ranks.js';

export interface LaunchDependence {
  readonly launches: number;
  /** Autocorrelation of neighbouring launch medians themselves, which a single one far off decides. */
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

/** Standard deviations of the ratio from which on launches are taken to be alike: one order in four is as far. */
const ALIKE_Z = 0.6745;
/** Launches more alike than this say nothing of their spread. */
const MOST_ALIKE = 0.95;

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

export interface Alikeness {
  /** Of neighbours' ranks, its bias in short series taken out; 0 where they do not seem alike. */
  readonly correlation: number;
  /** How many independent launches they are worth, at least one. */
  readonly worth: number;
  /** By which an interval for independent ones has to be wider. */
  readonly widening: number;
}

/**
 * How much an interval is too narrow because neighbouring launches are alike; cheap enough to be asked after every launch.
 * By the deviation of their ranks' correlation (Bartels 1982) launches are taken for independent unless chance makes them so alike in fewer than one case in
 * four. More certainty would come too late: it needs dozens of launches, and there are eight.
 * @param launchMedians in the order of time
 * @throws RangeError for a median that is not finite
 */
export function alikeness(launchMedians: ArrayLike<number>): Alikeness {
  const k = launchMedians.length;
  const independent = { correlation: 0, worth: k, widening: 1 };
  if (k < LEAST_LAUNCHES) return independent;
  const found = rankCorrelation(launchMedians);
  if (found === null) return independent;
  const ofRatio = (4 * (k - 2) * (5 * k * k - 2 * k - 9)) / (5 * k * (k + 1) * (k - 1) ** 2);
  if ((2 * found) / Math.sqrt(ofRatio) < ALIKE_Z) return independent;
  const correlation = Math.min(MOST_ALIKE, found * (1 + 3 / k));
  const times = (1 + correlation) / (1 - correlation);
  return { correlation, worth: Math.max(1, k / times), widening: Math.sqrt(times) };
}

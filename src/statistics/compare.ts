/**
 * Whether one batch is faster than another, as far as their launches can tell.
 *
 * Two questions are asked, each with its own risk of 5 %. Is there a difference: the test of no shift. Is the difference
 * smaller than the margin: two one-sided tests (Schuirmann 1987), which is that the 90 % interval lies inside of the margin.
 * Both can be so, with many launches and a small sure difference: then it is called the same, because who gives a margin says
 * that less does not matter. Where neither is so the answer is that the launches cannot tell, never that there is none.
 */
import { LEVEL } from './interval.js';
import { atMost } from './mann-whitney.js';
import { normalReach } from './normal.js';
import { LEAST_ROUNDS, pairedShift } from './paired-shift.js';
import { launchDeviation } from './scale.js';
import { hasNoWidth, LEAST_FOR_RANKS, type Range, type Shift, shiftBetween, untold } from './shift.js';
import { signedRankAtMost } from './signed-ranks.js';

export type Verdict = 'faster' | 'slower' | 'same' | 'cannot tell';

export interface Comparison {
  /** Rate of the candidate over that of the reference: above 1 it is faster. */
  readonly ratio: number;
  /** Of the ratio, at `LEVEL`, what was spent on looking counted; null where the launches allow none, or but few do not tie. */
  readonly interval: Range | null;
  /** At 1 - 2 (1 - LEVEL), likewise: two one-sided tests read it. */
  readonly equivalence: Range | null;
  /** Two-sided, of no difference, what was spent on looking counted. */
  readonly p: number;
  readonly method: string;
  /** For the reference and the candidate. */
  readonly launches: readonly [number, number];
  /**
   * Launches on each side after which a difference, or none, would be told in 9 of 10 comparisons: more than there are where
   * these cannot tell. null: not known, as of launches of which all but a few tie.
   */
  readonly launchesToSettle: number | null;
}

export const RISK = 1 - LEVEL;
/**
 * What is shown to differ by less passes for the same. A tighter margin takes launches by its square; this one is shown in some
 * tens of them where they spread by 3 %, and is clear of the 3 % that a comparison is to find (docs/score.md).
 */
export const DEFAULT_MARGIN = 0.02;

/** How the launches of the two came about. */
export interface Design {
  /** The i-th launches of both were side by side: rounds of one campaign. */
  readonly rounds: boolean;
  /** Their number was decided by looking at the comparison (src/statistics/settling.ts). */
  readonly looked: boolean;
  /** Among how many a difference has to hold, as `launchesToSettle` counts on it; absent: it is the only one. */
  readonly comparisons?: number;
}

const FIXED: Design = { rounds: false, looked: false };

/**
 * Of its risk, what each look may spend that could have ended the comparison, so that all together keep to it: about a quarter
 * for eight looks (Pocock 1977), and a little less, because later looks see half as much again and not the same once more.
 * `npm run bench:compare` measures what remains.
 */
const OF_A_LOOK = 0.2;

/** How often a comparison of the recommended size settles. */
const POWER = 0.9;
/** Launches that ranks need more than Student's t to tell normal values apart: its efficiency is 3 / pi. */
const OF_RANKS = Math.PI / 3;
/** Fewer than this make no test that one would plan for. */
const LEAST_PLANNED = LEAST_FOR_RANKS;
/** Nobody measures more; a difference that needs them is at the margin itself. */
const MOST_PLANNED = 100_000;

function requireMargin(margin: number): void {
  if (!(margin > 0 && margin < 1)) throw new RangeError(`a margin is between 0 and 1, not ${margin}`);
}

/** Of the logarithms of one batch. */
const spreadOf = (values: ArrayLike<number>): number => launchDeviation(Float64Array.from(values, Math.log));

/** The smallest p that so many launches of each can come to; as many in one campaign are rounds, which are paired. */
const leastP = (launches: number): number =>
  2 * (launches < LEAST_ROUNDS ? atMost(0, launches, launches) : signedRankAtMost(0, launches));

/** So many launches, or as many more as it takes that they could tell any difference. */
function telling(launches: number, risk: number): number {
  let count = Math.max(LEAST_PLANNED, launches);
  while (leastP(count) > risk) count++;
  return count;
}

/** Fewest launches of each that can tell a difference among so many comparisons. */
export const leastLaunches = (comparisons: number): number => telling(LEAST_PLANNED, RISK / comparisons);

/**
 * Launches on each side that settle with `POWER`, were the ratio what it seems to be: either the difference is found, or it is
 * shown to be smaller than the margin, whatever takes fewer. Normal approximation, with what ranks cost. A difference has to hold
 * among all comparisons, the first of Holm's steps; that one is smaller than the margin is not corrected for them.
 */
function launchesFor(
  estimate: number,
  variance: number,
  margin: number,
  risk: number,
  comparisons: number,
): number {
  const distance = Math.abs(estimate);
  const power = normalReach(2 * POWER - 1);
  const found = (normalReach(1 - risk / comparisons) + power) / distance;
  const inside = Math.log1p(margin) - distance;
  // Both sides of the margin are near where the ratio is 1: each may miss with half of what is left.
  const missed = distance < inside / 2 ? normalReach(POWER) : power;
  const excluded = inside > 0 ? (normalReach(1 - 2 * risk) + missed) / inside : Number.POSITIVE_INFINITY;
  const launchesOf = (reach: number): number =>
    Number.isFinite(reach)
      ? Math.min(MOST_PLANNED, Math.ceil(OF_RANKS * variance * reach ** 2))
      : MOST_PLANNED;
  const toFind = telling(launchesOf(found), risk / comparisons);
  return Math.max(LEAST_PLANNED, Math.min(toFind, launchesOf(excluded)));
}

const ratioOf = ({ low, high }: Range): Range => ({ low: Math.exp(-high), high: Math.exp(-low) });

function rangeAt({ interval }: Shift, level: number): Range | null {
  return interval === null ? null : ratioOf(interval(level));
}

const HARDLY_ANY_SPREAD =
  'none: launches, or in rounds their ratios, of which most do not differ, as where they tie at the step of the clock, do not tell how far they spread';

/**
 * Where all but a few launches tie at the step of the clock, the interval has no width: taken for an exact ratio it would lie inside
 * of any margin, or show any difference. They tell no more than launches that all tie.
 * @param level of the narrowest interval that is read
 */
function unlessTied(shift: Shift, level: number): Shift {
  const narrowest = rangeAt(shift, level);
  return narrowest !== null && hasNoWidth(narrowest) ? untold(shift.estimate, HARDLY_ANY_SPREAD) : shift;
}

/** Of the logarithm of the ratio of one launch of each, of which there are at least two. */
function varianceOfRatio(
  reference: ArrayLike<number>,
  candidate: ArrayLike<number>,
  paired: boolean,
): number {
  if (!paired) return spreadOf(reference) ** 2 + spreadOf(candidate) ** 2;
  return spreadOf(Float64Array.from(candidate, (value, i) => value / (reference[i] ?? 1))) ** 2;
}

/** The same that the width of the interval stands for. */
function varianceOfWidth(estimate: number, { low, high }: Range, launches: number, risk: number): number {
  const reach = Math.max(high - estimate, estimate - low) / normalReach(1 - risk);
  return (launches * reach ** 2) / OF_RANKS;
}

/**
 * @param reference elapsed seconds of one repetition, one for each launch; `candidate` the same of the other
 * @param margin the ratio 1 + margin, and its inverse, still count as the same
 * @param design with `rounds` both have as many launches, in the order of the rounds; of fewer than 10 they are not paired
 * @throws RangeError for a batch without launches, a median that is not above 0, a margin outside of 0 to 1, or rounds that
 *   are not of two
 */
export function compareLaunches(
  reference: ArrayLike<number>,
  candidate: ArrayLike<number>,
  margin = DEFAULT_MARGIN,
  { rounds, looked, comparisons = 1 }: Design = FIXED,
): Comparison {
  requireMargin(margin);
  const paired = rounds && reference.length >= LEAST_ROUNDS;
  const share = looked ? OF_A_LOOK : 1;
  const risk = RISK * share;
  const shiftOf = paired ? pairedShift : shiftBetween;
  const shift = unlessTied(shiftOf(reference, candidate), 1 - 2 * risk);
  const found = {
    ratio: Math.exp(-shift.estimate),
    interval: rangeAt(shift, 1 - risk),
    equivalence: rangeAt(shift, 1 - 2 * risk),
    p: Math.min(1, shift.p / share),
    method: looked ? `${shift.method}, with a reserve for looking on the way` : shift.method,
    launches: [reference.length, candidate.length],
  } as const;
  const launchesToSettle = (): number | null => {
    const { estimate, interval } = shift;
    if (interval === null) return null;
    const settling = (variance: number): number => launchesFor(estimate, variance, margin, risk, comparisons);
    const planned = settling(varianceOfRatio(reference, candidate, paired));
    const fewest = Math.min(reference.length, candidate.length);
    const told = verdictOf(found, Math.min(1, found.p * comparisons), margin) !== 'cannot tell';
    if (told || planned > fewest) return planned;
    // So many were measured, and did not: they spread further than they seem to, as the width of their interval says.
    return Math.max(fewest + 1, settling(varianceOfWidth(estimate, interval(1 - risk), fewest, risk)));
  };
  return { ...found, launchesToSettle: launchesToSettle() };
}

/**
 * @param p of the comparison, or what a correction for several made of it
 * @param margin as the comparison was made with
 */
export function verdictOf(
  { ratio, equivalence }: Pick<Comparison, 'ratio' | 'equivalence'>,
  p: number,
  margin = DEFAULT_MARGIN,
): Verdict {
  requireMargin(margin);
  if (equivalence !== null && equivalence.low >= 1 / (1 + margin) && equivalence.high <= 1 + margin) {
    return 'same';
  }
  if (p > RISK || ratio === 1) return 'cannot tell';
  return ratio > 1 ? 'faster' : 'slower';
}

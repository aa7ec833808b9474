/**
 * When enough launches were measured to say whether one batch is as fast as another: looks on the way, as group-sequential
 * trials have them (Pocock 1977), because nobody knows beforehand how far launches will spread. Every look spends of the same
 * risk, and `compareLaunches` with `looked` counts what they spend.
 */
import { type Comparison, compareLaunches, verdictOf } from './compare.js';

/** Fewer rounds settle nothing. */
export const LEAST_ROUNDS = 10;

/** Rounds after which a comparison is looked at: half as many again each time, so that eight looks go a long way. */
const LOOKS = [LEAST_ROUNDS, 14, 20, 28, 40, 56, 80, 112];

/** A comparison that has not ended by then lies at its margin, or the machine is too noisy for it. */
export const MOST_ROUNDS = 112;

/** Whether a comparison of at most so many rounds is looked at after this one. */
export const isLook = (rounds: number, most: number): boolean => LOOKS.includes(rounds) || rounds === most;

/** After how many rounds the next look is. */
export const nextLook = (rounds: number, most: number): number =>
  Math.min(most, LOOKS.find((look) => look > rounds) ?? most);

export interface Settled {
  readonly comparison: Comparison;
  readonly verdict: ReturnType<typeof verdictOf>;
}

/** Whether what the two seem to differ by matters: it lies outside of the margin. */
const matters = (ratio: number, margin: number): boolean => Math.abs(Math.log(ratio)) > Math.log1p(margin);

/**
 * A difference that seems to lie inside of the margin does not end the looking, however sure it is that there is one: more rounds
 * show either that it matters or that it is the same. Ended there, a look taken by chance would be called a difference that who gave
 * the margin does not ask for. After the last round nothing more can be learnt, and the answer is what `verdictOf` makes of it.
 * @param reference launch medians in the order of the rounds; `candidate` those of the same rounds
 * @param comparisons that the campaign settles: a difference has to hold among all of them (Bonferroni; the table that is
 *   made of them in the end corrects these among themselves by Holm's steps, which are never stricter)
 * @returns the answer; null where these launches cannot tell
 */
export function settled(
  reference: ArrayLike<number>,
  candidate: ArrayLike<number>,
  margin: number,
  comparisons: number,
): Settled | null {
  if (Math.min(reference.length, candidate.length) < LEAST_ROUNDS) return null;
  const comparison = compareLaunches(reference, candidate, margin, { rounds: true, looked: true });
  const verdict = verdictOf(comparison, Math.min(1, comparison.p * comparisons), margin);
  if (verdict === 'cannot tell') return null;
  return verdict === 'same' || matters(comparison.ratio, margin) ? { comparison, verdict } : null;
}

/** Every circumstance that comparisons and scores look at: one that is in this list is told by both. Pure. */
import { BUILD } from './builds.js';
import { type Circumstance, noteOn, pairTexts, type TextPair } from './circumstance.js';
import { ENVIRONMENT } from './environments.js';
import { GPU } from './gpus.js';
import { HUGE_PAGES } from './huge-pages.js';
import { REPETITIONS, WARM_UP } from './manner.js';
import { type Entry, isOfStack, type MatchedCase, type Side } from './sides.js';
import { STACK } from './stacks.js';

const ALL: readonly Circumstance[] = [STACK, ENVIRONMENT, GPU, BUILD, HUGE_PAGES, WARM_UP, REPETITIONS];

/** By which an exploration tells its stacks apart (src/cli/candidate-batches.ts). */
const CANDIDATE = 'candidate';

/** Whoever compares by a label of stacks compares stacks. */
const isBy = (circumstance: string | null, by: string): boolean =>
  circumstance === by || (circumstance === 'stack' && (isOfStack(by) || by === CANDIDATE));

/** @param by what the sides are compared by */
export const circumstanceNotes = (
  cases: readonly MatchedCase[],
  sides: readonly Side[],
  by: string,
): readonly string[] => ALL.filter((one) => !isBy(one.by, by)).flatMap((one) => noteOn(one, cases, sides));

/** Of two batches, whatever they are compared by. */
export const circumstancesBetween = (reference: Entry, candidate: Entry): readonly TextPair[] =>
  ALL.flatMap(({ differences }) => differences(reference, candidate));

/** Of a score, whose sides are stacks: two of one record are told from each other by their names. */
export function weaknessesBy(
  reference: Entry,
  candidate: Entry,
): readonly { readonly flag: string; readonly reason: string }[] {
  const named = reference.of === candidate.of ? 'stack' : null;
  return ALL.flatMap(({ by, weakness, differences }) => {
    if (weakness === null || (by !== null && by === named)) return [];
    const pairs = differences(reference, candidate);
    return pairs.length === 0
      ? []
      : [{ flag: weakness.flag, reason: `${weakness.text}: ${pairTexts(pairs)}` }];
  });
}

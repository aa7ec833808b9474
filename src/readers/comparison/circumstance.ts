/** What may be why rates differ beside what is compared, in words: of all sides of a comparison, or of one pair of batches. Pure. */
import type { Entry, MatchedCase, Side } from './sides.js';

/** One difference, as each of the two tells it. */
export type TextPair = readonly [reference: string, candidate: string];

export interface Circumstance {
  /** Where sides are compared by this, it is what is compared, and their names say it; null: they never are. */
  readonly by: string | null;
  /** How a note on it begins. */
  readonly note: string;
  /** What weakens a score by it, and how the reason begins; null: a score is about it. */
  readonly weakness: { readonly flag: string; readonly text: string } | null;
  /** None where the two are alike in it, or one of their records does not tell. */
  readonly differences: (reference: Entry, candidate: Entry) => readonly TextPair[];
}

interface Told {
  /** Index of the side. */
  readonly side: number;
  readonly text: string;
}

const toldOf = (
  { entries: [reference, ...candidates] }: MatchedCase,
  { differences }: Circumstance,
): readonly Told[] =>
  candidates.flatMap((candidate, i) =>
    reference == null || candidate === null
      ? []
      : differences(reference, candidate).flatMap(([own, other]): readonly Told[] => [
          { side: 0, text: own },
          { side: i + 1, text: other },
        ]),
  );

/** One sentence with what each side tells, once; nothing where they are alike. */
export function noteOn(
  circumstance: Circumstance,
  cases: readonly MatchedCase[],
  sides: readonly Side[],
): readonly string[] {
  const told = cases.flatMap((one) => toldOf(one, circumstance));
  if (told.length === 0) return [];
  const texts = sides.flatMap(({ name }, at): readonly string[] => {
    const own = [...new Set(told.filter(({ side }) => side === at).map(({ text }) => text))];
    return own.length === 0 ? [] : [`${name} ${own.join(', ')}`];
  });
  return [`${circumstance.note}: ${texts.join('; ')}`];
}

/** `ECC off, the reference ECC on` */
export const pairTexts = (pairs: readonly TextPair[]): string =>
  pairs.map(([own, other]) => `${other}, the reference ${own}`).join('; ');

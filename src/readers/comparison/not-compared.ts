/** What of the sides was not compared, or has no answer by its launches, and why. Pure. */
import type { ComparisonDocument } from './document.js';
import { mediansOf, toldLaunches } from './launches.js';
import type { Entry, MatchedCase, Side } from './sides.js';

type NotCompared = ComparisonDocument['notCompared'];

export const isWrong = (entry: Entry | null | undefined): boolean => entry?.batch.verified === 'failed';

/** @param whyOf of an entry of a side, by the side's name; null: nothing */
const found = (
  matched: readonly MatchedCase[],
  sides: readonly Side[],
  whyOf: (entry: Entry | null | undefined, name: string) => string | null,
): NotCompared =>
  matched.flatMap(({ title, entries }) =>
    sides.flatMap(({ name }, i) => {
      const why = whyOf(entries[i], name);
      return why === null ? [] : [{ title, side: name, why }];
    }),
  );

export const missingIn = (matched: readonly MatchedCase[], sides: readonly Side[]): NotCompared =>
  found(matched, sides, (entry, name) => (entry === null ? `${name} does not have it` : null));

/** Outputs that are wrong whether or not another side has their case. */
export const wrongIn = (matched: readonly MatchedCase[], sides: readonly Side[]): NotCompared =>
  found(matched, sides, (entry, name) => (isWrong(entry) ? `the output of ${name} was wrong` : null));

/** Somebody's table tells how many launches there were, and none of their values. */
export const unpublishedIn = (matched: readonly MatchedCase[], sides: readonly Side[]): NotCompared =>
  found(matched, sides, (entry, name) =>
    entry != null && mediansOf(entry.batch).length === 0 && toldLaunches(entry.batch) > 0
      ? `the launches of ${name} were not published, only a table of them`
      : null,
  );

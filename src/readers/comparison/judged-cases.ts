/** The verdicts of a comparison, case by case: every candidate with the reference, and which sides cannot be told apart. Pure. */

import { medianRate } from '../../record/work.js';
import { DEFAULT_MARGIN, verdictOf } from '../../statistics/compare.js';
import { groupsOf, holm } from '../../statistics/several.js';
import { nameBatches } from '../batch-names.js';
import { choiceText } from '../library-choice.js';
import { notCheckedOf } from '../not-checked.js';
import type { ComparedBatch, ComparedCase, ComparedPair, Outcome } from './document.js';
import { adjustedPs, familySize } from './families.js';
import {
  compareEntries,
  type LaunchComparison,
  mediansOf,
  toldLaunches,
  unitsOf,
  wasLooked,
} from './launches.js';
import { lostLaunches, missingLaunches } from './lost-launches.js';
import { isWrong } from './not-compared.js';
import type { Entry, MatchedCase, Side } from './sides.js';

/** Of two that have no ratio: that the one was not measured makes the other's output no less wrong. */
const missingOutcome = (reference: Entry | null | undefined, candidate: Entry): Outcome =>
  isWrong(reference) || isWrong(candidate) ? 'wrong output' : 'not measured';

/** What the launches of the two were to settle, which a campaign takes from the later one; what somebody asks for is for all. */
const marginOf = (asked: number | null, reference: Entry, candidate: Entry): number =>
  asked ?? candidate.batch.asked.settle ?? reference.batch.asked.settle ?? DEFAULT_MARGIN;

/** A candidate and the reference, both with launches. */
interface Pair {
  readonly reference: Entry;
  readonly entry: Entry;
  /** Index of the candidate's side. */
  readonly candidate: number;
  /** Their campaign decided by looking at it how many launches there are. */
  readonly looked: boolean;
}

interface Compared extends Pick<Pair, 'candidate' | 'looked'> {
  readonly comparison: LaunchComparison;
  /** Comparisons that it was corrected with, itself counted. */
  readonly among: number;
}

const hasLaunches = (entry: Entry | null | undefined): entry is Entry =>
  entry != null && mediansOf(entry.batch).length > 0;

/** @param entries of one case; null where the side has none */
function pairsWithReference([reference, ...candidates]: MatchedCase['entries']): readonly Pair[] {
  if (!hasLaunches(reference)) return [];
  return candidates.flatMap((entry, i): readonly Pair[] =>
    hasLaunches(entry) ? [{ reference, entry, candidate: i + 1, looked: wasLooked(reference, entry) }] : [],
  );
}

/** @param all of the whole table */
function comparePairs(
  pairs: readonly Pair[],
  asked: number | null,
  all: readonly Pair[],
): readonly Compared[] {
  return pairs.flatMap((pair): readonly Compared[] => {
    const { reference, entry, candidate, looked } = pair;
    const among = familySize(all, pair);
    const comparison = compareEntries(reference, entry, marginOf(asked, reference, entry), among);
    return comparison === null ? [] : [{ candidate, looked, comparison, among }];
  });
}

const isApart = (outcome: Outcome | undefined): boolean => outcome === 'faster' || outcome === 'slower';

/**
 * Names from the fastest; those that share a group cannot be told apart. A pair with the reference is what its comparison came
 * to, so that no letter says otherwise; the other pairs of the case are corrected among themselves (Holm).
 */
function groupNames(
  entries: MatchedCase['entries'],
  sides: readonly Side[],
  comparisons: readonly ComparedPair[],
  asked: number | null,
): readonly (readonly string[])[] {
  const found = entries.flatMap((entry, side) => {
    const median = entry?.batch.elapsed?.median ?? null;
    if (entry === null || median === null || mediansOf(entry.batch).length === 0) return [];
    return [{ name: sides[side]?.name ?? '', side, isReference: side === 0, entry, median }];
  });
  const units = unitsOf(found.map(({ entry }) => entry.batch));
  const timed = found
    .map((one, i) => ({ ...one, median: one.median / (units[i] ?? 1) }))
    .sort((a, b) => a.median - b.median);
  if (timed.length < 3) return [];
  const pairs = timed.flatMap((one, i) =>
    timed.slice(i + 1).flatMap((other, j) => {
      if (one.isReference || other.isReference) return [];
      const [earlier, later] = one.side < other.side ? [one, other] : [other, one];
      const margin = marginOf(asked, earlier.entry, later.entry);
      const comparison = compareEntries(one.entry, other.entry, margin);
      return comparison === null ? [] : [{ i, j: i + 1 + j, comparison, margin }];
    }),
  );
  const adjusted = holm(pairs.map(({ comparison }) => comparison.p));
  const amongCandidates = new Set(
    pairs.flatMap(({ i, j, comparison, margin }, at) =>
      isApart(verdictOf(comparison, adjusted[at] ?? 1, margin)) ? [`${i} ${j}`] : [],
    ),
  );
  const outcomes = new Map(comparisons.map(({ candidate, outcome }) => [candidate, outcome]));
  const apart = (i: number, j: number): boolean => {
    const [one, other] = [timed[i], timed[j]];
    if (one?.isReference || other?.isReference)
      return isApart(outcomes.get((one?.isReference ? other : one)?.name ?? ''));
    return amongCandidates.has(`${i} ${j}`);
  };
  return groupsOf(timed.length, apart).map((group) => group.map((at) => timed[at]?.name ?? ''));
}

function comparedBatch({ of, batch }: Entry, side: Side): ComparedBatch {
  return {
    side: side.name,
    campaign: of.record.campaign.id,
    stack: batch.stack,
    rate: batch.measured === 0 ? null : medianRate(batch),
    rateUnit: batch.rateUnit,
    elapsedSeconds: batch.measured === 0 ? null : (batch.elapsed?.median ?? null),
    launches: toldLaunches(batch),
    flags: batch.flags.map(({ name }) => name),
    choice: choiceText(batch, of.record.machine),
    notChecked: [...new Set(notCheckedOf(batch).map(([flag]) => flag))],
    launchesLost: lostLaunches(batch),
    launchesMissing: missingLaunches(batch),
    verified: batch.verified,
  };
}

/** Every candidate with the reference, corrected for the number of comparisons. */
export function judgedCases(
  common: readonly MatchedCase[],
  sides: readonly Side[],
  asked: number | null,
): readonly ComparedCase[] {
  const toCompare = common.map(({ entries }) => pairsWithReference(entries));
  const compared = toCompare.map((pairs) => comparePairs(pairs, asked, toCompare.flat()));
  const adjusted = adjustedPs(compared.flat());
  const { names } = nameBatches(common.flatMap(({ entries }) => entries[0]?.batch ?? []));
  return common.map((one, at): ComparedCase => {
    const pairs = compared[at] ?? [];
    const [reference, ...candidates] = one.entries;
    const comparisons = candidates.flatMap((entry, i): readonly ComparedPair[] => {
      if (reference == null || entry === null) return [];
      const candidate = sides[i + 1]?.name ?? '';
      const margin = marginOf(asked, reference, entry);
      const pair = pairs.find((other) => other.candidate === i + 1);
      if (pair === undefined)
        return [
          {
            ...{ candidate, outcome: missingOutcome(reference, entry), margin },
            ...{ pAdjusted: null, among: null, looked: null },
          },
        ];
      const pAdjusted = adjusted.get(pair) ?? 1;
      const outcome = verdictOf(pair.comparison, pAdjusted, margin);
      const { among, looked } = pair;
      return [{ candidate, outcome, margin, pAdjusted, among, looked, ...pair.comparison }];
    });
    return {
      title: one.title,
      name: names[at] ?? one.title,
      batches: one.entries.flatMap((entry, i) => {
        const side = sides[i];
        return entry === null || side === undefined ? [] : [comparedBatch(entry, side)];
      }),
      comparisons,
      groups: groupNames(one.entries, sides, comparisons, asked),
    };
  });
}

/**
 * Which of several sides is faster, case by case, as a document: ratios with their intervals, verdicts, groups, and what was
 * not compared and why. Pure.
 */
import { UserError } from '../../errors.js';
import { thereIs } from '../../nearest.js';
import { medianRate } from '../../record/work.js';
import { DEFAULT_MARGIN, RISK, verdictOf } from '../../statistics/compare.js';
import { LEVEL } from '../../statistics/interval.js';
import { groupsOf, holm } from '../../statistics/several.js';
import { nameBatches } from '../batch-names.js';
import { choiceText } from '../library-choice.js';
import { notCheckedOf } from '../not-checked.js';
import { circumstanceNotes } from './circumstances.js';
import {
  type Difference,
  differencesOf,
  differencesText,
  mergeDifferences,
  nearestDifference,
  refuseDifferent,
} from './comparable.js';
import type {
  ComparedBatch,
  ComparedCase,
  ComparedPair,
  ComparisonDocument,
  Outcome,
  Question,
} from './document.js';
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
import { isWrong, missingIn, unpublishedIn, wrongIn } from './not-compared.js';
import { notesOf } from './notes.js';
import { overallOf } from './overall.js';
import {
  comparedBy,
  type Entry,
  type MatchedCase,
  matchCases,
  type NamedRecord,
  type Side,
  sidesOf,
} from './sides.js';

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

/** Records in which errors were injected. */
const faultyNames = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(entries.flatMap(({ of }) => (of.record.campaign.fault === null ? [] : [of.name]))),
];

/** @throws UserError for batches whose outputs nobody verified, or in which errors were injected */
function refuseUntrusted(entries: readonly Entry[]): void {
  const unverified = entries.find(({ batch }) => batch.verified === 'not-run' && batch.elapsed !== null);
  if (unverified !== undefined) {
    throw new UserError(
      `${unverified.of.name}: the outputs of ${unverified.batch.title} were never verified, so its speed may be that of a wrong result; --force compares all the same`,
    );
  }
  const [faulty] = faultyNames(entries);
  if (faulty !== undefined) {
    throw new UserError(
      `${faulty} has an error injected on purpose: it measures no software; --force compares all the same`,
    );
  }
}

/** @throws UserError where the same results are on both sides */
function refuseTwice(records: readonly NamedRecord[]): void {
  records.forEach(({ record, name }, i) => {
    const twin = records.slice(0, i).find((other) => other.record.digest === record.digest);
    if (twin !== undefined) {
      throw new UserError(
        `${twin.name} and ${name} are the same record: a comparison needs two measurements`,
      );
    }
  });
}

/** @throws UserError for a label that none of the batches has: a typing error would refuse or allow the wrong thing */
function requireLabels(across: readonly string[], sides: readonly Side[]): void {
  const known = new Set(sides.flatMap(({ entries }) => entries.flatMap(({ labels }) => Object.keys(labels))));
  const unknown = across.find((label) => !known.has(label));
  if (unknown !== undefined) {
    throw new UserError(`--across ${unknown}: there is no such label; ${thereIs(unknown, [...known])}`);
  }
}

/** Parameters of which the product is the work of a repetition, as far as they differ. */
const OF_THE_WORK: readonly string[] = ['m', 'n', 'k', 'batch', 'bytes'];

/** Whether the two do as much in a repetition, as products whose shapes are permutations of each other do. */
function isSameWork(differing: readonly Difference[]): boolean {
  const values = differing.filter(({ label }) => OF_THE_WORK.includes(label)).map((one) => one.values);
  const [one, other] = [0, 1].map((side) => values.reduce((all, of) => all * Number(of[side]), 1));
  return one === other;
}

/** How to compare what differs in these: stacks and repetitions can be the sides, of parameters any may differ. */
function howTo(differing: readonly Difference[]): string {
  const names = differing.map(({ label }) => label);
  const others = names.filter((name) => name !== 'stack');
  const flags = [
    ...(names.includes('stack') ? ['--by stack'] : []),
    ...(others.length > 0 ? [`--across ${others.join(',')}`] : []),
  ].join(' ');
  return isSameWork(differing)
    ? `${flags} compares them`
    : `measure one case on both sides (${flags} sets rates of different work beside each other)`;
}

function requireCommon(
  cases: readonly MatchedCase[],
  sides: readonly Side[],
  apart: readonly string[],
): void {
  if (cases.some(({ entries }) => entries[0] != null && entries.filter((one) => one !== null).length > 1))
    return;
  const [reference, candidate] = sides;
  const differing = nearestDifference(reference?.entries ?? [], candidate?.entries ?? [], new Set(apart));
  throw new UserError(
    `${sides.map(({ name }) => name).join(' and ')} have no case in common: the nearest differ in ${differencesText(differing)}; ${howTo(differing)}`,
  );
}

/** The worst that was found. */
function answerOf(outcomes: readonly Outcome[]): Outcome {
  for (const one of ['wrong output', 'slower', 'not measured', 'cannot tell', 'faster'] as const) {
    if (outcomes.includes(one)) return one;
  }
  return 'same';
}

/** Every candidate with the reference, corrected for the number of comparisons. */
function judgedCases(
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

/**
 * @param records at least one
 * @throws UserError for what cannot be compared, with the reason and what to do
 */
export function compareRecords(records: readonly NamedRecord[], question: Question): ComparisonDocument {
  const { across, force } = question;
  refuseTwice(records);
  const by = comparedBy(question.by, records);
  const sides = sidesOf(records, by, question.reference);
  requireLabels(across, sides);
  const matched = matchCases(sides, by, across);
  requireCommon(matched, sides, [by, ...across]);
  const common = matched.filter(
    ({ entries }) => entries[0] != null && entries.filter((one) => one !== null).length > 1,
  );
  const present = common.map((one) => one.entries.filter((entry) => entry !== null));
  const apart = new Set([by, ...across]);
  const found = present.map((entries) => differencesOf(entries, apart));
  const barring = mergeDifferences(found.flatMap((one) => one.barring));
  const allowed = mergeDifferences(found.flatMap((one) => one.allowed)).filter(({ label }) => label !== by);
  const given = mergeDifferences(found.flatMap((one) => one.given));
  if (!force) {
    refuseDifferent(barring);
    refuseUntrusted(present.flat());
  }
  const cases = judgedCases(common, sides, question.margin);
  const pairs = cases.flatMap(({ comparisons }) => comparisons);
  const missing = missingIn(matched, sides);
  const wrong = wrongIn(
    matched.filter((one) => !common.includes(one)),
    sides,
  );
  return {
    kind: 'pi-bench comparison',
    schemaVersion: 1,
    by,
    reference: sides[0]?.name ?? '',
    sides: sides.map(({ name, entries: own }) => ({
      name,
      campaigns: [...new Set(own.map(({ of }) => of.record.campaign.id))],
    })),
    margin: Math.max(...pairs.map(({ margin }) => margin)),
    level: LEVEL,
    risk: RISK,
    cases,
    overall: overallOf(
      cases,
      sides.slice(1).map(({ name }) => name),
    ),
    // Few of many are shown: what is wrong first.
    notCompared: [...wrong, ...unpublishedIn(common, sides), ...missing],
    acrossLabels: [...allowed, ...(force ? barring : [])],
    forced: force,
    notes: [
      ...faultyNames(present.flat()).map(
        (name) => `${name} has an error injected on purpose: it measures no software`,
      ),
      ...(given.length === 0 ? [] : [`differ by your labels: ${differencesText(given)}`]),
      ...circumstanceNotes(common, sides, by),
      ...notesOf(present.flat(), pairs),
    ],
    answer: answerOf([
      ...pairs.map(({ outcome }) => outcome),
      ...wrong.map((): Outcome => 'wrong output'),
      ...missing.map((): Outcome => 'not measured'),
    ]),
  };
}

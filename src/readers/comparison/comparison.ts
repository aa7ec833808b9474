/**
 * Which of several sides is faster, case by case, as a document: ratios with their intervals, verdicts, groups, and what was
 * not compared and why. Pure.
 */
import { UserError } from '../../errors.js';
import type { RecordBatch } from '../../record/schema.js';
import { medianRate } from '../../record/work.js';
import { DEFAULT_MARGIN, RISK, verdictOf } from '../../statistics/compare.js';
import { LEVEL } from '../../statistics/interval.js';
import { groupsOf, holm } from '../../statistics/several.js';
import { nameBatches } from '../batch-names.js';
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
import { compareEntries, type LaunchComparison, mediansOf, unitsOf } from './launches.js';
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

const missingOutcome = ({ verified }: RecordBatch): Outcome =>
  verified === 'failed' ? 'wrong output' : 'not measured';

interface Compared {
  readonly candidate: number;
  readonly comparison: LaunchComparison;
}

/** @param entries of one case; null where the side has none */
function pairsWithReference(entries: MatchedCase['entries'], margin: number): readonly Compared[] {
  const [reference, ...candidates] = entries;
  if (reference == null) return [];
  return candidates.flatMap((entry, i): readonly Compared[] => {
    const comparison = entry === null ? null : compareEntries(reference, entry, margin);
    return comparison === null ? [] : [{ candidate: i + 1, comparison }];
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
  margin: number,
): readonly (readonly string[])[] {
  const found = entries.flatMap((entry, side) => {
    const median = entry?.batch.elapsed?.median ?? null;
    if (entry === null || median === null || mediansOf(entry.batch).length === 0) return [];
    return [{ name: sides[side]?.name ?? '', isReference: side === 0, entry, median }];
  });
  const units = unitsOf(found.map(({ entry }) => entry.batch));
  const timed = found
    .map((one, i) => ({ ...one, median: one.median / (units[i] ?? 1) }))
    .sort((a, b) => a.median - b.median);
  if (timed.length < 3) return [];
  const pairs = timed.flatMap((one, i) =>
    timed.slice(i + 1).flatMap((other, j) => {
      if (one.isReference || other.isReference) return [];
      const comparison = compareEntries(one.entry, other.entry, margin);
      return comparison === null ? [] : [{ i, j: i + 1 + j, comparison }];
    }),
  );
  const adjusted = holm(pairs.map(({ comparison }) => comparison.p));
  const amongCandidates = new Set(
    pairs.flatMap(({ i, j, comparison }, at) =>
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
    launches: mediansOf(batch).length,
    flags: batch.flags.map(({ name }) => name),
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
    throw new UserError(`--across ${unknown}: there is no such label; there is ${[...known].join(', ')}`);
  }
}

/** How to compare what differs in these: stacks and repetitions can be the sides, of parameters any may differ. */
function howTo(differing: readonly Difference[]): string {
  const names = differing.map(({ label }) => label);
  const others = names.filter((name) => name !== 'stack');
  return [
    ...(names.includes('stack') ? ['--by stack'] : []),
    ...(others.length > 0 ? [`--across ${others.join(',')}`] : []),
  ].join(' ');
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
    `${sides.map(({ name }) => name).join(' and ')} have no case in common: the nearest differ in ${differencesText(differing)}; ${howTo(differing)} compares them`,
  );
}

/** The worst that was found. */
function answerOf(outcomes: readonly Outcome[]): Outcome {
  for (const one of ['wrong output', 'slower', 'not measured', 'cannot tell', 'faster'] as const) {
    if (outcomes.includes(one)) return one;
  }
  return 'same';
}

/** Every candidate with the reference, corrected for all of these comparisons together. */
function judgedCases(
  common: readonly MatchedCase[],
  sides: readonly Side[],
  margin: number,
): readonly ComparedCase[] {
  const compared = common.map((one) => pairsWithReference(one.entries, margin));
  const all = compared.flat();
  const adjusted = holm(all.map(({ comparison }) => comparison.p));
  const { names } = nameBatches(common.flatMap(({ entries }) => entries[0]?.batch ?? []));
  let next = 0;
  return common.map((one, at): ComparedCase => {
    const pairs = compared[at] ?? [];
    const comparisons = one.entries.slice(1).flatMap((entry, i): readonly ComparedPair[] => {
      if (entry === null) return [];
      const candidate = sides[i + 1]?.name ?? '';
      const pair = pairs.find((other) => other.candidate === i + 1);
      if (pair === undefined) {
        const missing = [one.entries[0], entry].find(
          (side) => side != null && mediansOf(side.batch).length === 0,
        );
        return [{ candidate, outcome: missingOutcome((missing ?? entry).batch), pAdjusted: null }];
      }
      const pAdjusted = adjusted[next++] ?? 1;
      return [
        { candidate, outcome: verdictOf(pair.comparison, pAdjusted, margin), pAdjusted, ...pair.comparison },
      ];
    });
    return {
      title: one.title,
      name: names[at] ?? one.title,
      batches: one.entries.flatMap((entry, i) => {
        const side = sides[i];
        return entry === null || side === undefined ? [] : [comparedBatch(entry, side)];
      }),
      comparisons,
      groups: groupNames(one.entries, sides, comparisons, margin),
    };
  });
}

/** What somebody asked for, or what the launches were measured for. */
const marginOf = (asked: number | null, entries: readonly Entry[]): number =>
  asked ??
  (entries.reduce((most, { batch }) => Math.max(most, batch.asked.settle ?? 0), 0) || DEFAULT_MARGIN);

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
  const margin = marginOf(question.margin, present.flat());
  const found = present.map((entries) => differencesOf(entries, apart));
  const barring = mergeDifferences(found.flatMap((one) => one.barring));
  const allowed = mergeDifferences(found.flatMap((one) => one.allowed)).filter(({ label }) => label !== by);
  const given = mergeDifferences(found.flatMap((one) => one.given));
  if (!force) {
    refuseDifferent(barring);
    refuseUntrusted(present.flat());
  }
  const cases = judgedCases(common, sides, margin);
  const notCompared = matched.flatMap(({ title, entries: of }) =>
    sides.flatMap(({ name }, i) =>
      of[i] === null ? [{ title, side: name, why: `${name} does not have it` }] : [],
    ),
  );
  const outcomes = cases.flatMap(({ comparisons }) => comparisons.map(({ outcome }) => outcome));
  return {
    kind: 'pi-bench comparison',
    schemaVersion: 1,
    by,
    reference: sides[0]?.name ?? '',
    sides: sides.map(({ name, entries: own }) => ({
      name,
      campaigns: [...new Set(own.map(({ of }) => of.record.campaign.id))],
    })),
    margin,
    level: LEVEL,
    risk: RISK,
    cases,
    overall: overallOf(
      cases,
      sides.slice(1).map(({ name }) => name),
    ),
    notCompared,
    acrossLabels: [...allowed, ...(force ? barring : [])],
    forced: force,
    notes: [
      ...faultyNames(present.flat()).map(
        (name) => `${name} has an error injected on purpose: it measures no software`,
      ),
      ...(given.length === 0 ? [] : [`differ by your labels: ${differencesText(given)}`]),
      ...notesOf(
        present,
        cases.flatMap(({ comparisons }) => comparisons),
      ),
    ],
    answer: answerOf([...outcomes, ...(notCompared.length > 0 ? (['not measured'] as const) : [])]),
  };
}

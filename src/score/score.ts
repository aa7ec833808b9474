/** The score of every stack of a record against a reference record, with its interval and everything that weakens it. Pure. */
import { UserError } from '../errors.js';
import { weaknessesBy } from '../readers/comparison/circumstances.js';
import {
  type Difference,
  differencesOf,
  differencesText,
  mergeDifferences,
  nearestDifference,
  refuseDifferent,
} from '../readers/comparison/comparable.js';
import { toldLaunches } from '../readers/comparison/launches.js';
import { LAUNCHES_LOST, lostLaunches, missingLaunches } from '../readers/comparison/lost-launches.js';
import { turnsNote } from '../readers/comparison/notes.js';
import {
  betterKnown,
  type Entry,
  entriesOf,
  type MatchedCase,
  matchCases,
  type NamedRecord,
  type Side,
  stackKey,
  stackNames,
} from '../readers/comparison/sides.js';
import { choiceText, LIBRARY_CHOICE } from '../readers/library-choice.js';
import { notCheckedOf } from '../readers/not-checked.js';
import type { RecordBatch } from '../record/schema.js';
import { doesNoWork } from '../record/work.js';
import { geometricMean, type MedianWithInterval, showsNoSpread } from '../statistics/geometric-mean.js';
import { LEVEL } from '../statistics/interval.js';
import { LEAST_FOR_RANKS, type Range } from '../statistics/shift.js';
import { SCORE_DEFINITION } from './definition.js';

export interface ScoreQuestion {
  readonly results: NamedRecord;
  readonly reference: NamedRecord;
  /** Which stack of the reference record; null: its only one. */
  readonly referenceStack: string | null;
  /** Labels that may differ. */
  readonly across: readonly string[];
  /** Score what is not comparable, or was never verified, and say so. */
  readonly force: boolean;
}

export interface ScoredCase {
  readonly title: string;
  readonly case: RecordBatch['case'];
  readonly device: string;
  readonly rate: number;
  readonly rateUnit: string;
  readonly interval: Range | null;
  readonly launches: number;
  readonly referenceRate: number;
  readonly referenceInterval: Range | null;
  readonly referenceLaunches: number;
  readonly ratio: number;
}

/** Something that makes the score worth less. It changes nothing in the score: a penalty would be a figure that nobody measured. */
export interface Weakness {
  readonly flag: string;
  readonly of: 'stack' | 'reference';
  readonly title: string;
  readonly reason: string;
}

export interface StackScore {
  readonly name: string;
  readonly stack: RecordBatch['stack'];
  /** null: it has none, and why is in `reason`. */
  readonly score: number | null;
  readonly interval: Range | null;
  readonly reason: string | null;
  readonly cases: readonly ScoredCase[];
  /** Cases of the reference that this stack did not measure: the score says nothing of them. */
  readonly missing: readonly string[];
  /** Cases that do no work, as a barrier: a score is of rates, and they have none. */
  readonly unscored: readonly string[];
  readonly weakenedBy: readonly Weakness[];
}

export interface ScoreDocument {
  readonly kind: 'pi-bench score';
  readonly schemaVersion: 1;
  readonly definition: typeof SCORE_DEFINITION;
  readonly level: number;
  readonly results: { readonly campaign: string; readonly digest: string };
  readonly reference: {
    readonly campaign: string;
    readonly digest: string;
    readonly name: string;
    readonly stack: RecordBatch['stack'];
  };
  readonly acrossLabels: readonly Difference[];
  readonly forced: boolean;
  /** What would have been refused, in words; of differing labels `acrossLabels` tells. */
  readonly forcedPast: readonly string[];
  readonly scores: readonly StackScore[];
}

/** The sides of a score are stacks: what they are called does not make a case another one. */
const BY = 'stack';

function sidesByStack(of: NamedRecord): readonly Side[] {
  const entries = entriesOf([of]);
  const names = stackNames(entries.map(({ batch }) => batch.stack));
  return [...names].map(([key, name]) => ({
    name,
    entries: entries.filter(({ batch }) => stackKey(batch.stack) === key),
  }));
}

function referenceSide({ reference, referenceStack }: ScoreQuestion): Side {
  const sides = sidesByStack(reference);
  const names = sides.map(({ name }) => name).join(', ');
  const found =
    referenceStack === null && sides.length === 1
      ? sides[0]
      : sides.find(({ name }) => name === referenceStack);
  if (found !== undefined) return found;
  throw new UserError(
    referenceStack === null
      ? `the reference ${reference.name} has several stacks (${names}): say which with --reference-stack`
      : `--reference-stack ${referenceStack} is not in ${reference.name}; it has ${names || 'none'}`,
  );
}

/** Medians of launches that are there to be compared: a published table may tell of launches without them. */
const launchesOf = ({ launches }: RecordBatch): number =>
  Array.isArray(launches?.medians) ? launches.medians.length : 0;

function medianOf(batch: RecordBatch): MedianWithInterval | null {
  if (batch.rate === null) return null;
  const { median, interval } = batch.rate;
  return {
    median,
    interval: interval === null ? null : { low: interval.low, high: interval.high },
    launches: launchesOf(batch),
  };
}

/** In whichever case: a stack that crashes in one that the reference does not have crashes all the same. */
function lossOf(batch: RecordBatch, of: Weakness['of']): readonly Weakness[] {
  const reason = lostLaunches(batch);
  return reason === null ? [] : [{ flag: LAUNCHES_LOST, of, title: batch.title, reason }];
}

/** What a batch says against itself, beside launches that it lost. */
function weaknessesOf({ batch, of: { record } }: Entry, of: Weakness['of']): readonly Weakness[] {
  const { title, flags, rate, verified, stack } = batch;
  const launches = toldLaunches(batch);
  const own = (flag: string, reason: string): Weakness => ({ flag, of, title, reason });
  const missing = missingLaunches(batch);
  const choice = choiceText(batch, record.machine);
  return [
    ...(choice === null ? [] : [own(LIBRARY_CHOICE, `${stack.own?.name ?? stack.provider} ${choice}`)]),
    ...(missing === null ? [] : [own('launches-missing', missing)]),
    ...(record.contendedBy === null
      ? []
      : [own('contended-by', `${record.contendedBy} measured at the same time`)]),
    ...(verified === 'not-run' ? [own('not-verified', 'nobody compared its outputs with right ones')] : []),
    ...(launches < LEAST_FOR_RANKS
      ? [own('few-launches', `${launches} launches: the interval assumes a shape, or there is none`)]
      : []),
    ...(rate !== null && rate.interval === null
      ? [own('no-interval', 'its launches allow no interval')]
      : []),
    ...flags.map(({ name, reason }) => own(name, reason)),
    ...notCheckedOf(batch).map(([flag, why]) => own('not-checked', `${flag}: ${why}`)),
  ];
}

/** What a stack's batch and the reference's say against each other's comparison. */
function weaknessesOfPair({ value, reference }: ScoredPair): readonly Weakness[] {
  const own = (flag: string, reason: string): Weakness => ({
    flag,
    of: 'stack',
    title: value.batch.title,
    reason,
  });
  const [a, b] = [medianOf(value.batch), medianOf(reference.batch)];
  return [
    ...weaknessesBy(reference, value).map(({ flag, reason }) => own(flag, reason)),
    ...turnsNote([reference, value]).map((note) => own('not-in-turns', note)),
    ...(a !== null && b !== null && showsNoSpread(a) && showsNoSpread(b)
      ? [
          own(
            'no-spread',
            'neither its launches nor those of the reference differ: how far they spread is not known',
          ),
        ]
      : []),
  ];
}

interface ScoredPair {
  readonly value: Entry;
  readonly reference: Entry;
}

const pairsOf = (matched: readonly MatchedCase[]): readonly ScoredPair[] =>
  matched.flatMap(({ entries: [reference, value] }) =>
    reference == null || value == null ? [] : [{ reference, value }],
  );

const hasNoRate = ({ value, reference }: ScoredPair): boolean =>
  doesNoWork(value.batch) || doesNoWork(reference.batch);

/** Of an imported case whose sizes were not published the times are known. */
const whyNoRate = ({ title, elapsed }: RecordBatch): string =>
  elapsed === null
    ? `nothing was measured of ${title}`
    : `the work of ${title} is not known, so it has times, by which compare goes, and no rate`;

function whyNone(stack: Side, pairs: readonly ScoredPair[]): string | null {
  const wrong = stack.entries.find(({ batch }) => batch.verified === 'failed');
  if (wrong !== undefined) return `an output was wrong: ${wrong.batch.title}`;
  if (pairs.length === 0) return 'it has no case in common with the reference';
  for (const side of ['value', 'reference'] as const) {
    // What an interrupted launch left is kept to be looked at, and no result of the case.
    const cut = pairs.find((pair) => pair[side].batch.rate !== null && pair[side].batch.measured === 0);
    if (cut !== undefined) {
      const whose = side === 'value' ? 'its' : 'the reference’s';
      return `no launch of ${whose} ${cut[side].batch.title} was measured to its end`;
    }
  }
  const unmeasured = pairs.find(({ value }) => value.batch.rate === null);
  if (unmeasured !== undefined) return whyNoRate(unmeasured.value.batch);
  return pairs.every(hasNoRate)
    ? 'no case that it shares with the reference does work, so none has a rate'
    : null;
}

function scoredCase({ value, reference }: ScoredPair): readonly ScoredCase[] {
  const [own, other] = [medianOf(value.batch), medianOf(reference.batch)];
  if (own === null || other === null) return [];
  return [
    {
      title: value.batch.title,
      case: value.batch.case,
      device: value.batch.device,
      rate: own.median,
      rateUnit: value.batch.rateUnit,
      interval: own.interval,
      launches: own.launches,
      referenceRate: other.median,
      referenceInterval: other.interval,
      referenceLaunches: other.launches,
      ratio: own.median / other.median,
    },
  ];
}

const stackOf = ({ entries }: Side): RecordBatch['stack'] =>
  entries.map(({ batch }) => batch.stack).reduce(betterKnown);

function scoreOf(stack: Side, isReference: boolean, matched: readonly MatchedCase[]): StackScore {
  const pairs = pairsOf(matched);
  const base = {
    name: stack.name,
    stack: stackOf(stack),
    missing: matched.flatMap(({ title, entries: [other, own] }) =>
      other != null && own == null ? [title] : [],
    ),
    unscored: pairs.filter(hasNoRate).map(({ value }) => value.batch.title),
    weakenedBy: [
      ...stack.entries.flatMap(({ batch }) => lossOf(batch, 'stack')),
      ...pairs.flatMap((pair) => [
        ...weaknessesOf(pair.value, 'stack'),
        ...lossOf(pair.reference.batch, 'reference'),
        ...weaknessesOf(pair.reference, 'reference'),
        ...weaknessesOfPair(pair),
      ]),
    ],
  };
  const reason = whyNone(stack, pairs);
  if (reason !== null) return { ...base, score: null, interval: null, reason, cases: [] };
  const cases = pairs.filter((pair) => !hasNoRate(pair)).flatMap(scoredCase);
  const { mean, interval } = geometricMean(
    cases.map((one) => ({
      value: { median: one.rate, interval: one.interval, launches: one.launches },
      reference: {
        median: one.referenceRate,
        interval: one.referenceInterval,
        launches: one.referenceLaunches,
      },
    })),
  );
  return isReference
    ? { ...base, score: 1, interval: null, reason: 'it is the reference', cases }
    : { ...base, score: mean, interval, reason: null, cases };
}

/** @throws UserError for a reference that cannot be one, forced or not */
function requireReference(side: Side): void {
  const wrong = side.entries.find(({ batch }) => batch.rate === null);
  if (wrong === undefined) return;
  const { batch } = wrong;
  const why = batch.verified === 'failed' ? `${batch.title} has a wrong output` : whyNoRate(batch);
  throw new UserError(`${side.name} cannot be the reference: ${why}`);
}

const faultText = ({ name, record }: NamedRecord): readonly string[] =>
  record.campaign.fault === null ? [] : [`${name} has an error injected on purpose: it measures no software`];

/** What speaks against a score at all, and is told with one that was forced. */
function objectionsTo({ results, reference }: ScoreQuestion, sides: readonly Side[]): readonly string[] {
  const unverified = sides
    .flatMap(({ entries }) => entries)
    .find(({ batch }) => batch.verified === 'not-run' && batch.rate !== null);
  return [
    ...new Set([...faultText(results), ...faultText(reference)]),
    ...(unverified === undefined
      ? []
      : [
          `${unverified.of.name}: nobody verified the outputs of ${unverified.batch.title}, and a wrong answer has no score`,
        ]),
  ];
}

/**
 * @throws UserError for what cannot be scored, with the reason and what to do
 */
export function scoreStacks(question: ScoreQuestion): ScoreDocument {
  const { results, reference, across, force } = question;
  const base = referenceSide(question);
  const stacks = sidesByStack(results);
  const objections = objectionsTo(question, [base, ...stacks]);
  const [objection] = objections;
  if (objection !== undefined && !force)
    throw new UserError(`${objection}; --force scores all the same, and says so`);
  requireReference(base);
  const matched = stacks.map((stack) => matchCases([base, stack], BY, across));
  const pairs = matched.flatMap(pairsOf);
  if (pairs.length === 0) {
    const differing = nearestDifference(
      base.entries,
      stacks.flatMap(({ entries }) => entries),
      new Set([BY, ...across]),
    );
    throw new UserError(
      `${results.name} and ${reference.name} have no case in common: the nearest differ in ${differencesText(differing)}`,
    );
  }
  const apart = new Set(across);
  const found = pairs.map(({ value, reference: other }) => differencesOf([other, value], apart));
  const barring = mergeDifferences(found.flatMap((one) => one.barring));
  if (!force) refuseDifferent(barring);
  const sameRecord = results.record.digest === reference.record.digest;
  const scores = stacks.map((stack, i) =>
    scoreOf(stack, sameRecord && stack.name === base.name, matched[i] ?? []),
  );
  return {
    kind: 'pi-bench score',
    schemaVersion: 1,
    definition: SCORE_DEFINITION,
    level: LEVEL,
    results: { campaign: results.record.campaign.id, digest: results.record.digest },
    reference: {
      campaign: reference.record.campaign.id,
      digest: reference.record.digest,
      name: base.name,
      stack: stackOf(base),
    },
    acrossLabels: mergeDifferences([...found.flatMap((one) => one.allowed), ...(force ? barring : [])]),
    forced: force,
    forcedPast: objections,
    scores: scores.toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1)),
  };
}

/** What is compared: the batches of one or more records, put into sides by what they differ in, and matched by case. Pure. */
import { UserError } from '../../errors.js';
import { thereIs } from '../../nearest.js';
import { canonicalJson } from '../../record/digest.js';
import { batchLabels } from '../../record/labels.js';
import type { Labels, PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { numbered } from '../batch-names.js';
import { variableTexts } from '../own-variables.js';
import { mpiTexts, packageTexts, shortHash } from './stack-details.js';

export interface NamedRecord {
  readonly record: PiBenchRecord;
  /** As the user calls it. */
  readonly name: string;
}

/** A batch with all that is known of where it was measured. */
export interface Entry {
  readonly of: NamedRecord;
  readonly batch: RecordBatch;
  readonly labels: Labels;
}

export interface Side {
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** The batches of one case, one of each side that has it, in the order of the sides. */
export interface MatchedCase {
  readonly title: string;
  readonly entries: readonly (Entry | null)[];
}

export const entriesOf = (records: readonly NamedRecord[]): readonly Entry[] =>
  records.flatMap((of) =>
    of.record.batches.map((batch) => ({ of, batch, labels: batchLabels(of.record.labels, batch) })),
  );

type Stack = RecordBatch['stack'];

/** `embedded:avx2`, as it was asked for; of a stack of a stack file its name there. */
export const chosenText = ({ provider, variant, own }: Stack): string =>
  own?.name ?? (variant === null ? provider : `${provider}:${variant}`);

/** Some libraries give a banner for their version: its number tells. */
export const shortVersion = (version: string): string =>
  /\s/.test(version) ? (/\d+(\.\d+)+/.exec(version)?.[0] ?? version) : version;

/** Of two batches' words on one stack: only a launch tells a library's version, and where all crashed none did. */
export const betterKnown = (one: Stack, other: Stack): Stack => (one.version === null ? other : one);

const buildOf = ({ own, sha256, file }: Stack): string =>
  shortHash(own?.lock ?? sha256 ?? file ?? 'unknown build');

const detailTexts = (stack: Stack): readonly string[] => [
  ...packageTexts(stack),
  ...(stack.own === undefined ? [] : variableTexts(stack.own)),
  ...mpiTexts(stack),
];

/** With what tells it from others whose file is the same. */
function buildText(stack: Stack, others: readonly Stack[]): string {
  const build = buildOf(stack);
  const same = others.filter((other) => buildOf(other) === build).map(detailTexts);
  const details = detailTexts(stack).filter((text) => same.some((other) => !other.includes(text)));
  return [build, ...details].join(' ');
}

function nameAmong(stack: Stack, others: readonly Stack[]): string {
  const chosen = chosenText(stack);
  const same = others.filter((other) => chosenText(other) === chosen);
  if (same.length === 0) return chosen;
  const versioned = stack.version === null ? chosen : `${chosen} ${shortVersion(stack.version)}`;
  const alike = same.filter(
    ({ version }) => shortVersion(version ?? '') === shortVersion(stack.version ?? ''),
  );
  return alike.length === 0 ? versioned : `${versioned} ${buildText(stack, alike)}`;
}

/** What a stack is called among others, each by its key: no longer than it takes to tell them apart, and never the same twice. */
export function stackNames(stacks: readonly Stack[]): ReadonlyMap<string, string> {
  const distinct = new Map<string, Stack>();
  for (const stack of stacks) {
    const key = stackKey(stack);
    distinct.set(key, betterKnown(distinct.get(key) ?? stack, stack));
  }
  const all = [...distinct.values()];
  const names = numbered(
    all.map((stack) =>
      nameAmong(
        stack,
        all.filter((other) => other !== stack),
      ),
    ),
  );
  return new Map([...distinct.keys()].map((key, i) => [key, names[i] ?? '']));
}

/**
 * Two builds of one library are two stacks, and so is one build in two environments. Of one's own the lock says which build it is. The
 * version counts only where the file is not known: a batch all of whose launches crashed has none, and is no other stack for that. What
 * a framework's packages are is known without a launch.
 */
export const stackKey = ({ provider, variant, version, sha256, packages, mpi, own }: Stack): string =>
  canonicalJson(
    own === undefined
      ? [provider, variant, sha256 ?? version, packages ?? null, mpi?.sha256 ?? null]
      : [own.name, own.lock, own.environment, provider, sha256],
  );

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** Labels of which a stack has no other. */
export const isOfStack = (label: string): boolean => /^stack(_.*)?$/.test(label);

/** These, and those that no two batches share, are no answer to "by what?". */
const isAsked = (label: string): boolean => !isOfStack(label) && label !== 'campaign';

/** Labels of what was asked for that have several values. */
function differingLabels(entries: readonly Entry[]): readonly string[] {
  const keys = distinct(entries.flatMap(({ labels }) => Object.keys(labels)));
  return keys.filter(
    (key) => isAsked(key) && distinct(entries.map(({ labels }) => labels[key] ?? null)).length > 1,
  );
}

/** What tells the batches of one record apart, where that is one thing. */
function onlyDifference(entries: readonly Entry[]): string {
  if (entries.length < 2) {
    throw new UserError('one batch has nothing to be compared with: give a second record');
  }
  if (distinct(entries.map(({ batch }) => stackKey(batch.stack))).length > 1) return 'stack';
  const differing = differingLabels(entries);
  const [only, ...others] = differing;
  if (only === undefined) {
    throw new UserError('the batches of this record differ in nothing that has a name: give a second record');
  }
  if (others.length > 0) {
    throw new UserError(
      `the batches of this record differ in ${differing.join(', ')}: say which to compare by, as in --by ${only}, or give a second record`,
    );
  }
  return only;
}

/** `record`, `stack` or the name of a label. */
export function comparedBy(asked: string | null, records: readonly NamedRecord[]): string {
  if (asked !== null) return asked;
  return records.length > 1 ? 'record' : onlyDifference(entriesOf(records));
}

/** @returns a function that names the side of an entry */
function sideNamer(entries: readonly Entry[], by: string): (entry: Entry) => string {
  if (by === 'record') return ({ of }) => of.name;
  if (by === 'stack') {
    const names = stackNames(entries.map(({ batch }) => batch.stack));
    return ({ batch }) => names.get(stackKey(batch.stack)) ?? batch.stack.provider;
  }
  if (!entries.some(({ labels }) => by in labels)) {
    const known = ['record', 'stack', ...differingLabels(entries)];
    throw new UserError(`--by ${by}: there is no such label; ${thereIs(by, known)}`);
  }
  return ({ labels }) => `${by} ${labels[by] ?? 'none'}`;
}

/**
 * The reference first.
 * @param reference the name of a side; null: the first
 * @throws UserError where there is only one side, or none of that name
 */
export function sidesOf(
  records: readonly NamedRecord[],
  by: string,
  reference: string | null,
): readonly Side[] {
  const entries = entriesOf(records);
  const nameOf = sideNamer(entries, by);
  const names = distinct(entries.map(nameOf));
  const [only = 'none'] = names;
  if (names.length < 2) {
    const what = by === 'record' ? 'record' : by === 'stack' ? 'stack' : `value of ${by}`;
    throw new UserError(
      `there is one ${what} only (${only}), and a comparison needs two: give a second record, or another --by`,
    );
  }
  if (reference !== null && !names.includes(reference)) {
    throw new UserError(`--reference ${reference} is none of what is compared: ${names.join(', ')}`);
  }
  const first = reference ?? only;
  return [first, ...names.filter((name) => name !== first)].map((name) => ({
    name,
    entries: entries.filter((entry) => nameOf(entry) === name),
  }));
}

/** Those of who measures that may tell cases apart. */
const givenLabels = (
  { asked }: RecordBatch,
  apart: ReadonlySet<string>,
): readonly (readonly [string, string])[] =>
  Object.entries(asked.labels ?? {}).filter(([key]) => !apart.has(key));

/** What tells a case from another, the more common first: what is not needed to tell them apart may differ. */
function traitsOf({ batch, of }: Entry, by: string, apart: ReadonlySet<string>): readonly unknown[] {
  const { indicator, parameters } = batch.case;
  const kept = Object.entries(parameters).filter(([key]) => !apart.has(key));
  const { provider, variant, own } = batch.stack;
  return [
    [
      indicator,
      Object.fromEntries(kept),
      apart.has('device') ? null : batch.device,
      // Alone and beside others are two questions, which --at-once beside asks in one campaign.
      apart.has('at_once') ? null : batch.asked.atOnce === true,
    ],
    by === 'stack' ? null : [provider, variant, own?.name ?? null],
    apart.has('repetitions') ? null : batch.asked.sampling,
    Object.fromEntries(givenLabels(batch, apart)),
    by === 'record' ? null : of.name,
  ];
}

const TRAITS = 5;

export const stackText = ({ stack }: RecordBatch): string => chosenText(stack);

/** `3 s`, `2000 reps`; null: others did not publish it. */
export function samplingText({ asked: { sampling } }: RecordBatch): string | null {
  if (sampling === null) return null;
  return sampling.kind === 'fixed' ? `${sampling.repetitions} reps` : `${sampling.seconds} s`;
}

/** With what tells it from others of its case, where that was needed. */
function titleOf({ batch }: Entry, by: string, apart: ReadonlySet<string>, used: number): string {
  const stack = used > 1 && by !== 'stack' ? stackText(batch) : null;
  const sampling = used > 2 && by !== 'repetitions' ? samplingText(batch) : null;
  const labels = used > 3 ? givenLabels(batch, apart).map(([key, value]) => `${key} ${value}`) : [];
  return [batch.title, stack, sampling, ...labels].filter((part) => part !== null).join(', ');
}

/**
 * @param across labels that may differ: batches that differ in a parameter among them are one case
 * @throws UserError where a side has a case more than once, and nothing tells which of them is meant
 */
export function matchCases(
  sides: readonly Side[],
  by: string,
  across: readonly string[],
): readonly MatchedCase[] {
  const apart = new Set([by, ...across]);
  const keyed = (used: number): readonly ReadonlyMap<string, Entry>[] | null => {
    const maps = sides.map(
      ({ entries }) =>
        new Map(
          entries.map((entry) => [canonicalJson(traitsOf(entry, by, apart).slice(0, used)), entry] as const),
        ),
    );
    return maps.every(({ size }, i) => size === sides[i]?.entries.length) ? maps : null;
  };
  for (let used = 1; used <= TRAITS; used++) {
    const maps = keyed(used);
    if (maps === null) continue;
    const keys = distinct(maps.flatMap((map) => [...map.keys()]));
    return keys.map((key) => {
      const entries = maps.map((map) => map.get(key) ?? null);
      const first = entries.find((entry) => entry !== null);
      return { title: first == null ? '' : titleOf(first, by, apart, used), entries };
    });
  }
  const twice = sides.find(({ entries }) => entries.length > 1)?.name ?? '';
  throw new UserError(
    `${twice} has the same case more than once, and nothing tells which is meant: compare by another label (--by), or fewer records`,
  );
}

/** Whether a difference between two batches would be that of the software, or of something else that is not the same. Pure. */
import { UserError } from '../../errors.js';
import { LABEL_NAMES } from '../../record/labels.js';
import type { Labels } from '../../record/schema.js';
import { shortNames } from '../short-names.js';
import { type Entry, samplingText, stackText } from './sides.js';

type Value = Labels[string];

export interface Difference {
  readonly label: string;
  readonly values: readonly Value[];
}

/** What a comparison is about, and what does not change how fast anything is. */
const FREE: ReadonlySet<string> = new Set([
  'campaign',
  // Refused, or told, in words of its own.
  'fault_injected',
  'repetitions',
  'stack',
  'stack_own',
  'stack_lock',
  'stack_variant',
  'stack_implementation',
  'stack_version',
  'stack_sha256',
  // Of explore: the stack's name and its threads.
  'candidate',
]);

/** The name of a machine whose identity is known says nothing more. */
const isFree = (label: string, entries: readonly Entry[]): boolean =>
  FREE.has(label) || (label === 'hostname' && entries.every(({ labels }) => labels.machine != null));

/** By who measures: what they tell apart is theirs to know. */
const isGiven = (label: string, entries: readonly Entry[]): boolean =>
  !LABEL_NAMES.includes(label) && entries.every(({ batch }) => !(label in batch.case.parameters));

export interface Differences {
  /** Because of these the batches are not comparable, unless the user says so. */
  readonly barring: readonly Difference[];
  /** The user said that these may differ. */
  readonly allowed: readonly Difference[];
  /** Labels by who measures. */
  readonly given: readonly Difference[];
}

/** @param apart labels that may differ: what is compared by, and what the user named */
export function differencesOf(entries: readonly Entry[], apart: ReadonlySet<string>): Differences {
  const labels = [...new Set(entries.flatMap((entry) => Object.keys(entry.labels)))];
  const differing = labels.flatMap((label): readonly Difference[] => {
    const values = [...new Set(entries.map((entry) => entry.labels[label] ?? null))];
    return values.length > 1 && !isFree(label, entries) ? [{ label, values }] : [];
  });
  const given = differing.filter(({ label }) => isGiven(label, entries));
  const ours = differing.filter((one) => !given.includes(one));
  return {
    barring: ours.filter(({ label }) => !apart.has(label)),
    allowed: ours.filter(({ label }) => apart.has(label)),
    given: given.filter(({ label }) => !apart.has(label)),
  };
}

/** Each label once, with all its values. */
export function mergeDifferences(all: readonly Difference[]): readonly Difference[] {
  const merged = new Map<string, Set<Value>>();
  for (const { label, values } of all) {
    const known = merged.get(label) ?? new Set<Value>();
    for (const value of values) known.add(value);
    merged.set(label, known);
  }
  return [...merged].map(([label, values]) => ({ label, values: [...values] }));
}

const LONGEST = 32;

/** `machine (3f2a… / 77b0…), threads (1 / 2)`. */
export const differencesText = (differences: readonly Difference[]): string =>
  differences
    .map(
      ({ label, values }) =>
        `${label} (${shortNames(
          values.map((value) => String(value ?? 'not known')),
          LONGEST,
        ).join(' / ')})`,
    )
    .join(', ');

/** @throws UserError that names what differs, and how to compare all the same */
export function refuseDifferent(barring: readonly Difference[]): void {
  if (barring.length === 0) return;
  const names = barring.map(({ label }) => label).join(',');
  throw new UserError(
    `not comparable, because more than the software differs: ${differencesText(barring)}; --across ${names} compares all the same`,
  );
}

const caseOf = ({ batch }: Entry): Labels => ({
  indicator: batch.case.indicator,
  ...batch.case.parameters,
  device: batch.device,
});

/** What tells cases apart where a side has one of them more than once. */
const mannerOf = ({ batch }: Entry): Labels => ({
  stack: stackText(batch),
  repetitions: samplingText(batch),
  ...batch.asked.labels,
});

function differing(p: Labels, q: Labels, apart: ReadonlySet<string>): readonly Difference[] {
  return [...new Set([...Object.keys(p), ...Object.keys(q)])]
    .filter((label) => !apart.has(label) && (p[label] ?? null) !== (q[label] ?? null))
    .map((label) => ({ label, values: [p[label] ?? null, q[label] ?? null] }));
}

/**
 * Of two that have no case in common: what the nearest two cases differ in, or, where that is nothing, how they were measured.
 * @param apart what sides may differ in
 */
export function nearestDifference(
  one: readonly Entry[],
  other: readonly Entry[],
  apart: ReadonlySet<string>,
): readonly Difference[] {
  let nearest: readonly Difference[] | null = null;
  for (const a of one) {
    for (const b of other) {
      const inCase = differing(caseOf(a), caseOf(b), apart);
      const found = inCase.length > 0 ? inCase : differing(mannerOf(a), mannerOf(b), apart);
      if (nearest === null || found.length < nearest.length) nearest = found;
    }
  }
  return nearest ?? [];
}

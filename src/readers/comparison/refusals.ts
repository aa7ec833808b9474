/** What makes records none that can be compared, each as a sentence that says what to do. Pure. */
import { UserError } from '../../errors.js';
import { thereIs } from '../../nearest.js';
import { type Difference, differencesText, nearestDifference } from './comparable.js';
import type { Entry, MatchedCase, NamedRecord, Side } from './sides.js';

/** Records in which errors were injected. */
export const faultyNames = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(entries.flatMap(({ of }) => (of.record.campaign.fault === null ? [] : [of.name]))),
];

/** @throws UserError for batches whose outputs nobody verified, or in which errors were injected */
export function refuseUntrusted(entries: readonly Entry[]): void {
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
export function refuseTwice(records: readonly NamedRecord[]): void {
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
export function requireLabels(across: readonly string[], sides: readonly Side[]): void {
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

/** @throws UserError where no case is on the reference's side and on another, with the nearest two */
export function requireCommon(
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

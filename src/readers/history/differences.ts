/** What is not the same about two campaigns of one series: what a change between them may come from. Pure. */
import { circumstancesBetween } from '../comparison/circumstances.js';
import type { Difference } from '../comparison/comparable.js';
import { type Entry, isOfStack } from '../comparison/sides.js';

/** Differences that are told in whole words, and have no label. */
export const CIRCUMSTANCES = 'circumstances';

/** Every campaign has its own; and what circumstances tell better. */
const isTold = (label: string): boolean =>
  label !== 'campaign' && label !== 'repetitions' && !isOfStack(label);

/** Where the one differs, that the other does says nothing more. */
const FOLLOW: Readonly<Record<string, string>> = {
  pibench_version: 'pibench_commit',
  machine: 'hostname',
};

/** Labels, and what else is known of how their launches came about, such as versions and the variables that libraries read. */
export function differencesBetween(before: Entry, after: Entry): readonly Difference[] {
  const names = [...new Set([...Object.keys(before.labels), ...Object.keys(after.labels)])].filter(isTold);
  const differing = names.filter((name) => (before.labels[name] ?? null) !== (after.labels[name] ?? null));
  const following = differing.map((name) => FOLLOW[name]);
  return [
    ...circumstancesBetween(before, after).map((values) => ({ label: CIRCUMSTANCES, values: [...values] })),
    ...differing
      .filter((name) => !following.includes(name))
      .map((label) => ({ label, values: [before.labels[label] ?? null, after.labels[label] ?? null] })),
  ];
}

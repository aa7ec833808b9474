/** Which stacks are compared where the sides are not called by them, as records before and after an upgrade. Pure. */
import type { RecordBatch } from '../../record/schema.js';
import type { Circumstance } from './circumstance.js';
import { chosenText, shortVersion } from './sides.js';
import { mpiTexts, packageTexts, shortHash } from './stack-details.js';

type Stack = RecordBatch['stack'];

/** Of a stack file's the name is the user's, and says nothing of what it runs. */
const nameOf = (stack: Stack): string =>
  stack.own === undefined ? chosenText(stack) : `${stack.own.name} (${stack.provider})`;

const versioned = (stack: Stack, textOf: (version: string) => string): string =>
  stack.version === null ? nameOf(stack) : `${nameOf(stack)} ${textOf(stack.version)}`;

/** Beside name and version; null: it has none such, or its record does not tell. */
const DETAILS: readonly ((stack: Stack) => readonly string[] | null)[] = [
  ({ own }) =>
    own === undefined ? null : [own.lock === null ? 'without a lock' : `lock ${shortHash(own.lock)}`],
  (stack) => (stack.packages === undefined ? null : packageTexts(stack)),
  (stack) => (stack.mpi === undefined ? null : mpiTexts(stack)),
];

/** Those of the one that the other does not have. */
function detailsApart(one: Stack, other: Stack): readonly string[] {
  return DETAILS.flatMap((textsOf) => {
    const [own, others] = [textsOf(one), textsOf(other)];
    return own === null || others === null ? [] : own.filter((text) => !others.includes(text));
  });
}

/** Only a launch tells a version: where all crashed it is not known, and no other one. */
const versionsDiffer = (one: Stack, other: Stack): boolean =>
  one.version !== null && other.version !== null && one.version !== other.version;

export const STACK: Circumstance = {
  by: 'stack',
  note: 'executed by different stacks, which may be the reason of a difference',
  weakness: null,
  differences: ({ batch: { stack: one } }, { batch: { stack: other } }) => {
    const [own, others] = [detailsApart(one, other), detailsApart(other, one)];
    const differ = versionsDiffer(one, other);
    if (!differ && nameOf(one) === nameOf(other) && own.length + others.length === 0) return [];
    // Banners may have the same number, and differ behind it.
    const alike = versioned(one, shortVersion) === versioned(other, shortVersion);
    const textOf = differ && alike ? (version: string) => version.trim() : shortVersion;
    return [[[versioned(one, textOf), ...own].join(', '), [versioned(other, textOf), ...others].join(', ')]];
  },
};

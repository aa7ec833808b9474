/** Whether what is compared is one version of a software in two builds: another compiler, or other flags, is another speed. Pure. */
import { basename } from 'node:path';
import { canonicalJson } from '../../record/digest.js';
import type { RecordBatch } from '../../record/schema.js';
import type { Circumstance } from './circumstance.js';
import type { Entry } from './sides.js';
import { shortHash } from './stack-details.js';

const fileOf = ({ file }: RecordBatch['stack']): string | null => (file === null ? null : basename(file));

/**
 * Of our addon a part that was built first has a name of its own, and is no other build of the whole. Of a library the name is a build's,
 * too, as `libblis-mt.so.4` is beside `libblis.so.4`, except where it is all that is known of a version.
 */
const partOf = (stack: RecordBatch['stack']): string | null =>
  stack.provider === 'embedded' || stack.version === null ? fileOf(stack) : null;

/** Entries of which these are equal are of one version. */
const versionKey = ({ batch: { stack }, labels }: Entry): string =>
  canonicalJson([stack.provider, stack.version, partOf(stack), labels.pibench_commit ?? null]);

const textOf = ({ stack }: RecordBatch, sha256: string): string =>
  `${fileOf(stack) ?? stack.provider} ${shortHash(sha256)}`;

export const BUILD: Circumstance = {
  by: 'stack',
  note: 'the same version in different builds, by their checksums: another compiler or other flags may be why rates differ',
  weakness: { flag: 'other-build', text: 'the same version in another build, by its checksum' },
  differences: (reference, candidate) => {
    const [own, other] = [reference.batch.stack.sha256, candidate.batch.stack.sha256];
    return own === null || other === null || own === other || versionKey(reference) !== versionKey(candidate)
      ? []
      : [[textOf(reference.batch, own), textOf(candidate.batch, other)]];
  },
};

/** Whether what is compared is one version of a software in two builds: another compiler, or other flags, is another speed. Pure. */
import { basename } from 'node:path';
import { canonicalJson } from '../../record/digest.js';
import type { RecordBatch } from '../../record/schema.js';
import type { Entry, MatchedCase, Side } from './sides.js';
import { noteOfSides, type Told } from './told.js';

const DIGITS = 12;

const fileOf = ({ file }: RecordBatch['stack']): string | null => (file === null ? null : basename(file));

/** Entries of which these are equal should have run the same file: a part of our addon that was built first has a name of its own. */
const versionKey = ({ batch: { stack }, labels }: Entry): string =>
  canonicalJson([stack.provider, stack.version, fileOf(stack), labels.pibench_commit ?? null]);

const textOf = ({ stack }: RecordBatch): string =>
  `${fileOf(stack) ?? stack.provider} ${stack.sha256?.slice(0, DIGITS)}`;

function toldOf({ entries: [reference, ...candidates] }: MatchedCase): readonly Told[] {
  const own = reference?.batch.stack.sha256 ?? null;
  if (reference == null || own === null) return [];
  return candidates.flatMap((candidate, i): readonly Told[] => {
    const other = candidate?.batch.stack.sha256 ?? null;
    return candidate === null ||
      other === null ||
      other === own ||
      versionKey(reference) !== versionKey(candidate)
      ? []
      : [
          { side: 0, text: textOf(reference.batch) },
          { side: i + 1, text: textOf(candidate.batch) },
        ];
  });
}

/** One sentence, with each side's checksums; nothing where the builds are one, or a record does not tell. */
export const buildNote = (cases: readonly MatchedCase[], sides: readonly Side[]): readonly string[] =>
  noteOfSides(
    'the same version in different builds, by their checksums: another compiler or other flags may be why rates differ',
    cases.flatMap(toldOf),
    sides,
  );

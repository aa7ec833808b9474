/** Records that a command compares, each with the name that its user knows it by, and lists as flags have them. */
import { basename, dirname } from 'node:path';
import type { NamedRecord } from '../readers/comparison/sides.js';
import type { PiBenchRecord } from '../record/schema.js';
import { readRecord } from '../store/read-record.js';

export interface ReadNamed extends NamedRecord {
  /** Of its file. */
  readonly path: string;
}

/** A record as it was read. */
export interface ReadRecord {
  readonly record: PiBenchRecord;
  /** As the user gave it. */
  readonly given: string;
  /** Of its file. */
  readonly path: string;
}

/** By the name of their folder, or by what the user gave where two folders have one name. */
export function named(read: readonly ReadRecord[]): readonly ReadNamed[] {
  const shorts = read.map(({ path }) =>
    basename(path) === 'record.json' ? basename(dirname(path)) : basename(path),
  );
  const times = new Map<string, number>();
  for (const short of shorts) times.set(short, (times.get(short) ?? 0) + 1);
  return read.map(({ record, given, path }, i) => {
    const short = shorts[i] ?? '';
    return { record, path, name: times.get(short) === 1 && short !== '' && short !== '.' ? short : given };
  });
}

export const readNamed = (paths: readonly string[]): readonly ReadNamed[] =>
  named(paths.map((given) => ({ ...readRecord(given), given })));

/** `a,b`: without blanks and empty items. */
export const listOf = (text: unknown): readonly string[] =>
  text === undefined
    ? []
    : String(text)
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');

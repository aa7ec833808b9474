/** Records that a command compares, each with the name that its user knows it by, and lists as flags have them. */
import { basename, dirname } from 'node:path';
import type { NamedRecord } from '../readers/comparison/sides.js';
import { readRecord } from '../store/read-record.js';

export interface ReadNamed extends NamedRecord {
  /** Of its file. */
  readonly path: string;
}

/** By the name of their folder, or by their path where two folders have one name. */
export function readNamed(paths: readonly string[]): readonly ReadNamed[] {
  const read = paths.map((path) => {
    const { record, path: file } = readRecord(path);
    const short = basename(file) === 'record.json' ? basename(dirname(file)) : basename(file);
    return { record, path, file, short };
  });
  return read.map(({ record, path, file, short }) => {
    const unique = read.filter((other) => other.short === short).length === 1;
    return { record, path: file, name: unique && short !== '' && short !== '.' ? short : path };
  });
}

/** `a,b`: without blanks and empty items. */
export const listOf = (text: unknown): readonly string[] =>
  text === undefined
    ? []
    : String(text)
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');

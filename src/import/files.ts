/** The files of what is to be imported: one file, or all below a folder, in the order of their names. */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, systemCode, UserError } from '../errors.js';
import type { Bytes } from '../units.js';
import { filesBelow } from './files-below.js';
import type { Unread } from './published.js';

/** Nothing that was published comes near; a disk image that lies there is not read into memory. */
const MOST_BYTES: Bytes = 256 * 2 ** 20;

export interface FoundFile {
  /** Relative to what was imported, with `/`. */
  readonly path: string;
  /** @throws the system's error, or an Error that says that it is too large */
  readonly read: () => string;
}

export interface Found {
  /** What the place is called. */
  readonly name: string;
  readonly files: readonly FoundFile[];
  /** What lies there as well, and nobody looked into. */
  readonly leftOut: readonly Unread[];
}

function read(path: string): string {
  if (statSync(path).size > MOST_BYTES) throw new Error('it is too large for a published document');
  return readFileSync(path, 'utf8');
}

/** Natural order: `results/10` after `results/9`. */
const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** @throws UserError where there is nothing, or it cannot be looked at */
export function findFiles(path: string): Found {
  try {
    if (!statSync(path).isDirectory()) {
      const name = basename(path);
      return { name, files: [{ path: name, read: () => read(path) }], leftOut: [] };
    }
    const below = filesBelow(path);
    const files = below.files
      .map((file) => ({ path: file.replaceAll('\\', '/'), read: () => read(join(path, file)) }))
      .sort((a, b) => byName(a.path, b.path));
    return { name: basename(path), files, leftOut: below.leftOut };
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw new UserError(`there is no ${path}: give a file of what was published, or a folder of them`);
    throw new UserError(`cannot read ${path}: ${messageOf(error)}`);
  }
}

/** The files of what is to be imported: one file, or all below a folder, in the order of their names. */
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { messageOf, systemCode, UserError } from '../errors.js';
import type { Bytes } from '../units.js';

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
}

function read(path: string): string {
  if (statSync(path).size > MOST_BYTES) throw new Error('it is too large for a published document');
  return readFileSync(path, 'utf8');
}

/** null: a link that leads nowhere, or to where nothing is to be seen. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/**
 * All below a folder, links followed: a volume of Kubernetes has nothing else, and nodes' outputs may lie elsewhere. Each file once, by
 * its own path where it has one here; a link that leads nowhere is a file that cannot be read.
 */
function filesBelow(root: string): readonly string[] {
  /** By where each really lies. */
  const found = new Map<string, string>();
  const folders = new Set<string>();
  const links: string[] = [];
  const note = (place: string, path: string): void => {
    if (!found.has(place)) found.set(place, path);
  };
  const walk = (folder: string): void => {
    const place = realpathSync(folder);
    if (folders.has(place)) return;
    folders.add(place);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) note(join(place, entry.name), path);
    }
  };
  walk(root);
  // More of them may be found on the way.
  for (const link of links) {
    const target = statOrNull(link);
    if (target === null) note(link, link);
    else if (target.isDirectory()) walk(link);
    else if (target.isFile()) note(realpathSync(link), link);
  }
  return [...found.values()];
}

/** Natural order: `results/10` after `results/9`. */
const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** @throws UserError where there is nothing, or it cannot be looked at */
export function findFiles(path: string): Found {
  try {
    if (!statSync(path).isDirectory()) {
      const name = basename(path);
      return { name, files: [{ path: name, read: () => read(path) }] };
    }
    const files = filesBelow(path)
      .map((file) => ({ path: relative(path, file).replaceAll('\\', '/'), read: () => read(file) }))
      .sort((a, b) => byName(a.path, b.path));
    return { name: basename(path), files };
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw new UserError(`there is no ${path}: give a file of what was published, or a folder of them`);
    throw new UserError(`cannot read ${path}: ${messageOf(error)}`);
  }
}

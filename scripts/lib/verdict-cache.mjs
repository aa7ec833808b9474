// Remembers which C++ files a linter found nothing in, by the content of everything that its verdict depends on: the
// file, those that it includes, and how the linter was called. Only good verdicts are kept: a finding is shown each time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { packageRoot } from './tree.mjs';

const FOLDER = join(packageRoot, 'node_modules', '.cache', 'lint-native');

const read = (path) => readFileSync(join(packageRoot, path), 'utf8');

/** The files of this package that a file includes, itself among them. */
export function included(path, found = new Set()) {
  if (found.has(path) || !existsSync(join(packageRoot, path))) return found;
  found.add(path);
  for (const [, name] of read(path).matchAll(/^#include "(.+)"$/gm))
    included(normalize(join(dirname(path), name)), found);
  return found;
}

/** A hash of a file and all of this package that it includes, as they are now, and of `how`: whatever else counts. */
export function hashOfSources(path, how) {
  const hash = createHash('sha256').update(JSON.stringify(how));
  for (const source of [...included(path)].sort()) hash.update(`\0${source}\0${read(source)}`);
  return hash.digest('hex');
}

/**
 * The place of a file's good verdict, as its sources are now. `how`: all that the verdict depends on besides them. To be
 * asked for before the linter begins: what is changed while it runs was not looked into.
 */
export function verdictPlace(path, how) {
  return join(FOLDER, hashOfSources(path, how));
}

export const wasGood = (place) => existsSync(place);

export function rememberGood(place) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(place, '');
}

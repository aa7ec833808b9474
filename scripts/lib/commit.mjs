// The commit that the sources are of.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './tree.mjs';

const MOST_CHANGES_BYTES = 1 << 28;
const git = (root, ...args) =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: MOST_CHANGES_BYTES });

/** Two trees that were changed in different ways are not the same. */
const digestOf = (changes) => createHash('sha256').update(changes).digest('hex').slice(0, 8);

/** With `+changes` and a digest of them where a tracked file differs from it; null where git does not say. */
export function commitOfSources(root = packageRoot) {
  const commit = git(root, 'rev-parse', 'HEAD');
  const changes = git(root, 'diff', 'HEAD', '--no-ext-diff', '--no-textconv');
  if (commit.status !== 0 || changes.status !== 0) return null;
  return `${commit.stdout.trim()}${changes.stdout === '' ? '' : `+changes.${digestOf(changes.stdout)}`}`;
}

/**
 * Notes in the folder of what is compiled of which commit it was built. Where git does not say, what was noted before stays: it is
 * of a package, or was carried to a machine without git.
 */
export function noteCommit(compiled) {
  const commit = commitOfSources();
  if (commit !== null) writeFileSync(join(compiled, 'commit'), `${commit}\n`);
}

// The commit that the sources are of.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './tree.mjs';

const MOST_CHANGES_BYTES = 1 << 28;
/** What is built is made of these. */
const SOURCES = [
  'src',
  'native',
  'kernels',
  'bin',
  'scripts',
  'binding.gyp',
  'package.json',
  'package-lock.json',
];

/** Of this tree, whatever a hook that runs this says of another one. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_DIR')),
);

const git = (root, ...args) => {
  const done = spawnSync('git', args, {
    cwd: root,
    env: ENVIRONMENT,
    encoding: 'utf8',
    maxBuffer: MOST_CHANGES_BYTES,
  });
  return done.status === 0 ? done.stdout : null;
};

/** Two trees that were changed in different ways are not the same. */
const digestOf = (changes) => createHash('sha256').update(changes).digest('hex').slice(0, 8);

/** A repository that this tree only lies in is another one's. */
const isRoot = (root) => {
  const top = git(root, 'rev-parse', '--show-toplevel');
  return top !== null && existsSync(root) && realpathSync(top.trim()) === realpathSync(root);
};

/** With `+changes` and a digest of them where a tracked source differs from it; null where git does not say. */
export function commitOfSources(root = packageRoot) {
  if (!isRoot(root)) return null;
  const commit = git(root, 'rev-parse', 'HEAD');
  const changes = git(root, 'diff', 'HEAD', '--no-ext-diff', '--no-textconv', '--', ...SOURCES);
  if (commit === null || changes === null) return null;
  return `${commit.trim()}${changes === '' ? '' : `+changes.${digestOf(changes)}`}`;
}

/**
 * Notes in the folder of what is compiled of which commit it was built: as it was before building began, for what is changed
 * meanwhile may not be in it. Where git does not say, nobody does: what was noted is of what was there before.
 * @param {string | null} commit
 */
export function noteCommit(compiled, commit) {
  if (commit === null) rmSync(join(compiled, 'commit'), { force: true });
  else if (existsSync(compiled)) writeFileSync(join(compiled, 'commit'), `${commit}\n`);
}

// The commit that the sources are of.
import { spawnSync } from 'node:child_process';
import { packageRoot } from './tree.mjs';

const git = (...args) => spawnSync('git', args, { cwd: packageRoot, encoding: 'utf8' });

/** With `+changes` where a file differs from it; null where git does not say. */
export function commitOfSources() {
  const commit = git('rev-parse', 'HEAD');
  const changed = git('status', '--porcelain', '--untracked-files=no');
  if (commit.status !== 0 || changed.status !== 0) return null;
  return `${commit.stdout.trim()}${changed.stdout.trim() === '' ? '' : '+changes'}`;
}

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commitOfSources } from '../../scripts/lib/commit.mjs';
import { identity, packageRoot } from '../../src/package.js';
import { withFolder } from '../support/pi-bench.js';

const AS_SOMEBODY = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org'];

it('is the commit itself of a tree without changes, and of each change another one', () =>
  withFolder(async (root) => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...AS_SOMEBODY, ...args], { cwd: root, encoding: 'utf8' }).trim();
    git('init', '--quiet');
    writeFileSync(join(root, 'source'), 'one');
    git('add', 'source');
    git('commit', '--quiet', '--message', 'first');
    const commit = git('rev-parse', 'HEAD');
    expect(commitOfSources(root)).toBe(commit);
    const changed = ['two', 'three'].map((text) => {
      writeFileSync(join(root, 'source'), text);
      return commitOfSources(root) ?? '';
    });
    for (const one of changed) expect(one).toMatch(new RegExp(`^${commit}\\+changes\\.[0-9a-f]{8}$`));
    expect(changed[0]).not.toBe(changed[1]);
  }));

it('is nothing where git does not say', () =>
  withFolder(async (root) => expect(commitOfSources(join(root, 'nowhere'))).toBeNull()));

it('that a record names is the one that was built, wherever the clone stands since', () => {
  const noted = readFileSync(join(packageRoot, 'dist', 'commit'), 'utf8').trim();
  expect(identity().commit).toBe(noted);
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commitOfSources, noteCommit } from '../../scripts/lib/commit.mjs';
import { identity, packageRoot, shortCommit } from '../../src/package.js';
import { withFolder } from '../support/pi-bench.js';

const AS_SOMEBODY = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org'];

it('is the commit itself of a tree without changes, and of each change another one', () =>
  withFolder(async (root) => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...AS_SOMEBODY, ...args], { cwd: root, encoding: 'utf8' }).trim();
    git('init', '--quiet');
    mkdirSync(join(root, 'src'));
    const source = join(root, 'src', 'source');
    writeFileSync(source, 'one');
    writeFileSync(join(root, 'README.md'), 'one');
    git('add', 'src', 'README.md');
    git('commit', '--quiet', '--message', 'first');
    const commit = git('rev-parse', 'HEAD');
    expect(commitOfSources(root)).toBe(commit);
    writeFileSync(join(root, 'README.md'), 'two');
    expect(commitOfSources(root), 'of what is built nothing has changed').toBe(commit);
    const changed = ['two', 'three'].map((text) => {
      writeFileSync(source, text);
      return commitOfSources(root) ?? '';
    });
    for (const one of changed) expect(one).toMatch(new RegExp(`^${commit}\\+changes\\.[0-9a-f]{8}$`));
    expect(changed[0]).not.toBe(changed[1]);
  }));

it('is nothing where git does not say, or says it of what this lies in', () =>
  withFolder(async (root) => {
    expect(commitOfSources(join(root, 'nowhere'))).toBeNull();
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    mkdirSync(join(root, 'inside'));
    expect(commitOfSources(join(root, 'inside'))).toBeNull();
  }));

it('is noted as it was, and of nobody where git does not say', () =>
  withFolder(async (compiled) => {
    noteCommit(compiled, 'abc');
    expect(readFileSync(join(compiled, 'commit'), 'utf8')).toBe('abc\n');
    noteCommit(compiled, null);
    expect(existsSync(join(compiled, 'commit'))).toBe(false);
  }));

it.runIf(commitOfSources())(
  'that a record names is the one that was built, wherever the clone stands since',
  () => {
    const noted = readFileSync(join(packageRoot, 'dist', 'commit'), 'utf8').trim();
    expect(identity().commit).toBe(noted);
  },
);

it('is short for people, and still another one than that of a tree without changes', () => {
  const commit = '0123456789abcdef0123456789abcdef01234567';
  expect(shortCommit(commit)).toBe('0123456789ab');
  expect(shortCommit(`${commit}+changes.1a2b3c4d`)).toBe('0123456789ab+changes.1a2b3c4d');
});

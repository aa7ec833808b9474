/** A campaign goes on with the stacks that it began with, or not at all. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OwnStack } from '../../src/record/schema.js';
import { lockDigest, locksText, type StackLock } from '../../src/stacks/own/lock.js';
import { withModule } from '../support/mocked.js';

// Where the cache has the packages now.
const cache = { prefix: '' };
const { restoreOwnStacks } = await withModule(
  'src/stacks/own/provision.ts',
  { prefixOf: async () => cache.prefix },
  () => import('../../src/cli/own-stacks.js'),
);

const lockOf = (checksum: string): StackLock => ({
  asks: 'x',
  debian: {
    architecture: 'amd64',
    packages: [{ name: 'a', version: '1', sha256: checksum.repeat(64), bytes: 1, asked: true }],
    system: [],
  },
  npm: null,
});
const own: OwnStack = {
  name: 'mine',
  lock: null,
  packages: [],
  environment: {},
  provider: 'embedded',
  variant: null,
  owner: null,
  folders: [],
  frameworksFrom: null,
  problem: null,
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-restore-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const restored = (stack: OwnStack, locks: Readonly<Record<string, StackLock>>): Promise<void> => {
  const file = join(folder, 'stack.lock');
  writeFileSync(file, locksText(locks));
  return restoreOwnStacks([stack], file, true);
};

it('goes on where all is there', async () => {
  await expect(restored(own, {})).resolves.toBeUndefined();
  await expect(restored({ ...own, folders: [folder], frameworksFrom: folder }, {})).resolves.toBeUndefined();
});

it('does not go on with packages that its record does not name', async () => {
  const lock = lockDigest(lockOf('a'));
  await expect(restored({ ...own, lock }, { mine: lockOf('b') })).rejects.toThrow(
    /^the stack mine is no longer as it was \(.*stack\.lock names other packages\): start the campaign anew$/,
  );
  await expect(restored({ ...own, lock }, {})).rejects.toThrow(/does not say what it was/);
});

it.each(['folders', 'frameworksFrom'] as const)('nor where its %s have gone', async (place) => {
  const gone = join(folder, 'gone');
  const stack = { ...own, [place]: place === 'folders' ? [gone] : gone };
  await expect(restored(stack, {})).rejects.toThrow(/gone has gone/);
});

it('nor where its packages would be those of another folder than was compared', async () => {
  const folderOf = (name: string) => {
    const lib = join(folder, name, 'root', 'lib');
    mkdirSync(lib, { recursive: true });
    mkdirSync(join(folder, name, 'npm'));
    writeFileSync(join(lib, 'liba.so.1'), '');
    return { prefix: join(folder, name), lib, frameworksFrom: join(folder, name, 'npm') };
  };
  const [then, now] = [folderOf('then'), folderOf('now')];
  const npm = { dependencies: {}, installScripts: {}, lockfile: {} };
  const [debian, both] = [lockOf('a'), { ...lockOf('a'), npm }];
  const ofDebian = { ...own, lock: lockDigest(debian), folders: [then.lib] };
  const ofBoth = { ...ofDebian, lock: lockDigest(both), frameworksFrom: then.frameworksFrom };
  cache.prefix = then.prefix;
  await expect(restored(ofDebian, { mine: debian })).resolves.toBeUndefined();
  await expect(restored(ofBoth, { mine: both })).resolves.toBeUndefined();
  cache.prefix = now.prefix;
  await expect(restored(ofDebian, { mine: debian })).rejects.toThrow(/\(its packages are in .*now now\)/);
  await expect(restored({ ...ofBoth, folders: [now.lib] }, { mine: both })).rejects.toThrow(/now now/);
});

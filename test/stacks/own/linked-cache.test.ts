/** Stacks whose packages lie in a cache that a link leads to, or beside packages of somebody else. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type * as debian from '../../../src/stacks/own/debian.js';
import type { StackLock } from '../../../src/stacks/own/lock.js';
import type * as npm from '../../../src/stacks/own/npm.js';
import { onlyRequest } from '../../../src/stacks/own/request.js';
import { parseStackFile } from '../../../src/stacks/own/stack-file.js';
import { writePackage } from '../../support/frameworks.js';
import { withModule } from '../../support/mocked.js';

const LIBRARY = '/usr/lib/libmine.so';
const BACKEND = '@tensorflow/tfjs-backend-cpu';

/** What npm installs of it: the file that computes. */
let install: (folder: string) => void = () => {};
const installNpm: typeof npm.installNpm = async (_, folder) => install(folder);

const installedVersions: typeof debian.installedVersions = async () => ({});
const unpackDebian: typeof debian.unpackDebian = async (_, __, root) => {
  mkdirSync(dirname(join(root, LIBRARY)), { recursive: true });
  writeFileSync(join(root, LIBRARY), '');
  return { [LIBRARY]: 'libmine1' };
};

const { makeOwnStack } = await withModule('src/stacks/own/npm.ts', { installNpm }, () =>
  withModule(
    'src/stacks/own/debian.ts',
    { installedVersions, unpackDebian },
    () => import('../../../src/stacks/own/provision.js'),
  ),
);

beforeEach(() => {
  install = () => {};
});

const before = process.env.XDG_CACHE_HOME;
let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pi-bench-home-')));
  process.env.XDG_CACHE_HOME = join(home, '.cache');
});
afterEach(() => {
  if (before === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = before;
  rmSync(home, { recursive: true, force: true });
});

function made(entry: string, lock: Omit<StackLock, 'asks'>) {
  const [one] = parseStackFile(`stacks:\n  - {name: mine, ${entry}}`, 's.yaml');
  if (one === undefined) throw new Error('there is no stack');
  const described = { request: onlyRequest(one, 's.yaml'), folder: home };
  return makeOwnStack(described, { asks: 'a', ...lock }, { onStep: () => {} });
}

it('the package of a library is known, also where the cache is a link', async () => {
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), join(home, '.cache'));
  const packages = [{ name: 'libmine1', version: '1', sha256: 'a'.repeat(64), bytes: 1, asked: true }];
  const debian = { architecture: 'amd64', packages, system: [] };
  const stack = await made('stack: cblas, debian: [libmine1], library: usr/lib/libmine.so', {
    debian,
    npm: null,
  });
  expect(stack).toMatchObject({ owner: 'libmine1', problem: null });
});

const framework = () =>
  made(`stack: "tfjs:cpu", npm: {packages: {"${BACKEND}": "*"}}`, {
    debian: null,
    npm: { dependencies: { [BACKEND]: '*' }, installScripts: {}, lockfile: { packages: {} } },
  });

const writeBackend = (folder: string): void => {
  writePackage(folder, BACKEND, '');
  mkdirSync(join(folder, 'node_modules', BACKEND, 'dist'));
  writeFileSync(join(folder, 'node_modules', BACKEND, 'dist', 'tf-backend-cpu.node.js'), '');
};

it('a framework is taken from the stack’s packages', async () => {
  install = (folder) => {
    writeBackend(folder);
    writePackage(folder, '@tensorflow/tfjs-core', '');
  };
  await expect(framework()).resolves.toMatchObject({ problem: null });
});

it.each<[string, (folder: string) => void]>([
  ['lies around the cache', writeBackend],
  [
    'is a link out of it',
    (folder) => {
      writeBackend(folder);
      symlinkSync(
        join(home, 'node_modules/@tensorflow/tfjs-core'),
        join(folder, 'node_modules/@tensorflow/tfjs-core'),
      );
    },
  ],
])('a framework of which a package %s is refused', async (_, asInstalled) => {
  writePackage(home, '@tensorflow/tfjs-core', '');
  install = asInstalled;
  await expect(framework()).rejects.toThrow('its packages are not all that tfjs:cpu needs');
});

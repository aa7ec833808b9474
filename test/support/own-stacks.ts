/** Packages for tests of own stacks: of npm without a registry, of Debian where its lists and its archive can be reached. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { StackIdentity } from '../../src/record/schema.js';

export interface OwnCache {
  /** For whatever a test writes. */
  readonly folder: string;
  /** Below it, what XDG_CACHE_HOME says until `remove`. */
  readonly cache: string;
  remove(): void;
}

/** Caches, that of stacks among them, are kept below a folder of the test's own until it removes it. */
export function makeOwnCache(): OwnCache {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-own-'));
  const cache = join(folder, 'cache');
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = cache;
  return {
    folder,
    cache,
    remove() {
      if (before === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A stack of a stack file as a record has it, with a package of Debian that executes and one that it depends on. */
export const ownIdentity = (
  name: string,
  environment: Readonly<Record<string, string | null>> = {},
): NonNullable<StackIdentity['own']> => ({
  name,
  lock: 'c'.repeat(64),
  packages: [
    { manager: 'debian', name: 'libblis4', version: '0.9.0-1', checksum: 'a'.repeat(64), asked: true },
    { manager: 'debian', name: 'libgomp1', version: '12.2', checksum: 'b'.repeat(64), asked: false },
    { manager: 'npm', name: '@scope/two', version: '2.0.0', checksum: 'sha512-x', asked: true },
  ],
  environment: { ...environment },
});

/**
 * A package-lock.json whose only package is an archive beside it, with a script that it wants to run when it is installed.
 * @param script in the shell
 */
export function scriptedLockfile(folder: string, script: string): string {
  // As npm packs it.
  const source = join(folder, 'scripted', 'package');
  mkdirSync(source, { recursive: true });
  const manifest = { name: 'scripted', version: '1.0.0', scripts: { postinstall: script } };
  writeFileSync(join(source, 'package.json'), JSON.stringify(manifest));
  const archive = join(folder, 'scripted-1.0.0.tgz');
  const { status, stderr } = spawnSync('tar', ['czf', archive, 'package'], {
    cwd: dirname(source),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  const path = join(folder, 'package-lock.json');
  const packages = {
    '': { dependencies: { scripted: `file:${archive}` } },
    'node_modules/scripted': { version: '1.0.0', resolved: `file:${archive}`, integrity },
  };
  writeFileSync(path, JSON.stringify({ name: 'x', lockfileVersion: 3, requires: true, packages }));
  return path;
}

/**
 * Why packages of Debian cannot be had here; null: they can.
 * @param first is downloaded to see whether the archive answers; of the others the lists have to know
 */
export function noDebian(first: string, ...others: readonly string[]): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-apt-'));
  const canGet = (...args: readonly string[]): boolean => {
    const options = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10'];
    const { status } = spawnSync('apt-get', ['download', '-qq', ...options, ...args], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 60_000,
    });
    return status === 0;
  };
  try {
    const all = canGet(first) && (others.length === 0 || canGet('--print-uris', ...others));
    return all ? null : `apt cannot download ${[first, ...others].join(', ')} here`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why packages of npm cannot be had here; null: they can. */
export function noNpm(name: string): string | null {
  const { status } = spawnSync('npm', ['view', name, 'version'], { stdio: 'ignore', timeout: 60_000 });
  return status === 0 ? null : `npm has no answer about ${name} here`;
}

export function writeYaml(folder: string, name: string, content: object): string {
  const path = join(folder, name);
  // JSON is YAML too.
  writeFileSync(path, JSON.stringify(content, null, 1));
  return path;
}

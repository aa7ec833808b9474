import { describe, expect, it } from 'vitest';
import {
  lockDigest,
  lockedPackages,
  locksText,
  npmPackages,
  type StackLock,
} from '../../../src/stacks/own/lock.js';
import { parseLocks } from '../../../src/stacks/own/parse-locks.js';

const deb = (name: string, version = '1') => ({
  name,
  version,
  sha256: 'a'.repeat(64),
  bytes: 1,
  asked: name === 'b',
});
const lock: StackLock = {
  asks: 'x',
  debian: { architecture: 'amd64', packages: [deb('a'), deb('b')], system: ['libc6'] },
  npm: {
    dependencies: { one: '^1.0.0' },
    installScripts: {},
    lockfile: {
      packages: {
        '': { dependencies: { one: '^1.0.0' } },
        'node_modules/one': { version: '1.2.0', integrity: 'sha512-1' },
        'node_modules/one/node_modules/two': { version: '2.0.0', integrity: 'sha512-2' },
        'node_modules/one/node_modules/inside': { version: '3.0.0', inBundle: true },
      },
    },
  },
};

describe('the lock of a stack', () => {
  it('lists every package with its checksum, and says which were asked for', () => {
    expect(lockedPackages(lock)).toEqual([
      { manager: 'debian', name: 'a', version: '1', checksum: 'a'.repeat(64), asked: false },
      { manager: 'debian', name: 'b', version: '1', checksum: 'a'.repeat(64), asked: true },
      { manager: 'npm', name: 'one', version: '1.2.0', checksum: 'sha512-1', asked: true },
      { manager: 'npm', name: 'two', version: '2.0.0', checksum: 'sha512-2', asked: false },
    ]);
  });

  it('has a digest that changes with any package, and with nothing else', () => {
    const other = (debian: StackLock['debian']) => lockDigest({ ...lock, debian });
    const { debian } = lock;
    if (debian === null) throw new Error('the lock has packages of Debian');
    expect(lockDigest({ ...lock, asks: 'y' })).toBe(lockDigest(lock));
    expect(other({ ...debian, system: [] })).toBe(lockDigest(lock));
    expect(other({ ...debian, packages: [deb('a'), deb('b', '2')] })).not.toBe(lockDigest(lock));
    const resealed = { ...deb('b'), sha256: 'b'.repeat(64) };
    expect(other({ ...debian, packages: [deb('a'), resealed] })).not.toBe(lockDigest(lock));
    expect(other(null)).not.toBe(lockDigest(lock));
  });

  it('is the same after it was written and read', () => {
    expect(parseLocks(locksText({ mine: lock }), 's.lock')).toEqual({ mine: lock });
  });

  it.each([
    ['{}', /^s\.lock:1: kind: /],
    ['{"kind": "pi-bench stack lock", "schemaVersion": 1, "stacks": {"a": {}}}', /^s\.lock:1: stacks\.a/],
    ['not a lock', /^s\.lock:1: /],
  ])('is refused where it is none: %j', (content, says) => {
    expect(() => parseLocks(content, 's.lock')).toThrow(says);
  });

  it.each([
    [{ lockfileVersion: 1, dependencies: {} }, /has no packages: write it anew with npm 7/],
    [{ packages: { 'node_modules/a': { version: '1.0.0' } } }, /does not say exactly which a/],
    [{ packages: { 'node_modules/a': { link: true, resolved: '../a' } } }, /does not say exactly which a/],
  ])('does not take a lockfile of npm that leaves open what is meant: %j', (lockfile, says) => {
    expect(() => npmPackages(lockfile)).toThrow(says);
  });
});

// One builder at a time, and nobody waits for one that was ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { beat, tryLock, unlock, withLock } from '../../scripts/lib/build-lock.mjs';
import { myself, stateOf } from '../../scripts/lib/lock-owner.mjs';
import { until } from '../support/pi-bench.js';

const MODULE = pathToFileURL(join('scripts', 'lib', 'build-lock.mjs')).href;

let folder = '';
let lock = '';
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-lock-'));
  lock = join(folder, 'build.lock');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A process that takes the lock and then does nothing but what `meanwhile` says; with what it printed first. */
async function holder(meanwhile = 'console.log("held")'): Promise<{ child: ChildProcess; said: string }> {
  const text = `
    const { withLockAsync } = await import(${JSON.stringify(MODULE)});
    const { spawn } = await import('node:child_process');
    setInterval(() => {}, 1000);
    await withLockAsync(${JSON.stringify(lock)}, () => { ${meanwhile}; return new Promise(() => {}); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return { child, said: String(said).trim() };
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

const HOUR_AGO = new Date(Date.now() - 3_600_000);
const TWO_HOURS_AGO = new Date(Date.now() - 7_200_000);

/** A lock as another builder left it. */
function lockOf(owner: object | undefined, made = new Date()): void {
  mkdirSync(lock);
  if (owner !== undefined) writeFileSync(join(lock, 'owner'), JSON.stringify(owner));
  utimesSync(lock, made, made);
}

test('a lock is taken once, and again when it was freed', () => {
  expect(tryLock(lock)).toBe(true);
  expect(tryLock(lock)).toBe(false);
  unlock(lock);
  expect(tryLock(lock)).toBe(true);
});

test('a lock is held while its process lives, however old it is', async () => {
  await holder();
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  expect(tryLock(lock)).toBe(false);
});

test('a lock is taken over at once when its process was killed', async () => {
  await end((await holder()).child);
  expect(existsSync(lock)).toBe(true);
  expect(withLock(lock, () => 'built')).toBe('built');
  expect(existsSync(lock)).toBe(false);
});

test('a process that has the number of the one that was killed holds nothing', async () => {
  expect(tryLock(lock)).toBe(true);
  const owner = JSON.parse(readFileSync(join(lock, 'owner'), 'utf8'));
  writeFileSync(join(lock, 'owner'), JSON.stringify({ ...owner, began: '1' }));
  expect(tryLock(lock)).toBe(true);
});

test('a lock is held while anything still works that a killed process started, whatever it is', async () => {
  const { child, said } = await holder("console.log(spawn('/bin/sleep', ['100'], { stdio: 'ignore' }).pid)");
  await end(child);
  expect(tryLock(lock)).toBe(false);
  process.kill(Number(said), 'SIGKILL');
  await until(() => (tryLock(lock) ? true : undefined), 'the lock');
});

test('what a killed process left at work for ever is waited for an hour', async () => {
  const { child, said } = await holder("console.log(spawn('/bin/sleep', ['100'], { stdio: 'ignore' }).pid)");
  await end(child);
  utimesSync(lock, TWO_HOURS_AGO, TWO_HOURS_AGO);
  expect(tryLock(lock)).toBe(true);
  process.kill(Number(said), 'SIGKILL');
});

test('a lock that somebody took over is not freed by who had it before', () => {
  const theirs = { where: 'another machine', pid: 1, began: '1' };
  withLock(lock, () => writeFileSync(join(lock, 'owner'), JSON.stringify(theirs)));
  expect(JSON.parse(readFileSync(join(lock, 'owner'), 'utf8'))).toEqual(theirs);
});

test('who holds a lock says so now and then, also while it waits for what it builds', async () => {
  expect(tryLock(lock)).toBe(true);
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  const silence = beat(lock, 10);
  for (let waited = 0; statSync(lock).mtimeMs <= HOUR_AGO.getTime() && waited < 600; waited++)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  expect(statSync(lock).mtimeMs).toBeGreaterThan(HOUR_AGO.getTime());
  // It is somebody else's now.
  writeFileSync(join(lock, 'owner'), '{}');
  await new Promise((resolve) => setTimeout(resolve, 100));
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  await new Promise((resolve) => setTimeout(resolve, 100));
  // To the millisecond: file systems keep times in other units.
  expect(statSync(lock).mtimeMs).toBeCloseTo(HOUR_AGO.getTime(), 0);
  silence();
});

test('a living process of somebody else that /proc does not show is not taken for one that is gone', () => {
  const owner = { ...myself(), pid: 4242 };
  const hidden = { statOf: () => undefined, isOfOthers: () => true };
  expect(stateOf(owner, hidden)).toBe('unknown');
  expect(stateOf(owner, { ...hidden, isOfOthers: () => false })).toBe('gone');
  expect(stateOf(myself())).toBe('lives');
});

test('who cannot be looked up holds a lock for ten minutes', () => {
  lockOf({ where: 'another machine', pid: 1, began: '1' });
  expect(tryLock(lock)).toBe(false);
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  expect(tryLock(lock)).toBe(true);
});

test('a lock in which no owner stands is one that is being made, but not for long', () => {
  lockOf(undefined);
  expect(tryLock(lock)).toBe(false);
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  expect(tryLock(lock)).toBe(true);
});

test('who has to wait is told for whom', async () => {
  const { child } = await holder();
  const told: string[] = [];
  const result = withLock(
    lock,
    () => 'built',
    (whom) => {
      told.push(whom);
      child.kill('SIGKILL');
    },
  );
  expect(result).toBe('built');
  expect(told).toEqual([`process ${child.pid}, which holds ${lock}`]);
});

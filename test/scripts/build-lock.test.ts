// One builder at a time, and nobody waits for one that was ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tryLock, unlock, withLock } from '../../scripts/lib/build-lock.mjs';

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

/** A process that takes the lock and then does nothing. */
async function holder(): Promise<ChildProcess> {
  const text = `
    const { tryLock } = await import(${JSON.stringify(MODULE)});
    console.log(tryLock(${JSON.stringify(lock)}, ${JSON.stringify(folder)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  expect(String(said).trim()).toBe('true');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

const HOUR_AGO = new Date(Date.now() - 3_600_000);

/** A lock as another builder left it. */
function lockOf(owner: object | undefined, made = new Date()): void {
  mkdirSync(lock);
  if (owner !== undefined) writeFileSync(join(lock, 'owner'), JSON.stringify(owner));
  utimesSync(lock, made, made);
}

test('a lock is taken once, and again when it was freed', () => {
  expect(tryLock(lock, folder)).toBe(true);
  expect(tryLock(lock, folder)).toBe(false);
  unlock(lock);
  expect(tryLock(lock, folder)).toBe(true);
});

test('a lock is held while its process lives, however old it is', async () => {
  await holder();
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  expect(tryLock(lock, folder)).toBe(false);
});

test('a lock is taken over at once when its process was killed', async () => {
  await end(await holder());
  expect(existsSync(lock)).toBe(true);
  expect(withLock(lock, folder, () => 'built')).toBe('built');
  expect(existsSync(lock)).toBe(false);
});

test('a process that has the number of the one that was killed holds nothing', async () => {
  expect(tryLock(lock, folder)).toBe(true);
  const owner = JSON.parse(readFileSync(join(lock, 'owner'), 'utf8'));
  writeFileSync(join(lock, 'owner'), JSON.stringify({ ...owner, began: '1' }));
  expect(tryLock(lock, folder)).toBe(true);
});

test('a lock is held while the make of a killed process still works', async () => {
  await end(await holder());
  const make = join(folder, 'make');
  symlinkSync('/bin/sleep', make);
  const working = spawn(make, ['100'], { cwd: folder, stdio: 'ignore' });
  children.push(working);
  await once(working, 'spawn');
  expect(tryLock(lock, folder)).toBe(false);
  await end(working);
  expect(tryLock(lock, folder)).toBe(true);
});

test('who cannot be looked up holds a lock for ten minutes', () => {
  lockOf({ where: 'another machine', pid: 1, began: '1' });
  expect(tryLock(lock, folder)).toBe(false);
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  expect(tryLock(lock, folder)).toBe(true);
});

test('a lock in which no owner stands is one that is being made, but not for long', () => {
  lockOf(undefined);
  expect(tryLock(lock, folder)).toBe(false);
  utimesSync(lock, HOUR_AGO, HOUR_AGO);
  expect(tryLock(lock, folder)).toBe(true);
});

test('who has to wait is told for whom', async () => {
  const child = await holder();
  const told: string[] = [];
  const result = withLock(
    lock,
    folder,
    () => 'built',
    (whom) => {
      told.push(whom);
      child.kill('SIGKILL');
    },
  );
  expect(result).toBe('built');
  expect(told).toEqual([`process ${child.pid}, which holds ${lock}`]);
});

// One builder at a time, whichever process it is in: a folder, which is made atomically, with a file that names the process
// that holds it. What a builder that was ended leaves behind is taken over at once, not waited for.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { leftAtWork, markWhatIsStarted, myself, stateOf } from './lock-owner.mjs';
import { readIfThere } from './source-record.mjs';

const POLL_MS = 200;
/** A lock in which no owner stands is one that is being made or freed; so long that takes nobody. */
const OWNERLESS_MS = 10_000;
/** A holder says so often that it lives. */
const BEAT_MS = 60_000;
/** A lock whose owner cannot be looked up, as it is on another machine or in another container, is dead when it said nothing so long. */
const FOREIGN_MS = 600_000;
/** What an owner that was ended has left at work is waited for so long: something may stay for ever, a compiler's cache for one. */
const ORPHANED_MS = 3_600_000;

const ownerFile = (lock) => join(lock, 'owner');

const ownerOf = (lock) => {
  try {
    return JSON.parse(readIfThere(ownerFile(lock)) ?? '');
  } catch {
    return undefined;
  }
};

/** Whether nobody holds a lock any more. */
function abandoned(lock) {
  const said = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (said === undefined) return false;
  const age = Date.now() - said;
  const owner = ownerOf(lock);
  if (owner === undefined) return age > OWNERLESS_MS;
  const state = stateOf(owner);
  if (state === 'unknown') return age > FOREIGN_MS;
  return state === 'gone' && (age > ORPHANED_MS || !leftAtWork(owner));
}

function made(path) {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Removes an abandoned lock. One remover at a time: a second would remove the lock that somebody made behind the first. */
function removeAbandoned(lock) {
  const removing = `${lock}.removing`;
  if (!made(removing)) {
    const since = statSync(removing, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > OWNERLESS_MS) rmSync(removing, { recursive: true, force: true });
    return;
  }
  try {
    if (abandoned(lock)) rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(removing, { recursive: true, force: true });
  }
}

/**
 * Takes a lock where nobody holds it. Returns whether it is ours now.
 * @param {string} lock
 */
export function tryLock(lock) {
  if (abandoned(lock)) removeAbandoned(lock);
  if (!made(lock)) return false;
  writeFileSync(ownerFile(lock), JSON.stringify(myself()));
  return true;
}

/**
 * Frees a lock, unless somebody took it over meanwhile.
 * @param {string} lock
 */
export function unlock(lock) {
  if (readIfThere(ownerFile(lock)) === JSON.stringify(myself()))
    rmSync(lock, { recursive: true, force: true });
}

/** Takes a lock as soon as it is free. Where it has to wait, it calls `onWait` once, with what is waited for. */
function waitForLock(lock, onWait) {
  for (let told = false; !tryLock(lock); ) {
    const pid = ownerOf(lock)?.pid;
    if (!told && pid !== undefined) {
      onWait(`process ${pid}, which holds ${lock}`);
      told = true;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/**
 * Says now and then that a lock is held, in a thread: what is built is waited for here. Returns what ends that.
 * @param {string} lock
 * @param {number} [every] in milliseconds
 */
export function beat(lock, every = BEAT_MS) {
  const worker = new Worker(new URL('lock-beat.mjs', import.meta.url), {
    workerData: { lock, owner: ownerFile(lock), said: readIfThere(ownerFile(lock)), every },
    // It is ours alone, whatever the command was started with.
    execArgv: [],
  });
  worker.unref();
  // Without it, who is elsewhere may take the lock over after ten minutes: no reason not to build.
  worker.on('error', () => {});
  return () => void worker.terminate();
}

/** What goes with holding a lock; returns what ends it. */
function hold(lock) {
  const silence = beat(lock);
  const unmark = markWhatIsStarted();
  return () => {
    unmark();
    silence();
    unlock(lock);
  };
}

/**
 * Does `work` with a lock, which is waited for; returns what that returns.
 * @template T
 * @param {string} lock
 * @param {() => T} work
 * @param {(whom: string) => void} [onWait]
 */
export function withLock(lock, work, onWait = () => {}) {
  waitForLock(lock, onWait);
  const release = hold(lock);
  try {
    return work();
  } finally {
    release();
  }
}

/**
 * The same with work that takes its time: the lock is held until its promise is settled.
 * @template T
 * @param {string} lock
 * @param {() => Promise<T>} work
 * @param {(whom: string) => void} [onWait]
 */
export async function withLockAsync(lock, work, onWait = () => {}) {
  waitForLock(lock, onWait);
  const release = hold(lock);
  try {
    return await work();
  } finally {
    release();
  }
}

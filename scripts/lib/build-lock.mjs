// One builder at a time, whichever process it is in: a folder, which is made atomically, with a file that names the process
// that holds it. What a builder that was ended leaves behind is taken over at once, not waited for.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const POLL_MS = 200;
/** A lock in which no owner stands is one that is being made or freed; so long that takes nobody. */
const OWNERLESS_MS = 10_000;
/** A lock whose owner cannot be looked up, as it is on another machine or in another container, is dead after so long. */
const FOREIGN_MS = 600_000;

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** When a process began, in ticks since the machine did, which no other process with its number shares; undefined: it is gone. */
function beginOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may hold anything. Behind it stand the fields from the third, the state, on.
  const [state, ...rest] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || state === 'Z' || state === 'X' ? undefined : rest[18];
}

/** Where a process number means something: one run of one machine, and there one container. */
function whereNumbersCount() {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

const ownerOf = (lock) => {
  try {
    return JSON.parse(read(join(lock, 'owner')) ?? '');
  } catch {
    return undefined;
  }
};

const myself = () => ({ where: whereNumbersCount(), pid: process.pid, began: beginOf(process.pid) });

/** Whether make still works in a folder: it goes on where only the process that started it was ended. */
function makeWorksIn(folder) {
  if (!existsSync(folder)) return false;
  const real = realpathSync(folder);
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || !/^g?make$/.test(read(`/proc/${pid}/comm`)?.trim() ?? '')) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === real;
    } catch {
      return false;
    }
  });
}

/** Whether nobody holds a lock any more. `folder`: where its holders let make work. */
function abandoned(lock, folder) {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) return false;
  const age = Date.now() - made;
  const owner = ownerOf(lock);
  if (owner === undefined) return age > OWNERLESS_MS;
  if (owner.where !== whereNumbersCount()) return age > FOREIGN_MS;
  return beginOf(owner.pid) !== owner.began && !makeWorksIn(folder);
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
function removeAbandoned(lock, folder) {
  const removing = `${lock}.removing`;
  if (!made(removing)) {
    const since = statSync(removing, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > OWNERLESS_MS) rmSync(removing, { recursive: true, force: true });
    return;
  }
  try {
    if (abandoned(lock, folder)) rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(removing, { recursive: true, force: true });
  }
}

/**
 * Takes a lock where nobody holds it. Returns whether it is ours now.
 * @param {string} lock
 * @param {string} folder where its holders let make work
 */
export function tryLock(lock, folder) {
  if (abandoned(lock, folder)) removeAbandoned(lock, folder);
  if (!made(lock)) return false;
  writeFileSync(join(lock, 'owner'), JSON.stringify(myself()));
  return true;
}

/** @param {string} lock */
export const unlock = (lock) => rmSync(lock, { recursive: true, force: true });

/** Takes a lock as soon as it is free. Where it has to wait, it calls `onWait` once, with what is waited for. */
function waitForLock(lock, folder, onWait) {
  for (let told = false; !tryLock(lock, folder); ) {
    const pid = ownerOf(lock)?.pid;
    if (!told && pid !== undefined) {
      onWait(`process ${pid}, which holds ${lock}`);
      told = true;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/**
 * Does `work` with a lock, which is waited for; returns what that returns.
 * @template T
 * @param {string} lock
 * @param {string} folder
 * @param {() => T} work
 * @param {(whom: string) => void} [onWait]
 */
export function withLock(lock, folder, work, onWait = () => {}) {
  waitForLock(lock, folder, onWait);
  try {
    return work();
  } finally {
    unlock(lock);
  }
}

/**
 * The same with work that takes its time: the lock is held until its promise is settled.
 * @template T
 * @param {string} lock
 * @param {string} folder
 * @param {() => Promise<T>} work
 * @param {(whom: string) => void} [onWait]
 */
export async function withLockAsync(lock, folder, work, onWait = () => {}) {
  waitForLock(lock, folder, onWait);
  try {
    return await work();
  } finally {
    unlock(lock);
  }
}

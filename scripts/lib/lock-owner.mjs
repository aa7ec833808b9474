// Who holds a lock, and whether that one, or what it started, is still at work.
import { readdirSync, readlinkSync } from 'node:fs';
import { readIfThere } from './source-record.mjs';

/** In the environment of all that the holder of a lock starts: it goes on where only the holder was ended. */
const MARK = 'PIBENCH_BUILDER';

/** @typedef {{ where: string, pid: number, began: string | undefined }} Owner */

/** What is asked of the system. */
export const SYSTEM = {
  /** @param {number | string} pid */
  statOf: (pid) => readIfThere(`/proc/${pid}/stat`),
  /**
   * Whether a process of another user has this number; /proc may hide those (hidepid).
   * @param {number} pid
   */
  isOfOthers: (pid) => {
    try {
      process.kill(pid, 0);
      return false;
    } catch (error) {
      return error.code === 'EPERM';
    }
  },
};

/** When a process began, in ticks since the machine did, which no other process with its number shares; undefined: it is gone. */
function beginOf(stat) {
  // The name of the program, in parentheses, may hold anything. Behind it stand the fields from the third, the state, on.
  const [state, ...rest] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || state === 'Z' || state === 'X' ? undefined : rest[18];
}

/** Where a process number means something: one run of one machine, and there one container. */
function whereNumbersCount() {
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

/** @returns {Owner} */
export const myself = () => ({
  where: whereNumbersCount(),
  pid: process.pid,
  began: beginOf(SYSTEM.statOf(process.pid)),
});

/** @param {Owner} owner */
const markOf = ({ pid, began }) => `${pid}-${began}`;

/** Marks what this process starts from now on; returns what ends that. */
export function markWhatIsStarted() {
  process.env[MARK] = markOf(myself());
  return () => {
    delete process.env[MARK];
  };
}

/**
 * Whether a process that an owner started is still at work.
 * @param {Owner} owner
 */
export function leftAtWork(owner) {
  const mark = `${MARK}=${markOf(owner)}`;
  return readdirSync('/proc').some(
    (pid) => /^\d+$/.test(pid) && readIfThere(`/proc/${pid}/environ`)?.split('\0').includes(mark) === true,
  );
}

/**
 * How an owner is. Unknown: it is on another machine, in another container, or a process of somebody else that cannot be looked up.
 * @param {Owner} owner
 * @param {typeof SYSTEM} [system]
 * @returns {'lives' | 'gone' | 'unknown'}
 */
export function stateOf(owner, system = SYSTEM) {
  if (owner.where !== whereNumbersCount()) return 'unknown';
  const stat = system.statOf(owner.pid);
  if (stat === undefined && system.isOfOthers(owner.pid)) return 'unknown';
  return beginOf(stat) === owner.began ? 'lives' : 'gone';
}

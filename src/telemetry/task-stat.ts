/** /proc/<pid>/stat and /proc/<pid>/task/<tid>/stat: faults, CPU time in ticks, the CPU it last ran on, and whether it is ending. */
import { wholeNumber } from '../machine/linux/reader.js';

export interface TaskStat {
  readonly minorFaults: number;
  readonly majorFaults: number;
  readonly userTicks: number;
  readonly systemTicks: number;
  /** The CPU on which it last ran. */
  readonly cpu: number;
}

/** proc(5) numbers the fields from 1; the first one after the command's name is 3. */
const FIRST_FIELD = 3;

/** By their numbers; null when the text is no stat line. The command's name may hold spaces, parentheses and newlines. */
function fieldsOf(text: string): ((number: number) => string | undefined) | null {
  const close = text.lastIndexOf(')');
  if (close < 0) return null;
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  return (number) => fields[number - FIRST_FIELD];
}

export function parseTaskStat(text: string): TaskStat | null {
  const fields = fieldsOf(text);
  if (fields === null) return null;
  const field = (number: number): number | null => wholeNumber(fields(number));
  const [minorFaults, majorFaults] = [field(10), field(12)];
  const [userTicks, systemTicks] = [field(14), field(15)];
  const cpu = field(39);
  if (
    minorFaults === null ||
    majorFaults === null ||
    userTicks === null ||
    systemTicks === null ||
    cpu === null
  ) {
    return null;
  }
  return { minorFaults, majorFaults, userTicks, systemTicks, cpu };
}

/** PF_EXITING of the kernel's sched.h. */
const EXITING = 4;

export interface ProcessState {
  readonly group: number;
  /** The kernel is at its end, and not done with it: not where it is a zombie, all of whose threads are gone. */
  readonly isEnding: boolean;
}

/** Of /proc/<pid>/stat. */
export function parseProcessState(text: string): ProcessState | null {
  const fields = fieldsOf(text);
  if (fields === null) return null;
  const [group, flags, threads] = [5, 9, 20].map((number) => wholeNumber(fields(number)));
  if (group == null || flags == null || threads == null) return null;
  const isGone = /^[ZXx]$/.test(fields(3) ?? '') && threads <= 1;
  return { group, isEnding: (flags & EXITING) !== 0 && !isGone };
}

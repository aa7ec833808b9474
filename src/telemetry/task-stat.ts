/** /proc/<pid>/stat and /proc/<pid>/task/<tid>/stat: faults, CPU time in ticks, and the CPU it last ran on. */
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

/** null when the text is no stat line. The command's name may hold spaces, parentheses and newlines. */
export function parseTaskStat(text: string): TaskStat | null {
  const close = text.lastIndexOf(')');
  if (close < 0) return null;
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  const field = (number: number): number | null => wholeNumber(fields[number - FIRST_FIELD]);
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

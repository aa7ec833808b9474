/** /proc/<pid>/task/<tid>/schedstat: time on a CPU, time waiting for one, and time slices. */

import { wholeNumber } from '../machine/linux/reader.js';

export interface Schedstat {
  readonly runNanoseconds: number;
  readonly delayNanoseconds: number;
  readonly timeslices: number;
}

/** null when the text is no schedstat, or is the `0 0 0` of a kernel that keeps no such account. */
export function parseSchedstat(text: string): Schedstat | null {
  const fields = text.trim().split(/\s+/).map(wholeNumber);
  const [run, delay, timeslices] = fields;
  if (fields.length !== 3 || run == null || delay == null || timeslices == null) return null;
  // A thread whose file is being read has run: a run time of 0 is a kernel without the account, not a measurement.
  if (run === 0 && delay === 0 && timeslices === 0) return null;
  return { runNanoseconds: run, delayNanoseconds: delay, timeslices };
}

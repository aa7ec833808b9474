/** cpu.stat of a control group, v1 and v2: how often and how long its CPU quota held it back. */
import { keyedNumbers } from '../machine/linux/reader.js';

export interface CgroupCpuStat {
  readonly version: 1 | 2;
  readonly periods: number;
  readonly throttledPeriods: number;
  /** Of all the CPUs of the group, added up. */
  readonly throttledNanoseconds: number;
}

const NANOSECONDS_A_MICROSECOND = 1000;

/**
 * v1 writes throttled_time in nanoseconds, v2 throttled_usec in microseconds. A v2 group for which the cpu controller
 * is off, such as the root, has usage only: nothing throttles it, and its counts are 0. null when the text is neither.
 */
export function parseCgroupCpuStat(text: string): CgroupCpuStat | null {
  const numbers = keyedNumbers(text);
  const periods = numbers.get('nr_periods');
  const throttledPeriods = numbers.get('nr_throttled');
  const nanoseconds = numbers.get('throttled_time');
  const microseconds = numbers.get('throttled_usec');
  if (periods !== undefined && throttledPeriods !== undefined) {
    if (microseconds !== undefined) {
      return {
        version: 2,
        periods,
        throttledPeriods,
        throttledNanoseconds: microseconds * NANOSECONDS_A_MICROSECOND,
      };
    }
    if (nanoseconds !== undefined) {
      return { version: 1, periods, throttledPeriods, throttledNanoseconds: nanoseconds };
    }
  }
  if (periods === undefined && numbers.has('usage_usec')) {
    return { version: 2, periods: 0, throttledPeriods: 0, throttledNanoseconds: 0 };
  }
  return null;
}

/**
 * Throttling from a process document alone (an imported benchmark: CPU time, limit, repetitions, median), where nobody
 * read the control group's counters.
 *
 * If a repetition's median were typical, the process could not have used more than the limit's CPUs during the
 * repetitions, so its CPU time less what the start took is at most limit x repetitions x elapsed. More means that the
 * clock ran on between the repetitions, or in the few that the median hides: the threads used more CPUs than the limit
 * in bursts, and stood still in between. The converse does not hold: when most repetitions are throttled, the median
 * contains the standstill, and this finds nothing.
 *
 * What the start took is a guess where nobody published it. Of few short repetitions a start that took a little more would be all
 * that is left over, so nothing is said where a start twice as long would explain it.
 */
import { formatSeconds, plural, significant } from '../../quantities/format.js';
import type { Seconds } from '../../units.js';
import type { Flag } from './types.js';

export interface ProcessDocument {
  /** User and system time of the whole process. */
  readonly cpuTime: Seconds;
  /** CPUs' worth of time that the process may use. */
  readonly cpuLimit: number;
  readonly repetitions: number;
  /** Median of a repetition. */
  readonly elapsed: Seconds;
  /** CPU time that start, imports, warm-up and end are granted. Default: 10 s, twice what an import of TensorFlow takes. */
  readonly startCpuTime?: Seconds;
}

const START: Seconds = 10;
/** A mean over its median: that much without any throttling. */
const LEAST_RATIO = 1.5;

/** null: not shown, or not knowable (a figure that is not positive, or a run shorter than its start). */
export function throttledByProcessDocument(document: ProcessDocument): Flag | null {
  const { cpuTime, cpuLimit, repetitions, elapsed, startCpuTime = START } = document;
  const claimed = repetitions * elapsed;
  if (!(cpuTime > 0 && cpuTime < Number.POSITIVE_INFINITY && cpuLimit > 0 && claimed > 0)) return null;
  const repetitionsCpuTime = cpuTime - startCpuTime;
  const impliedCpus = repetitionsCpuTime / claimed;
  const surplus = repetitionsCpuTime - cpuLimit * claimed;
  if (!(impliedCpus > LEAST_RATIO * cpuLimit && surplus > startCpuTime)) return null;
  const sustained = repetitionsCpuTime / cpuLimit;
  return {
    name: 'throttled',
    reason: `the process used ${formatSeconds(cpuTime, 3)} of CPU time; at ${plural(cpuLimit, 'CPU')} and with ${formatSeconds(startCpuTime, 2)} of it taken to be its start’s that is at least ${formatSeconds(sustained, 3)} for ${plural(repetitions, 'repetition')}, which at their median add up to ${formatSeconds(claimed, 3)}: the median is a burst, and the sustained rate ${significant(sustained / claimed, 2)} times lower`,
    evidence: {
      cpuSeconds: cpuTime,
      cpuLimit,
      repetitions,
      elapsedSeconds: elapsed,
      startCpuSeconds: startCpuTime,
      claimedSeconds: claimed,
      impliedCpus,
      /** CPU time / limit over repetitions x elapsed, nothing granted for the start. */
      ratio: cpuTime / cpuLimit / claimed,
    },
  };
}

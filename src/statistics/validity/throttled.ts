/** A CPU quota stopped the threads: the rate inside a repetition is then a burst that the machine does not sustain. */
import type { Seconds } from '../../units.js';
import { type Detector, milliseconds, percent } from './detector.js';

export const throttled: Detector = {
  name: 'throttled',
  detect({ telemetry: { cgroup, window } }) {
    if (cgroup === null || cgroup.throttledPeriods === 0) return null;
    const share = cgroup.throttledPeriods / Math.max(1, cgroup.periods);
    const quota = cgroup.quotaCpus === null ? 'its CPU quota' : `its quota of ${cgroup.quotaCpus} CPUs`;
    return {
      reason: `the control group used up ${quota} in ${percent(share)} of the periods and stood still for ${milliseconds(cgroup.throttledTime)} of ${milliseconds(window)}; the sustained rate is what it can keep up`,
      evidence: {
        quotaCpus: cgroup.quotaCpus,
        periodSeconds: cgroup.period,
        periods: cgroup.periods,
        throttledPeriods: cgroup.throttledPeriods,
        throttledSeconds: cgroup.throttledTime,
        windowSeconds: window,
      },
    };
  },
  blindness: ({ telemetry: { cgroup } }) => (cgroup === null ? 'the control group’s counters are not visible' : null),
};

/** What a finished process left behind: enough to see that it was throttled, even years later. */
export interface ProcessDocument {
  /** User and system time of the process. */
  readonly cpuTime: Seconds;
  /** CPUs' worth of time it was allowed. */
  readonly cpuLimit: number;
  readonly repetitions: number;
  /** What it reported for one repetition. */
  readonly elapsed: Seconds;
}

/** CPU time that a framework may take to start, and how far above the repetitions the rest may be. */
const START: Seconds = 5;
const FACTOR = 2;

/**
 * From a process document alone: a process that was allowed `cpuLimit` CPUs cannot have spent its CPU time in less than
 * cpuTime / cpuLimit of wall time; when that is far above repetitions x elapsed, the time that it reported for a
 * repetition is that of the bursts between two throttlings.
 * @returns how many times longer a repetition really took, or null when nothing points to throttling
 */
export function throttledByProcessDocument({ cpuTime, cpuLimit, repetitions, elapsed }: ProcessDocument): number | null {
  const leastWall = Math.max(0, cpuTime - START) / cpuLimit;
  const reported = repetitions * elapsed;
  return leastWall > FACTOR * reported ? leastWall / reported : null;
}

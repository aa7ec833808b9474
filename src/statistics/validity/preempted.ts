/**
 * Somebody else ran on the CPUs in the measuring threads' time. On a shared machine steal stays at zero while a
 * neighbour's load triples a median: run-queue delay, involuntary switches and CPU time against wall time show it.
 */
import type { Observation } from '../../telemetry/types.js';
import { type Detector, milliseconds, percent } from './detector.js';

/** A quiet machine: under 0.1 % of delay, 0.5 to 5 % of the repetitions with a switch; a loaded one 35 to 90 %. */
const MOST_DELAY = 0.01;
const MOST_DISTURBED = 0.1;
const LEAST_CPU_SHARE = 0.97;
/** CPU time is brought up to date at ticks: a shorter window says little. */
const LEAST_WINDOW = 0.2;

interface Findings {
  /** Of threads x window. */
  readonly delayShare: number | null;
  readonly delay: number;
  readonly cpuShare: number | null;
  readonly disturbedShare: number | null;
  readonly switches: number;
}

function find({ telemetry, disturbed, samples, threads }: Observation): Findings {
  const own = telemetry.threads;
  const time = telemetry.window * own.length;
  const delays = own.flatMap(({ runDelay }) => (runDelay === null ? [] : [runDelay]));
  const delay = delays.reduce((sum, value) => sum + value, 0);
  // A quota's standstill counts as waiting too; that is the other flag's affair.
  const quiet = (telemetry.cgroup?.throttledPeriods ?? 0) === 0 && time > 0;
  const cpu = own.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  return {
    delay,
    delayShare: quiet && delays.length > 0 ? delay / time : null,
    cpuShare: quiet && telemetry.window >= LEAST_WINDOW && own.length === threads ? cpu / time : null,
    disturbedShare: disturbed === null || !quiet ? null : disturbed.length / Math.max(1, samples.length),
    switches: own.reduce((sum, { involuntarySwitches }) => sum + involuntarySwitches, 0),
  };
}

export const preempted: Detector = {
  name: 'preempted',
  detect(observation) {
    const { delay, delayShare, cpuShare, disturbedShare, switches } = find(observation);
    const signs: string[] = [];
    if (delayShare !== null && delayShare > MOST_DELAY) {
      signs.push(`the threads waited ${milliseconds(delay)} for a CPU (${percent(delayShare)} of their time)`);
    }
    if (disturbedShare !== null && disturbedShare > MOST_DISTURBED) {
      signs.push(`${percent(disturbedShare)} of the repetitions lost a CPU meanwhile`);
    }
    if (cpuShare !== null && cpuShare < LEAST_CPU_SHARE) {
      signs.push(`they were on a CPU for ${percent(cpuShare)} of the time`);
    }
    if (signs.length === 0) return null;
    return {
      reason: `another load shared the CPUs: ${signs.join('; ')} (${switches} involuntary switches)`,
      evidence: { runDelaySeconds: delay, delayShare, cpuShare, disturbedShare, involuntarySwitches: switches },
    };
  },
  blindness(observation) {
    const { delayShare, disturbedShare } = find(observation);
    if (delayShare !== null || disturbedShare !== null) return null;
    return (observation.telemetry.cgroup?.throttledPeriods ?? 0) > 0
      ? 'the quota’s standstill hides whether others ran'
      : 'the kernel tells neither how long a thread waited nor whether it lost its CPU';
  },
};

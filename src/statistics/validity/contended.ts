/** Other work ran on the machine, whether or not it took this launch's CPUs: caches, memory and clocks are shared. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import {
  type Detector,
  LEAST_TICKS,
  LEAST_WINDOW,
  whyMissing,
  whyTooFewTicks,
  whyTooShort,
} from './detector.js';
import { unaskedThreads } from './own-threads.js';

/** Of the machine's CPU time; and of one CPU beyond those that the measuring threads leave free. */
const MOST_SHARE = 0.05;
/** Of each of these CPUs: what a kernel and its daemons do on every one of them. */
const MOST_OF_OWN = 0.01;
/** Of the time in which some task waited. Quiet machines: under 1 %. */
const MOST_PRESSURE = 0.1;
/** Of the time in which somebody waited for a CPU: what the measuring threads waited for the library's other ones explains it. */
const MOST_OF_WAIT = 0.5;

/** What others may use. */
function mostOfOthers({ threads, telemetry: { window, onlineCpus } }: Observation): Seconds {
  const spare = Math.max(0, onlineCpus - threads);
  const ofOwn = Math.max(MOST_SHARE, MOST_OF_OWN * Math.min(threads, onlineCpus));
  return window * Math.min(MOST_SHARE * onlineCpus, spare + ofOwn);
}

/** What others used where it is too much. */
function othersLoad(observation: Observation): Seconds | null {
  const { telemetry, beside = 0 } = observation;
  if (beside > 0) return null;
  const { otherCpuTime, window } = telemetry;
  if (otherCpuTime === null || otherCpuTime < LEAST_TICKS || window < LEAST_WINDOW) return null;
  return otherCpuTime > mostOfOthers(observation) ? otherCpuTime : null;
}

/** Pressure that this launch does not make itself: too many threads, or a quota, have tasks wait too. */
function pressures(observation: Observation): string[] {
  const { threads, telemetry, beside = 0 } = observation;
  if (beside > 0) return [];
  const { cpuPressure, memoryPressure, ioPressure, window, allowedCpus, cgroup } = telemetry;
  const own = unaskedThreads(observation);
  const waitedForOwn =
    own !== null && (own.waited === null || own.waited >= MOST_OF_WAIT * (cpuPressure ?? 0));
  const ownWait = threads > allowedCpus || waitedForOwn || (cgroup?.throttledPeriods ?? 0) > 0;
  const kinds = [
    ['a CPU', ownWait ? null : cpuPressure],
    ['memory', memoryPressure],
    ['input or output', ioPressure],
  ] as const;
  return kinds.flatMap(([kind, seconds]) =>
    seconds !== null && window >= LEAST_WINDOW && seconds > MOST_PRESSURE * window
      ? `tasks of this machine waited for ${kind} during ${formatShare(seconds / window)} of the time`
      : [],
  );
}

/** Why it is not known whether tasks waited; null: it is. */
function whyNoPressure({ telemetry }: Observation): string | null {
  const { cpuPressure, memoryPressure, ioPressure } = telemetry;
  const unknown = [
    ['cpu', 'a CPU', cpuPressure],
    ['memory', 'memory', memoryPressure],
    ['io', 'input or output', ioPressure],
  ].filter(([, , seconds]) => seconds === null);
  const [first] = unknown;
  if (first === undefined) return null;
  const kinds = unknown.map(([, kind]) => kind).join(', ');
  const why = whyMissing(telemetry, `${first[0]} pressure`, 'the kernel does not tell');
  return `how long tasks of this machine waited for ${kinds} is not known: ${why}`;
}

/** Why it is not known what others used; null: it is. */
function whyNoLoad(observation: Observation): string | null {
  const { telemetry } = observation;
  const { otherCpuTime, window, onlineCpus } = telemetry;
  if (otherCpuTime === null)
    return whyMissing(telemetry, 'CPU time of others', 'the kernel does not tell what others used');
  return (
    whyTooShort(telemetry) ??
    whyTooFewTicks(otherCpuTime, mostOfOthers(observation), window * onlineCpus, 'all CPUs’ time')
  );
}

export const contended: Detector = {
  name: 'contended',
  detect(observation) {
    const { concurrentCampaign, telemetry } = observation;
    const { otherCpuTime, window, onlineCpus, cpuPressure, memoryPressure, ioPressure } = telemetry;
    const load = othersLoad(observation);
    const share = otherCpuTime === null || !(window > 0) ? null : otherCpuTime / (window * onlineCpus);
    const signs = pressures(observation);
    if (load !== null) {
      signs.unshift(
        `other processes used ${formatSeconds(load, 3)} of CPU time in ${formatSeconds(window, 3)} (${formatShare(share ?? 0)} of all CPUs)`,
      );
    }
    if (concurrentCampaign !== null) signs.unshift(`${concurrentCampaign} measured at the same time`);
    if (signs.length === 0) return null;
    return {
      reason: `${signs.join('; ')}: measure when the machine is idle`,
      evidence: {
        concurrentCampaign,
        otherCpuSeconds: otherCpuTime,
        share,
        windowSeconds: window,
        onlineCpus,
        cpuPressureSeconds: cpuPressure,
        memoryPressureSeconds: memoryPressure,
        ioPressureSeconds: ioPressure,
      },
    };
  },
  blindness(observation) {
    const { beside = 0 } = observation;
    if (beside > 0)
      return `${plural(beside, 'launch', 'launches')} ran at the same time on purpose, and other work cannot be told from theirs`;
    const unseen = [whyNoLoad(observation), whyNoPressure(observation)].filter((why) => why !== null);
    return unseen.length === 0 ? null : unseen.join('; ');
  },
};

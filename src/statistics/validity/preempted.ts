/**
 * Somebody else ran on the CPUs in the measuring threads' time. On a shared machine steal stays at zero while a
 * neighbour's load triples a median: run-queue delay and involuntary switches show it.
 */
import { formatSeconds, formatShare, grouped, plural, significant } from '../../quantities/format.js';
import { QUOTA_ABOVE } from '../../telemetry/cgroup.js';
import type { Observation, ThreadTelemetry } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { quantileSorted } from '../quantile.js';
import { type Detector, timedByGpu, whyMissing } from './detector.js';
import { KEEP_TO_NUMBER, type OwnThreads, ranText, unaskedThreads } from './own-threads.js';

/** Of the threads' time. Quiet machines have under 0.1 %, an equal competitor takes 50 %. */
const MOST_DELAY = 0.01;
/**
 * Repetitions that lost a CPU, in a second of repetitions. At 1.4 ms a quiet machine disturbs at most 5 % (37 a second),
 * a loaded one at least 35 % (300 a second): the geometric mean of the two. A share alone would flag every repetition
 * that is long, and none that is short.
 */
const MOST_DISTURBANCES_PER_SECOND = 105;
/** Of so many threads; more have as many times as many, for one is disturbed where any of its threads is. */
const THREADS_OF_THAT = 2;
/** Of one thread's time: where many measure, one that has a competitor is little of all, and holds up every repetition. */
const MOST_DELAY_OF_ONE = 0.05;
const LEAST_DISTURBANCES = 10;
/** Without run delay: time on a CPU. Ticks make it coarse, and a thread may wait for the others of its own accord. */
const LEAST_CPU_SHARE = 0.9;
const LEAST_WINDOW: Seconds = 1;
/** Of the window that threads are counted over, so that what they waited in it is what they waited while they were measured. */
const LEAST_REPETITIONS = 0.5;

interface Findings {
  /** Without what the quota's standstill explains; both null without schedstat. */
  readonly delay: Seconds | null;
  readonly delayShare: number | null;
  /** Of the thread that waited longest; null also where a quota held up all of them. */
  readonly worstDelayShare: number | null;
  readonly disturbedShare: number | null;
  readonly disturbances: number;
  /** That were seen, in a second of repetitions: one may have lost a CPU more than once. */
  readonly disturbancesPerSecond: number | null;
  /** As many as would leave so few repetitions undisturbed. */
  readonly likelyPerSecond: number | null;
  readonly cpuShare: number | null;
  /** null where the kernel does not tell of each thread. */
  readonly involuntarySwitches: number | null;
}

/** How much of the window lies beside the repetitions, where that is most of it; otherwise 0. */
function besideOf({ telemetry: { window }, wall, takenOff = 0 }: Observation): Seconds {
  const spanned = wall + takenOff;
  return spanned < LEAST_REPETITIONS * window ? window - spanned : 0;
}

/**
 * That a thread must have waited for a CPU between the first repetition and the last. The kernel counts a wait when it ends, so that
 * the count of a short window may hold one from before it. Where most of the window lies beside the repetitions, so may the wait.
 */
function waitedOf({ runDelay, cpuTime }: ThreadTelemetry, window: Seconds, beside: Seconds): Seconds {
  const delay = runDelay ?? 0;
  return beside === 0 ? Math.min(delay, window) : Math.max(0, Math.min(delay, window - cpuTime) - beside);
}

/** Repetitions that were disturbed, those that follow one another as one. */
const runsOf = (disturbed: readonly number[]): number => {
  const all = new Set(disturbed);
  return disturbed.filter((index) => !all.has(index - 1)).length;
};

function find(observation: Observation): Findings {
  const { telemetry, disturbed, samples, sorted, callsPerSample, threads, onGpu, loaded } = observation;
  const own = telemetry.threads;
  const beside = besideOf(observation);
  const window = telemetry.window - beside;
  const time = window * own.length;
  const throttled = telemetry.cgroup?.throttledTime ?? 0;
  const known = time > 0 && own.every(({ runDelay }) => runDelay !== null);
  const waited = own.map((thread) => waitedOf(thread, telemetry.window, beside));
  const delay = known ? Math.max(0, waited.reduce((sum, one) => sum + one, 0) - throttled) : null;
  const n = samples.length;
  // Where ranks meet they are watched for longer than they are timed.
  const met = observation.met === true && n > 0;
  const sampleTime = n === 0 ? 0 : met ? observation.wall / n : quantileSorted(sorted, 0.5) * callsPerSample;
  const allTime = met
    ? observation.wall
    : Array.from(samples).reduce((sum, sample) => sum + sample, 0) * callsPerSample;
  const isTold = disturbed !== null && sampleTime > 0;
  // Each time that the quota stops a thread disturbs a repetition too; that is the other flag's affair.
  const byQuota = (telemetry.cgroup?.throttledPeriods ?? 0) * threads;
  const losses = disturbed === null ? 0 : loaded === true ? runsOf(disturbed) : disturbed.length;
  const disturbances = Math.max(0, losses - byQuota);
  // The rate of a Poisson process with this share of disturbed intervals, which cannot be told when all are.
  const clear = 1 - Math.min(disturbances / n, 1 - 1 / (2 * n));
  return {
    delay,
    delayShare: delay === null ? null : delay / time,
    worstDelayShare: known && throttled === 0 ? Math.max(...waited) / window : null,
    disturbedShare: disturbed === null || n === 0 ? null : disturbed.length / n,
    disturbances,
    disturbancesPerSecond: isTold ? disturbances / allTime : null,
    likelyPerSecond: !isTold
      ? null
      : loaded === true
        ? disturbances / allTime
        : -Math.log(clear) / sampleTime,
    cpuShare:
      // Who waits for a GPU may sleep meanwhile.
      known ||
      telemetry.gpu !== undefined ||
      onGpu === true ||
      throttled > 0 ||
      telemetry.window < LEAST_WINDOW ||
      own.length === 0
        ? null
        : own.reduce((sum, { cpuTime }) => sum + cpuTime, 0) / (telemetry.window * own.length),
    involuntarySwitches:
      own.length > 0 && own.every(({ involuntarySwitches }) => involuntarySwitches !== null)
        ? own.reduce((sum, { involuntarySwitches }) => sum + (involuntarySwitches ?? 0), 0)
        : null,
  };
}

/** Who took the CPUs, and what can be done about it. */
function whose({ threads, telemetry }: Observation, own: OwnThreads | null): { who: string; cure: string } {
  const { allowedCpus } = telemetry;
  if (threads > allowedCpus)
    return {
      who: `${threads} threads took turns on ${allowedCpus} CPUs`,
      cure: 'measure with fewer threads',
    };
  if (own !== null) return { who: ranText(own, threads), cure: KEEP_TO_NUMBER };
  if (telemetry.missing.some(({ what }) => what === QUOTA_ABOVE))
    return {
      who: 'other work ran on these CPUs, or a quota that is hidden here held the threads up',
      cure: 'end it, measure on other CPUs, or look for the quota on the host',
    };
  return { who: 'other work ran on these CPUs', cure: 'end it, or measure on other CPUs' };
}

export const preempted: Detector = {
  name: 'preempted',
  detect(observation) {
    if (timedByGpu(observation)) return null;
    const found = find(observation);
    const signs: string[] = [];
    if (found.delay !== null && (found.delayShare ?? 0) > MOST_DELAY) {
      signs.push(
        `the measuring threads waited ${formatSeconds(found.delay, 3)} for a CPU (${formatShare(found.delayShare ?? 0)} of their time)`,
      );
    }
    const ofOne = found.worstDelayShare ?? 0;
    if (signs.length === 0 && ofOne > MOST_DELAY_OF_ONE)
      signs.push(`one of the measuring threads waited for a CPU for ${formatShare(ofOne)} of its time`);
    const most = MOST_DISTURBANCES_PER_SECOND * Math.max(1, observation.threads / THREADS_OF_THAT);
    if ((found.likelyPerSecond ?? 0) > most && found.disturbances >= LEAST_DISTURBANCES) {
      const often = grouped(Number(significant(found.disturbancesPerSecond ?? 0, 2)));
      signs.push(
        observation.loaded === true
          ? `${formatShare(found.disturbedShare ?? 0)} of the repetitions lost a CPU, their own or that of a thread that loads memory, while they ran (${often} times in a second of repetitions)`
          : observation.met === true
            ? `${formatShare(found.disturbedShare ?? 0)} of the repetitions lost a CPU while they ran or their ranks met (${often} in a second)`
            : `${formatShare(found.disturbedShare ?? 0)} of the repetitions lost a CPU while they ran (${often} in a second of repetitions)`,
      );
    }
    if (found.cpuShare !== null && found.cpuShare < LEAST_CPU_SHARE) {
      signs.push(`they were on a CPU for only ${formatShare(found.cpuShare)} of the time`);
    }
    if (signs.length === 0) return null;
    const { threads } = observation;
    const own = unaskedThreads(observation);
    const { who, cure } = whose(observation, own);
    if (found.involuntarySwitches !== null)
      signs.push(plural(found.involuntarySwitches, 'involuntary switch', 'involuntary switches'));
    return {
      reason: `${who}: ${signs.join('; ')}: ${cure}`,
      evidence: {
        runDelaySeconds: found.delay,
        delayShare: found.delayShare,
        worstDelayShare: found.worstDelayShare,
        disturbedShare: found.disturbedShare,
        disturbancesPerSecond: found.disturbancesPerSecond,
        likelyPerSecond: found.likelyPerSecond,
        cpuShare: found.cpuShare,
        involuntarySwitches: found.involuntarySwitches,
        threads,
        ...(own === null ? {} : { threadsRun: own.ran, unaskedCpuSeconds: own.cpuTime }),
      },
    };
  },
  blindness(observation) {
    const { telemetry, threads, samples } = observation;
    if (timedByGpu(observation)) return null;
    const found = find(observation);
    if (telemetry.threads.length < threads) {
      const missing = threads - telemetry.threads.length;
      return `the files of ${missing} of ${plural(threads, 'measuring thread')} could not be read`;
    }
    if (found.delay === null && found.disturbedShare === null) {
      return `how long the threads waited for a CPU, and in which repetitions, is not known: ${whyMissing(telemetry, 'run delay', 'the kernel has no scheduler statistics')}`;
    }
    if (found.delay === null && found.cpuShare === null && samples.length < LEAST_DISTURBANCES)
      return `fewer than ${LEAST_DISTURBANCES} repetitions, and the kernel does not tell how long the threads waited for a CPU`;
    if (found.delay !== null && found.disturbedShare === null && besideOf(observation) > 0)
      return `the kernel counted the threads’ waits over ${formatSeconds(telemetry.window, 3)}, of which the repetitions took ${formatSeconds(observation.wall, 3)}: such as fit beside them cannot be told from theirs; measure for longer (--duration, --reps)`;
    const throttledTime = telemetry.cgroup?.throttledTime ?? 0;
    return throttledTime > MOST_DELAY * telemetry.window * threads
      ? 'the quota’s standstill hides shorter waits for other work'
      : null;
  },
};

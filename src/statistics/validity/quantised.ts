/**
 * The times cluster at multiples of a scheduler's period: they measure the scheduler and not the workload. A published
 * set of 3,909 convolution timings did, at the 100 ms of the default CPU quota.
 */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { type Clustering, clustering, nearMultiples, TOLERANCE } from '../periodicity.js';
import type { Detector } from './detector.js';
import type { Flag } from './types.js';

/** The default period of a CPU quota, and the ticks of 100, 250 and 1,000 Hz kernels. */
const PERIODS: readonly Seconds[] = [0.1, 0.01, 0.004, 0.001];
export const LEAST_SAMPLES = 20;
/** Uniform phases have 12 % near a multiple. */
export const LEAST_SHARE = 0.8;
const LEAST_U = 6;
/**
 * Away from the most frequent multiple, the others must be clusters too, and more than one: a workload that takes 4.00 ms
 * has one multiple, and outliers of any phase; one with two narrow modes meets two by chance once in 70.
 */
const LEAST_SHARE_OF_REST = 0.5;
const LEAST_U_OF_REST = 4;
const LEAST_OTHER_MULTIPLES = 2;

function decisive({ u, rest }: Clustering, isQuota: boolean): boolean {
  // A period that is known to be this group's needs one more multiple only.
  const others = isQuota ? 1 : LEAST_OTHER_MULTIPLES;
  const restClusters =
    rest.share >= LEAST_SHARE_OF_REST && rest.u >= (isQuota ? LEAST_U_OF_REST / 2 : LEAST_U_OF_REST);
  return u >= LEAST_U && rest.multiples >= others && restClusters;
}

/**
 * Whether times are quantised, and by which of the periods; null when by none. The longest wins: multiples of 100 ms are
 * multiples of 1 ms as well.
 * @param times of what was timed at once, all the calls of a sample
 * @param quotaPeriod of the control group, where it is known
 */
export function findQuantum(
  times: ArrayLike<Seconds>,
  quotaPeriod: Seconds | null = null,
): Clustering | null {
  if (times.length < LEAST_SAMPLES) return null;
  const periods = [...new Set(quotaPeriod === null ? PERIODS : [quotaPeriod, ...PERIODS])];
  for (const period of periods.sort((a, b) => b - a)) {
    if (!nearMultiples(times, period, LEAST_SHARE)) continue;
    const found = clustering(times, period);
    if (decisive(found, period === quotaPeriod)) return found;
  }
  return null;
}

/** What a clustering says. @param isQuota whether its period is known to be the control group's */
export function quantisedBy(found: Clustering, isQuota: boolean): Omit<Flag, 'name'> {
  const { period, share, byChance, resultant, rayleighP, u, multiples, rest } = found;
  const whose = isQuota ? 'the period of the CPU quota' : 'a scheduler’s period';
  return {
    reason: `${formatShare(share, 3)} of the times lie within ${formatSeconds(TOLERANCE * period, 3)} of a multiple of ${formatSeconds(period, 3)} (${formatShare(byChance)} would by chance), at ${plural(multiples, 'multiple')}: they measure ${whose} and not the workload`,
    evidence: {
      periodSeconds: period,
      isQuotaPeriod: isQuota,
      toleranceSeconds: TOLERANCE * period,
      share,
      byChance,
      resultant,
      rayleighP,
      u,
      multiples,
      shareOfRest: rest.share,
    },
  };
}

export const quantised: Detector = {
  name: 'quantised',
  detect({ samples, callsPerSample, telemetry }: Observation) {
    const times =
      callsPerSample === 1 ? samples : new Float64Array(samples).map((seconds) => seconds * callsPerSample);
    const quotaPeriod = telemetry.cgroup?.quotaCpus == null ? null : telemetry.cgroup.period;
    const found = findQuantum(times, quotaPeriod);
    return found === null ? null : quantisedBy(found, found.period === quotaPeriod);
  },
  blindness: ({ samples }) =>
    samples.length < LEAST_SAMPLES ? `fewer than ${LEAST_SAMPLES} repetitions` : null,
};

/**
 * The times cluster at multiples of a scheduler's period: they measure the scheduler and not the workload. A published
 * set of 3,909 convolution timings did, at the 100 ms of the default CPU quota.
 */
import type { Observation } from '../../telemetry/types.js';
import { type Clustering, clustering, TOLERANCE } from '../periodicity.js';
import { type Detector, milliseconds, percent } from './detector.js';

/** The default period of a CPU quota, and the ticks of 100, 250 and 1,000 Hz kernels. */
const PERIODS = [0.1, 0.01, 0.004, 0.001];
const LEAST_SAMPLES = 20;
/** Uniform phases have 12 % near a multiple. */
const LEAST_SHARE = 0.8;
/** One multiple alone is a workload that takes that long; two are a scheduler. */
const LEAST_MULTIPLES = 2;
const LEAST_U = 6;

/**
 * Whether times in seconds are quantised, and by which of the periods; null when by none.
 * @param quotaPeriod of the control group, where it is known
 */
export function findQuantum(samples: ArrayLike<number>, quotaPeriod: number | null = null): Clustering | null {
  if (samples.length < LEAST_SAMPLES) return null;
  const periods = quotaPeriod === null || PERIODS.includes(quotaPeriod) ? PERIODS : [quotaPeriod, ...PERIODS];
  for (const period of periods) {
    const found = clustering(samples, period);
    if (found.share >= LEAST_SHARE && found.multiples >= LEAST_MULTIPLES && found.u >= LEAST_U) return found;
  }
  return null;
}

export const quantised: Detector = {
  name: 'quantised',
  detect({ samples, telemetry }: Observation) {
    const found = findQuantum(samples, telemetry.cgroup?.period ?? null);
    if (found === null) return null;
    return {
      reason: `${percent(found.share)} of the times lie within ${milliseconds(TOLERANCE * found.period)} of a multiple of ${milliseconds(found.period)}, the period of a scheduler: they measure it and not the workload`,
      evidence: {
        periodSeconds: found.period,
        share: found.share,
        byChance: found.byChance,
        resultant: found.resultant,
        u: found.u,
        multiples: found.multiples,
      },
    };
  },
  blindness: ({ samples }) => (samples.length < LEAST_SAMPLES ? `fewer than ${LEAST_SAMPLES} repetitions` : null),
};

/** The repetitions began before the workload was warm. */
import { median } from '../quantile.js';
import { steadyFrom } from '../steady.js';
import { type Detector, percent } from './detector.js';

/** The transient differs from the rest by at least this much. */
const LEAST = 0.02;
const LEAST_SAMPLES = 20;

export const notSteady: Detector = {
  name: 'not-steady',
  detect({ samples, steady }) {
    if (steady === false) {
      return {
        reason: 'the warm-up ended at its limit without a steady state: give --warmup a time or a count',
        evidence: { warmupSteady: false },
      };
    }
    if (samples.length < LEAST_SAMPLES) return null;
    const all = Float64Array.from(samples);
    const from = steadyFrom(all);
    const cut = from ?? all.length >> 1;
    if (cut === 0) return null;
    const excess = median(all.subarray(0, cut)) / median(all.subarray(cut)) - 1;
    if (Math.abs(excess) < LEAST) return null;
    const way = excess > 0 ? 'longer' : 'shorter';
    return {
      reason: `the first ${cut} repetitions took ${percent(Math.abs(excess))} ${way} than the others${from === null ? ', and no steady state was reached' : ''}: a longer --warmup is needed`,
      evidence: { warmupSteady: steady, transient: cut, excess, found: from !== null },
    };
  },
  blindness: ({ samples, steady }) =>
    steady === null && samples.length < LEAST_SAMPLES ? `fewer than ${LEAST_SAMPLES} repetitions, and a fixed warm-up` : null,
};

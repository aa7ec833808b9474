/** Some repetitions took far longer than the rest. The median hides them; whoever waits for them does not overlook them. */
import { slowRepetitions } from '../outliers.js';
import { type Detector, percent, seesAlways } from './detector.js';

/** One repetition this many times as long as the median, or this share of slow ones. */
const LEAST_RATIO = 5;
const LEAST_SHARE = 0.01;

export const outlying: Detector = {
  name: 'outlying',
  detect({ samples, disturbed }) {
    const slow = slowRepetitions(samples);
    if (slow === null) return null;
    const share = slow.indices.length / samples.length;
    if (slow.worstRatio < LEAST_RATIO && share < LEAST_SHARE) return null;
    const hit = new Set(disturbed ?? []);
    const explained = disturbed === null ? null : slow.indices.filter((index) => hit.has(index)).length;
    const why = explained === null ? '' : `; ${explained} of them lost a CPU meanwhile`;
    return {
      reason: `${slow.indices.length} of ${samples.length} repetitions (${percent(share)}) are far slower than the rest, the worst (number ${slow.worstIndex}) ${slow.worstRatio.toPrecision(3)} times the median${why}`,
      evidence: {
        slow: slow.indices.length,
        share,
        worstIndex: slow.worstIndex,
        worstRatio: slow.worstRatio,
        thresholdSeconds: slow.threshold,
        disturbedAmongThem: explained,
      },
    };
  },
  blindness: seesAlways,
};

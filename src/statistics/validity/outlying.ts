/** Some repetitions took far longer than the rest. The median hides them; whoever waits for them does not overlook them. */
import { formatSeconds, formatShare, grouped, plural, significant } from '../../quantities/format.js';
import { slowRepetitions } from '../outliers.js';
import { quantileSorted } from '../quantile.js';
import type { Detector } from './detector.js';

/** One repetition this many times as long as the median, or this share of slow ones. */
const LEAST_RATIO = 5;
const LEAST_SHARE = 0.01;
const LEAST_SAMPLES = 5;
const MOST_NAMED = 5;

/** Which of the slow ones another's turn on their CPU explains. @param explained null: nobody knows */
function lostText(explained: number | null, count: number): string {
  if (explained === null) return '';
  if (count === 1) return explained === 1 ? ', and lost a CPU meanwhile' : ', and lost no CPU meanwhile';
  return `; ${explained === 0 ? 'none' : grouped(explained)} of them lost a CPU meanwhile`;
}

export const outlying: Detector = {
  name: 'outlying',
  detect({ samples, sorted, disturbed }) {
    if (samples.length < LEAST_SAMPLES) return null;
    const slow = slowRepetitions(samples, sorted);
    if (slow === null) return null;
    const count = slow.indices.length;
    const share = count / samples.length;
    if (slow.worstRatio < LEAST_RATIO && share < LEAST_SHARE) return null;
    const hit = new Set(disturbed ?? []);
    const explained = disturbed === null ? null : slow.indices.filter((index) => hit.has(index)).length;
    const how = `${grouped(count)} of ${plural(samples.length, 'repetition')} (${formatShare(share)})`;
    const index = `(index ${slow.worstIndex})`;
    const ratio = `${significant(slow.worstRatio, 3)} times the median`;
    const what =
      count === 1
        ? `${how} is far slower than the rest ${index}, ${ratio}${lostText(explained, count)}: it is kept`
        : `${how} are far slower than the rest, the worst ${index} ${ratio}${lostText(explained, count)}: they are kept`;
    const [p99, median] = [0.99, 0.5].map((p) => formatSeconds(quantileSorted(sorted, p)));
    return {
      reason: `${what}; p99 is ${p99} beside a median of ${median}`,
      evidence: {
        slow: count,
        share,
        worstIndex: slow.worstIndex,
        worstRatio: slow.worstRatio,
        thresholdSeconds: slow.threshold,
        firstIndices: slow.indices.slice(0, MOST_NAMED).join(' '),
        disturbedAmongThem: explained,
      },
    };
  },
  blindness: ({ samples }) =>
    samples.length < LEAST_SAMPLES ? `fewer than ${LEAST_SAMPLES} repetitions` : null,
};

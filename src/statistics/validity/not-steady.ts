/** The repetitions began before the workload was warm. */
import { formatShare, plural } from '../../quantities/format.js';
import { effectiveSampleSize } from '../autocorrelation.js';
import { steppedLevels, withoutLevels } from '../change-points.js';
import { deviationFrom, median } from '../quantile.js';
import { steadyFrom } from '../steady.js';
import type { Detector } from './detector.js';

/** The transient differs from the rest by at least this much, and by so many standard errors of the two medians. */
const LEAST = 0.02;
const LEAST_ERRORS = 5;
const LEAST_SAMPLES = 20;
const MAD_TO_SD = 1.4826;
/** The standard error of a median over that of a mean, normal data: sqrt(pi / 2). */
const OF_MEDIAN = 1.2533;

interface Transient {
  readonly length: number;
  /** Of the transient's median over that of the rest. */
  readonly excess: number;
  readonly errors: number;
  /** False when even the cut of half the samples leaves no steady series. */
  readonly found: boolean;
}

function transientOf(samples: ArrayLike<number>): Transient | null {
  const all = new Float64Array(samples);
  const from = steadyFrom(all);
  const length = from ?? all.length >> 1;
  if (length === 0) return null;
  const [head, rest] = [all.subarray(0, length), all.subarray(length)];
  const level = median(rest);
  if (!(level > 0)) return null;
  const worth = (part: Float64Array): number =>
    Math.min(part.length, effectiveSampleSize(part) ?? part.length);
  const difference = median(head) - level;
  const sd = MAD_TO_SD * deviationFrom(level, rest);
  const error = OF_MEDIAN * sd * Math.sqrt(1 / worth(head) + 1 / worth(rest));
  return {
    length,
    excess: difference / level,
    errors: Math.abs(difference) / Math.max(error, Number.MIN_VALUE),
    found: from !== null,
  };
}

function notableTransient(samples: ArrayLike<number>): Transient | null {
  const transient = samples.length < LEAST_SAMPLES ? null : transientOf(samples);
  return transient !== null && Math.abs(transient.excess) >= LEAST && transient.errors >= LEAST_ERRORS
    ? transient
    : null;
}

/** Before a step the level is another one too: where there are steps (`stepped` names them), what remains without. */
function transientBesideSteps(samples: ArrayLike<number>): Transient | null {
  const found = notableTransient(samples);
  const levels = found === null ? null : steppedLevels(samples);
  return levels === null ? found : notableTransient(withoutLevels(samples, levels));
}

export const notSteady: Detector = {
  name: 'not-steady',
  detect({ samples, steady }) {
    const seen = transientBesideSteps(samples);
    if (steady !== false && seen === null) return null;
    const signs: string[] = [];
    if (steady === false) signs.push('the warm-up ended at its limit without a steady state');
    if (seen !== null) {
      const way = seen.excess > 0 ? 'longer' : 'shorter';
      const end = seen.found ? '' : ', and no steady state was reached';
      signs.push(
        `the first ${plural(seen.length, 'repetition')} took ${formatShare(Math.abs(seen.excess))} ${way} than the others${end}`,
      );
    }
    return {
      reason: `${signs.join('; ')}: warm up for longer (--warmup)`,
      evidence: {
        warmupSteady: steady,
        transient: seen?.length ?? null,
        excess: seen?.excess ?? null,
        found: seen?.found ?? null,
      },
    };
  },
  blindness({ samples, steady }) {
    if (samples.length >= LEAST_SAMPLES || steady === false) return null;
    const few = `fewer than ${LEAST_SAMPLES} repetitions`;
    return steady === null
      ? `${few}, and a warm-up that was fixed or too short to judge`
      : `${few}: only the warm-up was judged`;
  },
};

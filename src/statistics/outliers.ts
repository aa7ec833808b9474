/** Repetitions that took far longer than the others. They are named, never removed. */
import { requireFinite } from './finite.js';
import { madSorted, quantileSorted, sortedCopy } from './quantile.js';

export interface SlowRepetitions {
  readonly indices: readonly number[];
  readonly worstIndex: number;
  /** Of the median. */
  readonly worstRatio: number;
  /** In the unit of the samples; beyond it a repetition is slow. */
  readonly threshold: number;
}

/**
 * Robust standard deviations above the median: the modified z-score of Iglewicz & Hoaglin (1993), whose 3.5 would flag a
 * share of every heavy-tailed series. hyperfine flags from 14.826 median absolute deviations on, which is 10 of these.
 */
const DEVIATIONS = 10;
/** And this much of the median: in a series that hardly varies, 10 deviations are nothing that anybody would notice. */
const RATIO = 1.5;
const MAD_TO_SD = 1.4826;

/**
 * Both limits have to be exceeded. null when nothing is slow, for an empty series, and where the median is not above 0,
 * so that nothing is a multiple of it.
 * @param samples in order; `sorted` has the same values in ascending order
 * @throws RangeError for a sample that is not finite
 */
export function slowRepetitions(
  samples: ArrayLike<number>,
  sorted: ArrayLike<number> = sortedCopy(samples),
): SlowRepetitions | null {
  requireFinite(samples);
  const centre = samples.length === 0 ? 0 : quantileSorted(sorted, 0.5);
  if (!(centre > 0)) return null;
  const threshold = Math.max(centre + DEVIATIONS * MAD_TO_SD * madSorted(sorted, centre), RATIO * centre);
  const indices: number[] = [];
  let worstIndex = -1;
  for (let i = 0; i < samples.length; i++) {
    if (!((samples[i] ?? 0) > threshold)) continue;
    indices.push(i);
    if (worstIndex === -1 || (samples[i] ?? 0) > (samples[worstIndex] ?? 0)) worstIndex = i;
  }
  if (worstIndex === -1) return null;
  return { indices, worstIndex, worstRatio: (samples[worstIndex] ?? 0) / centre, threshold };
}

/** Repetitions that took far longer than the others. They are named, never removed. */
import { madSorted, quantileSorted, sortedCopy } from './quantile.js';

export interface SlowRepetitions {
  readonly indices: readonly number[];
  readonly worstIndex: number;
  /** Of the median. */
  readonly worstRatio: number;
  /** Seconds, or whatever the samples are in. */
  readonly threshold: number;
}

/** Robust standard deviations above the median (hyperfine flags at 14.8 MAD, which is 10 of these). */
const DEVIATIONS = 10;
/** And at least this much of the median, for series that hardly vary at all. */
const RATIO = 1.5;
const MAD_TO_SD = 1.4826;

/** @param samples in order, at least one. null when there is none. */
export function slowRepetitions(samples: ArrayLike<number>): SlowRepetitions | null {
  const sorted = sortedCopy(samples);
  const centre = quantileSorted(sorted, 0.5);
  const threshold = Math.max(centre + DEVIATIONS * MAD_TO_SD * madSorted(sorted, centre), RATIO * centre);
  const indices: number[] = [];
  let worstIndex = -1;
  for (let i = 0; i < samples.length; i++) {
    if (!((samples[i] ?? 0) > threshold)) continue;
    indices.push(i);
    if (worstIndex === -1 || (samples[i] ?? 0) > (samples[worstIndex] ?? 0)) worstIndex = i;
  }
  return worstIndex === -1 ? null : { indices, worstIndex, worstRatio: (samples[worstIndex] ?? 0) / centre, threshold };
}

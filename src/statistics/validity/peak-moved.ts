/**
 * The peak in registers needs nothing of a machine but its cores, so launches of one batch have the same, and an efficiency
 * rests on it. Where it moves and the clock does not, two share a core: a host may run two CPUs of this machine, or one of another
 * guest, on the hyperthreads of one core for a while, which neither steal nor any counter of a guest shows. A flag of the batch: one launch has one peak.
 */
import { withPrefix } from '../../quantities/format.js';
import type { Hertz } from '../../units.js';
import type { Flag } from './types.js';

/** Of the highest over the lowest. */
const LEAST_RATIO = 1.25;

export interface LaunchPeak {
  /** Operations per second in registers. */
  readonly peak: number;
  /** Effective clock rate of the first thread, around the repetitions; null where it is not known. */
  readonly frequency: Hertz | null;
}

const ratioOf = (values: readonly number[]): number => Math.max(...values) / Math.min(...values);

function whyOf(launches: readonly LaunchPeak[]): { readonly perClock: number | null; readonly why: string } {
  const perClocks = launches.flatMap(({ peak, frequency }) => (frequency === null ? [] : [peak / frequency]));
  if (perClocks.length < launches.length)
    return { perClock: null, why: 'because its cores are shared, or because their clock moved' };
  const perClock = ratioOf(perClocks);
  const why =
    perClock < LEAST_RATIO
      ? 'as the clock rate of its first thread was'
      : 'which the clock rate of its first thread does not explain, as where a host runs two CPUs of this machine, or one of another guest, on the hyperthreads of one core';
  return { perClock, why };
}

/** @returns null where it is about the same in all launches, also where there is none or one */
export function peakMoved(launches: readonly LaunchPeak[], rateUnit: string): Flag | null {
  if (launches.length < 2) return null;
  const peaks = launches.map(({ peak }) => peak);
  const ratio = ratioOf(peaks);
  if (!(ratio >= LEAST_RATIO)) return null;
  const { perClock, why } = whyOf(launches);
  const [least, most] = [Math.min(...peaks), Math.max(...peaks)];
  return {
    name: 'peak-moved',
    reason: `the peak in registers was ${withPrefix(least, rateUnit)} in one launch and ${withPrefix(most, rateUnit)} in another, ${why}: measure on cores of your own before you compare efficiencies`,
    evidence: { launches: launches.length, least, most, ratio, perClockRatio: perClock },
  };
}

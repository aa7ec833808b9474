/**
 * The roofline (Williams, Waterman & Patterson, CACM 52(4), 2009): a case can run no faster than its operations at the
 * arithmetic peak, nor than its bytes at the memory's rate; the slower of the two bounds it. Pure.
 */
import type { Bytes, Flop, Ratio, Seconds } from '../units.js';

/** Nothing passes a ceiling: what is further above it than measurements scatter shows that the ceiling is wrong. */
export const MOST_OF_CEILING = 1.02;

/** The peak as the launches measured it that did, of which it is the median. */
export interface PeaksOfLaunches {
  readonly launches: number;
  readonly least: number;
  readonly most: number;
}

/** What launches that agree may differ by. */
export const peaksDiffer = (peaks: PeaksOfLaunches | undefined): peaks is PeaksOfLaunches =>
  peaks !== undefined && peaks.most > MOST_OF_CEILING * peaks.least;

/**
 * Whether the rate passes the peak by more than measurements scatter. That allowance is for a peak that is known: where launches
 * measured another one each, some found it too low, and a rate that passes their median at all shows that it is.
 */
export const passesPeak = ({
  efficiency,
  peaks,
}: {
  readonly efficiency: Ratio;
  readonly peaks?: PeaksOfLaunches | undefined;
}): boolean => efficiency > (peaksDiffer(peaks) ? 1 : MOST_OF_CEILING);

export interface RooflineInput {
  /** Of one repetition. */
  readonly flop: Flop;
  /** That one repetition moves at least: its operands once and its result once. */
  readonly bytes: Bytes;
  readonly elapsed: Seconds;
  /** Operations per second. */
  readonly peak: number;
  /** Bytes per second at the case's working set; null where it is not known. */
  readonly bandwidth: number | null;
}

export interface Roofline {
  readonly peak: number;
  readonly efficiency: Ratio;
  readonly bandwidth: number | null;
  /** Operations for each byte. */
  readonly intensity: number;
  readonly bound: 'arithmetic' | 'memory' | null;
  /** Operations per second at the bound. */
  readonly attainable: number | null;
  /** Rate / attainable. */
  readonly share: Ratio | null;
}

/** Of figures above 0; the bound is not known where the memory's rate is not. */
export function roofline({ flop, bytes, elapsed, peak, bandwidth }: RooflineInput): Roofline {
  const rate = flop / elapsed;
  const intensity = flop / bytes;
  const base = { peak, efficiency: rate / peak, bandwidth, intensity };
  if (bandwidth === null) return { ...base, bound: null, attainable: null, share: null };
  const byMemory = intensity * bandwidth;
  const attainable = Math.min(peak, byMemory);
  return {
    ...base,
    bound: byMemory < peak ? 'memory' : 'arithmetic',
    attainable,
    share: rate / attainable,
  };
}

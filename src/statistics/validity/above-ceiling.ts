/**
 * Figures above what bounds them: then the bound, or the figure, is wrong, and their ratio says nothing. A flag of the batch: both
 * are medians over its launches. Of each bound one function; what is passed by no more than measurements scatter raises nothing.
 */
import { formatShare } from '../../quantities/format.js';
import type { Ratio } from '../../units.js';
import { mostHidden, type OverlapSummary } from '../overlap.js';
import {
  MOST_OF_CEILING,
  type PeaksOfLaunches,
  passesPeak,
  peaksDiffer,
  type Roofline,
} from '../roofline.js';
import type { Flag } from './types.js';

const flagOf = (reason: string, evidence: Flag['evidence']): Flag => ({
  name: 'above-ceiling',
  reason,
  evidence,
});

const TOO_LOW =
  'which nothing can pass: the ceiling was measured too low, as under other load, or the clock changed';

/** @returns null where no ceiling is passed, also where none is known */
export function aboveCeiling(
  roofline: (Roofline & { readonly peaks?: PeaksOfLaunches | undefined }) | null,
): Flag | null {
  if (roofline === null) return null;
  const { efficiency, bound, share, peak, bandwidth, peaks } = roofline;
  const differing = peaksDiffer(peaks) ? peaks : null;
  const apart =
    differing === null
      ? ''
      : ` (median of ${differing.launches} launches that differ by ${formatShare(differing.most / differing.least - 1)})`;
  const passed: readonly [string, number] | null = passesPeak(roofline)
    ? [`in registers${apart}`, efficiency]
    : bound === 'memory' && share !== null && share > MOST_OF_CEILING
      ? ['that reading allows', share]
      : null;
  if (passed === null) return null;
  const [which, ratio] = passed;
  return flagOf(
    `the rate is ${formatShare(ratio, 4)} of the ceiling ${which}, ${TOO_LOW}: do not trust the efficiency`,
    {
      efficiency,
      share,
      peak,
      bandwidth,
      ...(differing === null ? {} : { leastPeak: differing.least, mostPeak: differing.most }),
    },
  );
}

/** Of a collective: passes over memory that move as many bytes as it does. */
export function aboveMoving(ceiling: { readonly rate: number; readonly share: Ratio } | null): Flag | null {
  if (ceiling === null || ceiling.share <= MOST_OF_CEILING) return null;
  const { share, rate } = ceiling;
  return flagOf(
    `the collective moves its bytes at ${formatShare(share, 4)} of the rate of passes over memory, ${TOO_LOW}: do not trust the share of the ceiling`,
    { movingShare: share, movingRate: rate },
  );
}

/**
 * Of an overlap: what could hide at most. The scatter that is allowed is of the communication's time, whose share the figure is:
 * where the product is much the shorter, a hundredth of that time is much of all that could hide.
 */
export function aboveMostHidden(
  overlap: Pick<OverlapSummary, 'compute' | 'communicate' | 'hidden' | 'mostHidden'> | null,
): Flag | null {
  if (overlap === null) return null;
  const { hidden, compute, communicate } = overlap;
  const most = overlap.mostHidden ?? mostHidden(overlap);
  if (hidden - most <= MOST_OF_CEILING - 1) return null;
  return flagOf(
    `${formatShare(hidden, 4)} of the communication hides, of which at most ${formatShare(most, 4)} could: alone they were slower than they need be, as under other load, or the clock changed: do not trust the hidden share`,
    { hidden, mostHidden: most, computeSeconds: compute, communicateSeconds: communicate },
  );
}

/** Of a GPU: what its maker promises. */
export function aboveDatasheet(sheet: { readonly rate: number; readonly share: Ratio } | null): Flag | null {
  if (sheet === null || sheet.share <= MOST_OF_CEILING) return null;
  const { share, rate } = sheet;
  return flagOf(
    `the rate is ${formatShare(share, 4)} of what the datasheet of this GPU promises: its clock is above that of the datasheet, its caches held the data, or the time is wrong: do not trust the share`,
    { datasheetShare: share, datasheetRate: rate },
  );
}

/** Several of these are one flag, with the figures of each; null: there is none. */
export function together(flags: readonly (Flag | null)[]): Flag | null {
  const raised = flags.filter((flag) => flag !== null);
  if (raised.length === 0) return null;
  return flagOf(
    raised.map(({ reason }) => reason).join('; '),
    Object.assign({}, ...raised.map(({ evidence }) => evidence)),
  );
}

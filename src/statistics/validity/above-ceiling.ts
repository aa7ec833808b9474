/**
 * A rate above what was measured to bound it: then the ceiling, or the rate, is wrong, and their ratio says nothing. A flag
 * of the batch: rate and ceilings are medians over its launches.
 */
import { formatShare } from '../../quantities/format.js';
import { MOST_OF_CEILING, type Roofline } from '../roofline.js';
import type { Flag } from './types.js';

/** @returns null where no ceiling is passed, also where none is known */
export function aboveCeiling(roofline: Roofline | null): Flag | null {
  if (roofline === null) return null;
  const { efficiency, bound, share, peak, bandwidth } = roofline;
  const passed: readonly [string, number] | null =
    efficiency > MOST_OF_CEILING
      ? ['in registers', efficiency]
      : bound === 'memory' && share !== null && share > MOST_OF_CEILING
        ? ['that reading allows', share]
        : null;
  if (passed === null) return null;
  const [which, ratio] = passed;
  return {
    name: 'above-ceiling',
    reason: `the rate is ${formatShare(ratio, 4)} of the ceiling ${which}, which nothing can pass: the ceiling was measured too low, as under other load, or the clock changed: do not trust the efficiency`,
    evidence: { efficiency, share, peak, bandwidth },
  };
}

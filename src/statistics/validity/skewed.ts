/** Ranks left our own barrier one after the other: who was first waits for the last, and the time of the slowest holds that, too. */
import { formatSeconds, formatShare } from '../../quantities/format.js';
import { quantileSorted } from '../quantile.js';
import type { Detector } from './detector.js';

/** Of the time of a repetition. */
const MOST = 0.05;

export const skewed: Detector = {
  name: 'skewed',
  detect({ sorted, beganApart }) {
    const time = quantileSorted(sorted, 0.5);
    if (beganApart === undefined || !(beganApart > MOST * time)) return null;
    const share = time > 0 ? beganApart / time : null;
    const much = share === null ? 'more than all' : formatShare(share);
    return {
      reason: `the ranks left our barrier ${formatSeconds(beganApart, 3)} apart, ${much} of a time of ${formatSeconds(time, 3)}, which holds up to that much waiting for whoever left last: use --sync window to begin at one moment`,
      evidence: { share, beganApartSeconds: beganApart, timeSeconds: time },
    };
  },
  blindness: () => null,
};

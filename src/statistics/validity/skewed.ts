/** Ranks left our own barrier one after the other: who was first waits for the last, and the time of the slowest holds that, too. */
import { formatSeconds, formatShare } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { quantileSorted } from '../quantile.js';
import type { Detector } from './detector.js';

/** Of the time of a repetition. */
const MOST = 0.05;

const timeOf = ({ sorted }: Observation): Seconds => quantileSorted(sorted, 0.5);

/** Whether it is too much even if the clocks' own error is in it. */
const isMuch = (apart: Seconds, within: Seconds, time: Seconds): boolean => apart - within > MOST * time;

export const skewed: Detector = {
  name: 'skewed',
  detect(observation) {
    const { beganApart, clocksWithin = 0 } = observation;
    const time = timeOf(observation);
    if (beganApart === undefined || !isMuch(beganApart, clocksWithin, time)) return null;
    const share = time > 0 ? beganApart / time : null;
    const much = share === null ? 'more than all' : formatShare(share);
    const clocks =
      clocksWithin === 0 ? '' : ` (by clocks that agree within ${formatSeconds(clocksWithin, 3)})`;
    return {
      reason: `the ranks left our barrier ${formatSeconds(beganApart, 3)} apart${clocks}, ${much} of a time of ${formatSeconds(time, 3)}, which holds up to that much waiting for whoever left last: use --sync window to begin at one moment`,
      evidence: {
        share,
        beganApartSeconds: beganApart,
        ...(clocksWithin === 0 ? {} : { clocksWithinSeconds: clocksWithin }),
        timeSeconds: time,
      },
    };
  },
  blindness(observation) {
    const { beganApart, clocksWithin = 0 } = observation;
    const time = timeOf(observation);
    if (beganApart === undefined || clocksWithin === 0 || isMuch(beganApart, clocksWithin, time)) return null;
    // Without figures, so that all launches say it in the same words.
    return isMuch(beganApart, -clocksWithin, time)
      ? 'the clocks of several hosts do not agree so well that it could be told whether their ranks left our barrier together'
      : null;
  },
};

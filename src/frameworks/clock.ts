/** What reading the addon's clock from JavaScript costs, and how fine it is: a sample between two readings holds that much of it. */
import { native } from '../native.js';
import { median } from '../statistics/quantile.js';
import type { Seconds } from '../units.js';

export interface ClockQuality {
  readonly overheadSeconds: Seconds;
  readonly resolutionSeconds: Seconds;
}

const BLOCKS = 101;
const READINGS = 200;

/** Takes about 5 ms. */
export function measureClock(): ClockQuality {
  const { beginCall, endCall } = native();
  const blocks = Array.from({ length: BLOCKS }, () => {
    const begin = endCall();
    for (let reading = 0; reading < READINGS; reading += 2) {
      beginCall();
      endCall();
    }
    return (endCall() - begin) / (READINGS + 1);
  });
  return {
    overheadSeconds: median(blocks) * 1e-9,
    resolutionSeconds: native().measureClock().resolutionSeconds,
  };
}

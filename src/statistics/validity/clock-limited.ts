/** A sample is too short for the clock that timed it. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import { quantileSorted } from '../quantile.js';
import type { Detector } from './detector.js';

const MOST = 0.001;
/** Calibration aims at MOST with calls that were still warming up; the samples are a little shorter. */
const SLACK = 1.5;

export const clockLimited: Detector = {
  name: 'clock-limited',
  detect({ sorted, callsPerSample, clockOverhead, clockResolution }) {
    const sample = quantileSorted(sorted, 0.5) * callsPerSample;
    const error = Math.max(clockOverhead, clockResolution);
    if (!(error > MOST * SLACK * sample)) return null;
    const share = sample > 0 ? error / sample : null;
    const much = share === null ? 'more than all' : formatShare(share);
    const calls = sample > 0 ? Math.ceil(error / (MOST * (sample / callsPerSample))) : null;
    // Calls are timed together where that may be: who reads this measures what is timed call by call.
    const enough = calls === null ? 'more calls' : plural(calls, 'call');
    const cure = `one call after the other is too short for it; it would take ${enough} timed together (of a collective: --sync none), or more work in a call`;
    return {
      reason: `reading the clock (${formatSeconds(clockOverhead, 3)}, in steps of ${formatSeconds(clockResolution, 3)}) is ${much} of a sample of ${formatSeconds(sample, 3)}: ${cure}`,
      evidence: {
        share,
        sampleSeconds: sample,
        callsPerSample,
        overheadSeconds: clockOverhead,
        resolutionSeconds: clockResolution,
        callsNeeded: calls,
      },
    };
  },
  blindness: ({ clockOverhead, clockResolution }) =>
    clockResolution > 0 && clockOverhead >= 0 ? null : 'the clock’s overhead and resolution are not known',
};

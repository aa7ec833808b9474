/** A sample is too short for the clock that timed it. */
import { median } from '../quantile.js';
import { type Detector, percent, seesAlways } from './detector.js';

const MOST = 0.001;

export const clockLimited: Detector = {
  name: 'clock-limited',
  detect({ samples, callsPerSample, clockOverhead, clockResolution }) {
    const sample = median(samples) * callsPerSample;
    const error = Math.max(clockOverhead, clockResolution) / sample;
    // What the calibration aimed at, and a little: the samples it aimed with were others.
    if (error <= MOST * 1.5) return null;
    return {
      reason: `reading the clock makes up ${percent(error)} of a sample: the case is too short to be timed by itself`,
      evidence: { share: error, sampleSeconds: sample, overheadSeconds: clockOverhead, resolutionSeconds: clockResolution },
    };
  },
  blindness: seesAlways,
};

/** A sample, or a part of it that is timed by itself, is too short for the clock that timed it. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import { quantileSorted } from '../quantile.js';
import type { Detector, Found } from './detector.js';

const MOST = 0.001;
/** Calibration aims at MOST with calls that were still warming up; the samples are a little shorter. */
const SLACK = 1.5;

type Times = Pick<Observation, 'clockOverhead' | 'clockResolution'>;

const errorOf = ({ clockOverhead, clockResolution }: Times): Seconds =>
  Math.max(clockOverhead, clockResolution);
const isShort = (time: Seconds, observation: Times): boolean => errorOf(observation) > MOST * SLACK * time;

/** null: it takes no time. */
const shareOf = (time: Seconds, observation: Times): number | null =>
  time > 0 ? errorOf(observation) / time : null;

function readingText({ clockOverhead, clockResolution }: Times, share: number | null): string {
  const much = share === null ? 'more than all' : formatShare(share);
  return `reading the clock (${formatSeconds(clockOverhead, 3)}, in steps of ${formatSeconds(clockResolution, 3)}) is ${much}`;
}

function ofPart(observation: Observation): Found | null {
  const { shortestPart: part, clockOverhead, clockResolution } = observation;
  if (part === undefined || !isShort(part.seconds, observation)) return null;
  const share = shareOf(part.seconds, observation);
  return {
    reason: `${readingText(observation, share)} of ${part.what}, which takes ${formatSeconds(part.seconds, 3)}: what hides, and what is slowed, is told by times that are too short for it; it would take more work in a call`,
    evidence: {
      share,
      part: part.what,
      partSeconds: part.seconds,
      overheadSeconds: clockOverhead,
      resolutionSeconds: clockResolution,
    },
  };
}

export const clockLimited: Detector = {
  name: 'clock-limited',
  detect(observation) {
    const { sorted, callsPerSample, clockOverhead, clockResolution } = observation;
    const sample = quantileSorted(sorted, 0.5) * callsPerSample;
    if (!isShort(sample, observation)) return ofPart(observation);
    const share = shareOf(sample, observation);
    const calls = sample > 0 ? Math.ceil(errorOf(observation) / (MOST * (sample / callsPerSample))) : null;
    // Calls are timed together where that may be: who reads this measures what is timed call by call.
    const enough = calls === null ? 'more calls' : plural(calls, 'call');
    const cure = `one call after the other is too short for it; it would take ${enough} timed together (of a collective: --sync none), or more work in a call`;
    return {
      reason: `${readingText(observation, share)} of a sample of ${formatSeconds(sample, 3)}: ${cure}`,
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

/** The repetitions became slower or faster as the launch went on: clocks, heat, a neighbour that came or went. */
import { drift } from '../drift.js';
import { type Detector, percent } from './detector.js';

/** The trend is at least this much over the launch, with 95 %; and hardly chance. */
const LEAST = 0.01;
const LEAST_Z = 3;

export const drifting: Detector = {
  name: 'drifting',
  detect({ samples }) {
    const found = drift(samples);
    if (found === null || Math.abs(found.z) < LEAST_Z) return null;
    const surely = found.overall > 0 ? found.overallLow : -found.overallHigh;
    if (surely < LEAST) return null;
    const way = found.overall > 0 ? 'slower' : 'faster';
    return {
      reason: `repetitions became ${percent(Math.abs(found.overall))} ${way} over the launch: a longer warm-up, or a steadier clock, is needed`,
      evidence: { overall: found.overall, low: found.overallLow, high: found.overallHigh, z: found.z },
    };
  },
  blindness: ({ samples }) => (samples.length < 8 ? 'fewer than 8 repetitions' : null),
};

/** The repetitions became slower or faster as the launch went on: clocks, heat, a neighbour that came or went. */
import { formatShare } from '../../quantities/format.js';
import { drift } from '../drift.js';
import type { Detector } from './detector.js';

/** The trend is at least this much over the launch, with 95 %; and hardly chance. Quiet machines: 0.15 %. */
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
    const [low, high] = [Math.abs(found.overallLow), Math.abs(found.overallHigh)].sort((a, b) => a - b);
    return {
      reason: `repetitions became ${formatShare(Math.abs(found.overall))} ${way} from the first to the last (95 %: ${formatShare(low ?? 0)} to ${formatShare(high ?? 0)}): warm up for longer, or fix the clock and the cooling`,
      evidence: {
        overall: found.overall,
        low: found.overallLow,
        high: found.overallHigh,
        perThousand: found.perThousand,
        z: found.z,
      },
    };
  },
  blindness: ({ samples }) => (drift(samples) === null ? 'fewer than 8 repetitions, or a median of 0' : null),
};

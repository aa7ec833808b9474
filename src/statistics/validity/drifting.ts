/** The repetitions became slower or faster as the launch went on: clocks, heat, a neighbour that came or went. */
import { formatShare } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import { steppedLevels, withoutLevels } from '../change-points.js';
import { type Drift, drift } from '../drift.js';
import type { Detector } from './detector.js';

/** The trend is at least this much over the launch, with 95 %; and hardly chance. Quiet machines: 0.15 %. */
const LEAST = 0.01;
const LEAST_Z = 3;

/** A trend that is surely large enough; null for others. */
function notable(found: Drift | null): Drift | null {
  if (found === null || Math.abs(found.z) < LEAST_Z) return null;
  const surely = found.overall > 0 ? found.overallLow : -found.overallHigh;
  return surely < LEAST ? null : found;
}

/** A step is a trend as well: where there are steps (`stepped` names them), the trend that remains without. */
function trendBesideSteps({ samples, drift: trend }: Observation): Drift | null {
  const found = notable(trend);
  const levels = found === null ? null : steppedLevels(samples);
  return levels === null ? found : notable(drift(withoutLevels(samples, levels)));
}

export const drifting: Detector = {
  name: 'drifting',
  detect(observation) {
    const found = trendBesideSteps(observation);
    if (found === null) return null;
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
  blindness: ({ drift: trend }) => (trend === null ? 'fewer than 8 repetitions, or a median of 0' : null),
};

/** The repetitions have several usual times: their median may be one that hardly any of them took. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import { steppedLevels, withoutLevels } from '../change-points.js';
import { LEAST_FOR_MODES, type Mode, modesOf } from '../multimodality.js';
import { median } from '../quantile.js';
import { without } from '../without.js';
import type { Detector } from './detector.js';
import { quantised } from './quantised.js';

const MOST_NAMED = 5;

/** Repetitions that lost a CPU are slower, and `preempted` says so: a mode of theirs has its cause. */
const undisturbed = ({ samples, disturbed }: Observation): Float64Array =>
  without(new Float64Array(samples), disturbed ?? []);

/** Levels that lasted make modes of their own; those are `stepped`, and what counts is whether modes remain without. */
function modesWithoutSteps(samples: Float64Array, resolution: number): readonly Mode[] {
  const modes = modesOf(samples, resolution);
  const levels = modes.length < 2 ? null : steppedLevels(samples);
  if (levels === null) return modes;
  const scale = median(samples);
  return modesOf(withoutLevels(samples, levels), resolution / scale).map(({ place, share }) => ({
    place: place * scale,
    share,
  }));
}

export const multimodal: Detector = {
  name: 'multimodal',
  detect(observation) {
    const { clockResolution, callsPerSample } = observation;
    const resolution = clockResolution / callsPerSample;
    const modes = modesWithoutSteps(undisturbed(observation), resolution);
    // Multiples of a scheduler's period are modes whose cause is known.
    if (modes.length < 2 || quantised.detect(observation) !== null) return null;
    const named = modes
      .slice(0, MOST_NAMED)
      .map(({ place, share }) => `${formatSeconds(place, 3)} (${formatShare(share)})`);
    const more = modes.length > MOST_NAMED ? ` and ${modes.length - MOST_NAMED} more` : '';
    return {
      reason: `the times have ${plural(modes.length, 'mode')}: ${named.join(', ')}${more}: no single time is typical, look at the distribution beside the median`,
      evidence: {
        modes: modes.length,
        placesSeconds: modes.map(({ place }) => place.toPrecision(4)).join(' '),
        shares: modes.map(({ share }) => share.toPrecision(3)).join(' '),
        largestShare: Math.max(...modes.map(({ share }) => share)),
      },
    };
  },
  blindness(observation) {
    if (observation.samples.length < LEAST_FOR_MODES) return `fewer than ${LEAST_FOR_MODES} repetitions`;
    return undisturbed(observation).length < LEAST_FOR_MODES
      ? `fewer than ${LEAST_FOR_MODES} repetitions that nothing disturbed`
      : null;
  },
};

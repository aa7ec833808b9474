/** The registry of validity checks: a new one is its file and its line here. */
import { plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import { requireFinite } from '../finite.js';
import { clockHeld } from './clock-held.js';
import { clockLimited } from './clock-limited.js';
import { clockNotSettled } from './clock-not-settled.js';
import { contended } from './contended.js';
import { crowded } from './crowded.js';
import type { Detector } from './detector.js';
import { deviceErrors } from './device-errors.js';
import { drifting } from './drifting.js';
import { farMemory } from './far-memory.js';
import { foreignLoad } from './foreign-load.js';
import { linkDegraded } from './link-degraded.js';
import { migrated } from './migrated.js';
import { mixedCores } from './mixed-cores.js';
import { multimodal } from './multimodal.js';
import { notSteady } from './not-steady.js';
import { outlying } from './outlying.js';
import { powerBrake } from './power-brake.js';
import { powerCapped } from './power-capped.js';
import { powerLimitMoved } from './power-limit-moved.js';
import { preempted } from './preempted.js';
import { quantised } from './quantised.js';
import { skewed } from './skewed.js';
import { stepped } from './stepped.js';
import { stolen } from './stolen.js';
import { thermal } from './thermal.js';
import { throttled } from './throttled.js';
import type { Flag, FlagName } from './types.js';

export { type ProcessDocument, throttledByProcessDocument } from './throttled-document.js';

export const detectors: readonly Detector[] = [
  throttled,
  deviceErrors,
  powerBrake,
  thermal,
  clockHeld,
  powerCapped,
  powerLimitMoved,
  foreignLoad,
  clockNotSettled,
  linkDegraded,
  farMemory,
  stolen,
  preempted,
  migrated,
  contended,
  crowded,
  mixedCores,
  skewed,
  drifting,
  stepped,
  notSteady,
  quantised,
  multimodal,
  clockLimited,
  outlying,
];

/**
 * What spoils this launch, worst first.
 * @throws RangeError for a launch without samples, where nothing was measured that could be valid or not, and for a
 *   sample that is not finite
 */
export function detectFlags(observation: Observation): readonly Flag[] {
  if (observation.samples.length === 0) throw new RangeError('no samples to judge');
  requireFinite(observation.samples);
  return detectors.flatMap(({ name, detect }) => {
    const found = detect(observation) ?? [];
    return [found].flat().map((one) => ({ name, ...one }));
  });
}

/** What is read of a host, and so of the one that rank 0 is on. */
const OF_A_HOST: readonly FlagName[] = [
  'throttled',
  'stolen',
  'migrated',
  'contended',
  'crowded',
  'mixed-cores',
];

function elsewhere({ elsewhere: ranks = 0 }: Observation, name: FlagName): readonly string[] {
  return ranks > 0 && OF_A_HOST.includes(name)
    ? [`of the hosts of ${plural(ranks, 'other rank')} nothing was read`]
    : [];
}

/** Checks that could not run on this launch, or only in part, and why. */
export function notChecked(
  observation: Observation,
): readonly { readonly flag: FlagName; readonly why: string }[] {
  return detectors.flatMap(({ name, blindness }) =>
    [blindness(observation) ?? [], elsewhere(observation, name)].flat().map((why) => ({ flag: name, why })),
  );
}

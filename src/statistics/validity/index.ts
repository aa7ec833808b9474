/** The registry of validity checks: a new one is its file and its line here. */
import type { Observation } from '../../telemetry/types.js';
import { clockLimited } from './clock-limited.js';
import { contended } from './contended.js';
import type { Detector } from './detector.js';
import { drifting } from './drifting.js';
import { migrated } from './migrated.js';
import { notSteady } from './not-steady.js';
import { outlying } from './outlying.js';
import { preempted } from './preempted.js';
import { quantised } from './quantised.js';
import { stolen } from './stolen.js';
import { throttled } from './throttled.js';
import type { Flag, FlagName } from './types.js';

export const detectors: readonly Detector[] = [
  throttled,
  stolen,
  preempted,
  migrated,
  contended,
  drifting,
  notSteady,
  quantised,
  clockLimited,
  outlying,
];

/** What spoils this launch, worst first. */
export function detectFlags(observation: Observation): readonly Flag[] {
  return detectors.flatMap(({ name, detect }) => {
    const found = detect(observation);
    return found === null ? [] : { name, ...found };
  });
}

/** Checks that could not run on this launch, and why. */
export function notChecked(observation: Observation): readonly { readonly flag: FlagName; readonly why: string }[] {
  return detectors.flatMap(({ name, blindness }) => {
    const why = blindness(observation);
    return why === null ? [] : { flag: name, why };
  });
}

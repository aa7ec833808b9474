/** Which validity checks nobody can run on what others published, and why. Pure. */
import { detectors } from '../statistics/validity/index.js';
import type { FlagName } from '../statistics/validity/types.js';
import type { NotChecked } from './published.js';

/** Checks that rest on what the kernel counts around the repetitions; the others on the repetitions' own times. */
const ON_TELEMETRY: readonly FlagName[] = [
  'throttled',
  'stolen',
  'preempted',
  'migrated',
  'contended',
  'crowded',
  'mixed-cores',
];

/** All checks but those that `besides` names, which the importer did in part and words itself. */
export function uncheckable(besides: readonly FlagName[]): readonly NotChecked[] {
  return detectors
    .filter(({ name }) => !besides.includes(name))
    .map(({ name }) => ({
      flag: name,
      why: ON_TELEMETRY.includes(name)
        ? 'nothing of what the kernel counted was published'
        : 'the times of the repetitions were not published',
    }));
}

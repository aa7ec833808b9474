/** Which validity checks nobody can run on what others published, and why. Pure. */
import { detectors } from '../statistics/validity/index.js';
import type { FlagName } from '../statistics/validity/types.js';
import type { NotChecked } from './published.js';

const KERNEL = 'nothing of what the kernel counted was published';
const GPU = 'no readings of a GPU were published';
/** All others look at each repetition. */
const TIMES = 'the times of the repetitions were not published';

const WHYS: Readonly<Partial<Record<FlagName, string>>> = {
  throttled: KERNEL,
  stolen: KERNEL,
  preempted: KERNEL,
  migrated: KERNEL,
  contended: KERNEL,
  crowded: 'how many threads took turns on how many CPUs was not published',
  'mixed-cores': 'on which cores the threads ran was not published',
  skewed: 'whether ranks began at one moment was not published',
  'device-errors': GPU,
  'power-brake': GPU,
  thermal: GPU,
  'power-capped': GPU,
  'power-limit-moved': GPU,
  'foreign-load': GPU,
  'clock-held': GPU,
  'clock-not-settled': GPU,
  'link-degraded': GPU,
  'far-memory': 'where the host’s memory of copies lay was not published',
  // A launch's median says how long a repetition takes, and not how well that can be told.
  'clock-limited': 'the resolution of the clock was not published',
  'launches-not-independent': 'in which order the launches were measured was not published',
  'above-ceiling': 'no ceiling was published that was measured beside the launches',
  'peak-moved': 'no peak was published that was measured beside the launches',
};

/** What no single launch is checked for. */
const OF_BATCHES: readonly FlagName[] = ['launches-not-independent', 'above-ceiling', 'peak-moved'];

/** All checks but those that `besides` names, which the importer did in part and words itself. */
export function uncheckable(besides: readonly FlagName[]): readonly NotChecked[] {
  return [...detectors.map(({ name }) => name), ...OF_BATCHES]
    .filter((name) => !besides.includes(name))
    .map((name) => ({ flag: name, why: WHYS[name] ?? TIMES }));
}

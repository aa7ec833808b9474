/** The registry of indicators: a new one is its file and its line here. */
import { UserError } from '../errors.js';
import { thereIs } from '../nearest.js';
import { collective } from './collective.js';
import type { Indicator } from './indicator.js';
import { kernelLaunch } from './kernel-launch.js';
import { latency } from './latency.js';
import { matmul } from './matmul.js';
import { memory } from './memory.js';
import { overlap } from './overlap.js';
import { peak } from './peak.js';

export const indicators: readonly Indicator[] = [
  matmul,
  memory,
  latency,
  peak,
  collective,
  overlap,
  kernelLaunch,
];

/** @throws UserError when there is no such indicator. */
export function findIndicator(name: string): Indicator {
  const found = indicators.find((indicator) => indicator.name === name);
  if (found !== undefined) return found;
  const names = indicators.map((indicator) => indicator.name);
  throw new UserError(`there is no indicator "${name}"; ${thereIs(name, names)}`);
}

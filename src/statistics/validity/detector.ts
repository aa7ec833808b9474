/** What a validity check is: a pure function from what one launch observed to a flag, or none. */
import type { Observation } from '../../telemetry/types.js';
import type { Flag, FlagName } from './types.js';

export interface Detector {
  readonly name: FlagName;
  readonly detect: (observation: Observation) => Omit<Flag, 'name'> | null;
  /** Why the check cannot run on this observation, or null when it can: silence must not read as a pass. */
  readonly blindness: (observation: Observation) => string | null;
}

/** For checks that need nothing but the samples. */
export const seesAlways = (): null => null;

export const percent = (share: number): string => {
  const value = share * 100;
  return `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} %`;
};

export const milliseconds = (seconds: number): string => `${Number((seconds * 1e3).toPrecision(3))} ms`;

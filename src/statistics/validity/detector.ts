/** What a validity check is: a pure function from what one launch observed to a flag, or none. */
import { formatSeconds, formatShare } from '../../quantities/format.js';
import type { Observation, Telemetry } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import type { Flag, FlagName } from './types.js';

export type Found = Omit<Flag, 'name'>;

export interface Detector {
  readonly name: FlagName;
  /** Several where several devices took part, one for each that gave cause. */
  readonly detect: (observation: Observation) => Found | readonly Found[] | null;
  /** Why the check cannot run on this observation, or null when it can: silence must not read as a pass. Several as of `detect`. */
  readonly blindness: (observation: Observation) => string | readonly string[] | null;
}

/** The kernel counts CPU time of processes and machines in ticks of 10 ms; fewer than these are their rounding. */
export const LEAST_TICKS: Seconds = 0.05;
/** In a shorter window so many ticks are much of all that it has. */
export const LEAST_WINDOW: Seconds = 0.2;

/** A GPU works off what was enqueued; what becomes of the thread which did so, and of its CPU, is in no repetition then. */
export const timedByGpu = ({ telemetry: { gpu } }: Observation): boolean => (gpu?.clock?.groups ?? 0) > 0;

/** Why counts in ticks say nothing of an observation; null: they do. */
export const whyTooShort = ({ window }: Telemetry): string | null =>
  window < LEAST_WINDOW
    ? `a window of less than ${formatSeconds(LEAST_WINDOW, 3)} is too short for counts in ticks of 10 ms`
    : null;

/**
 * Why nothing is said although so much was seen; null: nothing was, or it is within the limit, or the flag tells of it. It could be
 * said of every short launch that it hides so much, also of those in which no tick was seen: nobody would read it where it matters.
 * The share is rounded, so that launches which are about as long say it in the same words.
 * @param limit from which on the flag is raised
 * @param all of which the share is taken: `what`
 */
export function whyTooFewTicks(seen: Seconds, limit: Seconds, all: Seconds, what: string): string | null {
  if (!(seen > limit) || seen >= LEAST_TICKS) return null;
  const least = Number((LEAST_TICKS / all).toPrecision(1));
  return `more than the limit was seen, but in fewer than five ticks of 10 ms, which may be their rounding: in so short a launch only more than about ${formatShare(least, 1)} of ${what} can be told`;
}

/** As the telemetry tells it, where it does. */
export function whyMissing(telemetry: Telemetry, what: string, otherwise: string): string {
  return telemetry.missing.find((one) => one.what === what)?.why ?? otherwise;
}

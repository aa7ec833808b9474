/**
 * Where a launch was that is lost, as far as anybody knows: a worker speaks seldom, so that it does not disturb what it measures, and
 * may have come far since. Pure.
 */
import { formatSeconds, plural } from '../quantities/format.js';
import type { Seconds } from '../units.js';

export interface LastHeard {
  readonly phase: string;
  readonly taken: number;
  /** CLOCK_MONOTONIC. */
  readonly at: Seconds;
}

/** Of a launch that has said nothing yet. */
export const notHeardSince = (at: Seconds): LastHeard => ({ phase: 'start', taken: 0, at });

/** @param lost when it was found to be */
export const lastHeardText = ({ phase, taken, at }: LastHeard, lost: Seconds): string =>
  `last heard of in phase ${phase} after ${plural(taken, 'repetition')}, ${formatSeconds(Math.max(0, lost - at), 2)} before`;

/** Of one that was killed because it did not end by itself at its limit, which is a while after that. */
export function hungText(
  { timeout, launchedAt }: { readonly timeout: Seconds; readonly launchedAt: Seconds },
  last: LastHeard,
  killed: Seconds,
): string {
  const late = Math.max(0, killed - launchedAt - timeout);
  return `hung: it did not end at its limit of ${formatSeconds(timeout)} and was killed ${formatSeconds(late, 3)} later, ${lastHeardText(last, killed)}`;
}

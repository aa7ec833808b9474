/** Whether a deadline leaves time to measure at all: a launch that would end after it is not begun. Pure. */
import { askedOf } from '../../campaign/launch-times.js';
import { UserError } from '../../errors.js';
import type { BatchSpec } from '../../record/schema.js';
import type { Seconds } from '../../units.js';

/** A worker that hangs is killed within these seconds of being told to stop, and then the record has to be written. */
export const RESERVE: Seconds = 4;

const secondsText = (seconds: Seconds): string => `${Number(seconds.toFixed(2))} s`;

/**
 * @param deadline null: none
 * @param suite its name
 * @param batches what is measured; nothing: only looked at, which no deadline keeps from being done
 * @throws UserError for one that is up before the shortest launch could end
 */
export function requireTimeToMeasure(
  deadline: Seconds | null,
  suite: string,
  batches: readonly Pick<BatchSpec, 'sampling' | 'warmup'>[],
): void {
  if (deadline === null || batches.length === 0) return;
  const shortest = Math.min(...batches.map((batch) => askedOf(batch) ?? 0));
  const least = RESERVE + shortest;
  if (deadline > least) return;
  const launch =
    shortest > 0 ? `, and the shortest launch of suite ${suite} takes ${secondsText(shortest)}` : '';
  throw new UserError(
    `--deadline ${secondsText(deadline)} leaves no time to measure anything: ${secondsText(RESERVE)} of it are kept to end what hangs and to write the record${launch}; give more than ${secondsText(least)}, or --tier t0 in place of the suite, which measures nothing`,
  );
}

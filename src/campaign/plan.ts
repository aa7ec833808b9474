/** The order of a campaign's inspections. Pure: the same campaign always gives the same plan. */
import { randomBits, shuffle } from '../random.js';
import { groupsOf } from '../record/at-once.js';
import type { Campaign } from '../record/schema.js';

export interface PlannedInspection {
  /** Number in the plan, and in the name of the document. */
  readonly index: number;
  /** Index into the campaign's batches. */
  readonly batch: number;
  /** Number within the batch, from 0. */
  readonly launch: number;
  /** Seeds the operands. */
  readonly seed: number;
}

/**
 * Round by round, each batch that still wants a launch gets one, in a random order that the seed decides: launches side
 * by side share the machine's mood, so no batch may have a good hour to itself. Those that are measured at once follow each other. Ends when no batch wants one.
 * @param wants asked for each batch before each round
 */
export function* rounds(
  { batches, seed }: Campaign,
  wants: (batch: number, launch: number) => boolean,
): Generator<PlannedInspection, void> {
  const next = randomBits(seed);
  const groups = groupsOf(batches);
  let index = 0;
  for (let launch = 0; ; launch++) {
    const present = batches.flatMap((_, batch) => (wants(batch, launch) ? [batch] : []));
    if (present.length === 0) return;
    const first = present.filter((batch) => groups[batch]?.[0] === batch);
    shuffle(first, next);
    for (const one of first) {
      for (const batch of groups[one] ?? [one]) yield { index: index++, batch, launch, seed: next() };
    }
  }
}

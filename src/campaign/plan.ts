/** From a campaign to its inspections, in their order. Pure: the same campaign always gives the same plan. */
import { randomBits, shuffle } from '../random.js';
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
 * Round by round, each batch that still has launches gets one, in a random order that the seed decides: launches side
 * by side share the machine's mood, so no batch may have a good hour to itself.
 */
export function plan({ batches, seed }: Campaign): readonly PlannedInspection[] {
  const next = randomBits(seed);
  const rounds = Math.max(...batches.map(({ inspections }) => inspections));
  const planned: PlannedInspection[] = [];
  for (let launch = 0; launch < rounds; launch++) {
    const present = batches.flatMap(({ inspections }, batch) => (launch < inspections ? [batch] : []));
    shuffle(present, next);
    for (const batch of present) {
      planned.push({ index: planned.length, batch, launch, seed: next() });
    }
  }
  return planned;
}

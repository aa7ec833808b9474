/** From a campaign to its inspections, in their order. Pure: the same campaign always gives the same plan. */
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

/** Mulberry32 (public domain): 32 bits of state are plenty to shuffle launches. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  };
}

function shuffle<T>(items: T[], next: () => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = next() % (i + 1);
    const [a, b] = [items[i] as T, items[j] as T];
    items[i] = b;
    items[j] = a;
  }
  return items;
}

/**
 * Round by round, each batch that still has launches gets one, in a random order that the seed decides: launches side
 * by side share the machine's mood, so no batch may have a good hour to itself.
 */
export function plan({ batches, seed }: Campaign): readonly PlannedInspection[] {
  const next = generator(seed);
  const rounds = Math.max(...batches.map(({ inspections }) => inspections));
  const planned: PlannedInspection[] = [];
  for (let launch = 0; launch < rounds; launch++) {
    const present = batches.flatMap(({ inspections }, batch) => (launch < inspections ? [batch] : []));
    for (const batch of shuffle(present, next)) {
      planned.push({ index: planned.length, batch, launch, seed: next() });
    }
  }
  return planned;
}

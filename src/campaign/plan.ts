/** The order of a campaign's inspections. Pure: the same campaign always gives the same plan. */
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
 * Round by round, each batch that still wants a launch gets one, in a random order that the seed decides: launches side
 * by side share the machine's mood, so no batch may have a good hour to itself. Ends when no batch wants one.
 * @param wants asked for each batch before each round
 */
export function* rounds(
  { batches, seed }: Campaign,
  wants: (batch: number, launch: number) => boolean,
): Generator<PlannedInspection, void> {
  const next = generator(seed);
  let index = 0;
  for (let launch = 0; ; launch++) {
    const present = batches.flatMap((_, batch) => (wants(batch, launch) ? [batch] : []));
    if (present.length === 0) return;
    for (const batch of shuffle(present, next)) yield { index: index++, batch, launch, seed: next() };
  }
}

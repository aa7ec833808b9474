/** What is measured at the same time: which batches, and the gate behind which their launches begin. */
import { groupsOf } from '../record/at-once.js';
import type { BatchSpec } from '../record/schema.js';

/** `beside`: each alone, and all at once; `only`: all at once. */
export const AT_ONCE = ['beside', 'only'] as const;

/**
 * The same batches, as `--at-once` has them. What has no other to be measured with stays as it is.
 * @param how one of AT_ONCE; undefined: each alone
 */
export function measuredAtOnce(batches: readonly BatchSpec[], how: unknown): readonly BatchSpec[] {
  if (how === undefined) return batches;
  const marked = batches.map((batch) => ({ ...batch, atOnce: true }));
  const groups = groupsOf(marked);
  const together = marked.filter((_, i) => (groups[i]?.length ?? 0) > 1);
  const alone = batches.filter((_, i) => how === 'beside' || groups[i]?.length === 1);
  return [...alone, ...together];
}

export interface Gate {
  /** Aborted: it is open. */
  readonly opened: AbortSignal;
  /** A launch stands before it, or ended on the way: nobody waits for it any more. */
  arrived(member: number): void;
}

/** Opens when all have arrived. */
export function makeGate(members: number): Gate {
  const opening = new AbortController();
  const there = new Set<number>();
  return {
    opened: opening.signal,
    arrived(member) {
      there.add(member);
      if (there.size >= members) opening.abort();
    },
  };
}

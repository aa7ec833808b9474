/** The work of one repetition, and which part of it a rate counts. Pure. */
import type { Bytes, Flop } from '../units.js';

export type RateCounts = 'flop' | 'bytes';

export interface Work {
  readonly flop: Flop;
  readonly bytes: Bytes;
  /** What plain stores add to `bytes` past the caches: each line is read before it is written. No rate counts it. */
  readonly writeAllocateBytes?: Bytes | undefined;
}

/** `rateCounts` is absent in records from before there were rates of bytes. */
export function countedWork({
  work,
  rateCounts,
}: {
  readonly work: Work;
  readonly rateCounts?: RateCounts | undefined;
}): number {
  return rateCounts === 'bytes' ? work.bytes : work.flop;
}

/** The work of one repetition, and which part of it a rate counts. Pure. */
import type { Bytes, Flop } from '../units.js';

export type RateCounts = 'flop' | 'bytes' | 'launches';

export interface Work {
  readonly flop: Flop;
  readonly bytes: Bytes;
  /** What plain stores add to `bytes` past the caches: each line is read before it is written. No rate counts it. */
  readonly writeAllocateBytes?: Bytes | undefined;
  /** Kernels that a GPU is given to execute, where that is what is measured. */
  readonly launches?: number | undefined;
}

interface Counted<W extends Work | null> {
  readonly work: W;
  readonly rateCounts?: RateCounts | undefined;
}

/** `rateCounts` is absent in records from before there were rates of bytes; null: the work is not known. */
export function countedWork(of: Counted<Work>): number;
export function countedWork(of: Counted<Work | null>): number | null;
export function countedWork({ work, rateCounts }: Counted<Work | null>): number | null {
  if (work === null) return null;
  if (rateCounts === 'launches') return work.launches ?? 0;
  return rateCounts === 'bytes' ? work.bytes : work.flop;
}

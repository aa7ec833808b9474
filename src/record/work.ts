/** The work of one repetition, and which part of it a rate counts. Pure. */
import type { Bytes, Flop } from '../units.js';

export type RateCounts = 'flop' | 'bytes' | 'launches' | 'loads';

export interface Work {
  readonly flop: Flop;
  readonly bytes: Bytes;
  /**
   * What plain stores add to `bytes` past the caches at most: each line is read before it is written, unless the CPU
   * sees that all of it will be. No rate counts it.
   */
  readonly writeAllocateBytes?: Bytes | undefined;
  /** Kernels that a GPU is given to execute, where that is what is measured. */
  readonly launches?: number | undefined;
  /** Loads that each need the one before, where these are what is measured. */
  readonly loads?: number | undefined;
  /** Of products: as many older figures count them. No rate of ours counts so. */
  readonly flop2mnkLessMn?: Flop | undefined;
}

/**
 * A product counted as m n k multiplications and m n (k - 1) additions, 2mnk - mn: of square ones 2n^3 - n^2, as Thoth's scripts
 * and many tables have it. We count 2mnk, a fused multiply-add being two: at n = 512 the two differ by 0.1 %, at 8 by 6 %.
 */
export const flop2mnkLessMn = (m: number, n: number, k: number): Flop => m * n * (2 * k - 1);

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
  if (rateCounts === 'loads') return work.loads ?? 0;
  return rateCounts === 'bytes' ? work.bytes : work.flop;
}

/** A barrier moves and computes nothing: its times say how fast it is, and a rate, always 0, says nothing. */
export const doesNoWork = (of: Counted<Work | null>): boolean => countedWork(of) === 0;

interface Rated extends Counted<Work | null> {
  readonly rate: { readonly median: number } | null;
}

/** null where there is none: nothing was measured right, or it does no work. */
export const medianRate = (of: Rated): number | null => (doesNoWork(of) ? null : (of.rate?.median ?? null));

/** Per second, of the work as `flop2mnkLessMn` counts it; null where that is not known, or nothing was measured. */
export const rate2mnkLessMn = ({
  work,
  elapsed,
}: {
  readonly work: Work | null;
  readonly elapsed: { readonly median: number } | null;
}): number | null =>
  work?.flop2mnkLessMn === undefined || elapsed === null ? null : work.flop2mnkLessMn / elapsed.median;

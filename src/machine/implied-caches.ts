/**
 * The caches that a curve of read rates over working sets implies: a plateau for each cache, and the working set at which
 * it ends is how much fits. Beside the caches that the system reports. Pure.
 */
import { findPlateaus, type Point } from '../statistics/plateaus.js';
import type { Bytes } from '../units.js';
import type { CacheDescription, CpuDescription } from './types.js';

export interface ImpliedCache {
  /** What a thread could use of it: the last size at the plateau's rate, and the first nearer to the next. */
  readonly perThread: { readonly low: Bytes; readonly high: Bytes };
  /** Bytes per second of all threads while it holds the data. */
  readonly rate: number;
  /** The reported cache that it belongs to; null where none is near. */
  readonly level: number | null;
  /** One such cache: what the threads that share it could use together. null where the level is not known. */
  readonly size: { readonly low: Bytes; readonly high: Bytes } | null;
}

/** What a record of this machine implies. */
export interface MeasuredCaches {
  /** Path of the record. */
  readonly record: string;
  readonly createdAt: string;
  /** Threads that read. */
  readonly threads: number;
  readonly caches: readonly ImpliedCache[];
}

/** An implied size within this factor of a reported one may be the same cache. */
const NEAR = 4;

/** Threads of the sweep that share one cache: threads fill cores before they share one. */
function sharersOf(cache: CacheDescription, threads: number, cpu: CpuDescription): number {
  const perCore = cpu.threads !== null && cpu.cores !== null ? Math.max(1, cpu.threads / cpu.cores) : 1;
  const cores = cpu.cores ?? threads;
  const sharing = threads <= cores ? cache.sharedBy / perCore : cache.sharedBy;
  return Math.max(1, Math.min(threads, sharing));
}

/** How far apart on a logarithmic scale; 0 inside the interval. */
function distance({ low, high }: ImpliedCache['perThread'], size: Bytes): number {
  return Math.max(0, Math.log(low / size), Math.log(size / high));
}

/**
 * @param curve of all threads together: working set in bytes, bytes per second; by size
 * @returns caches from the first to the last that the curve shows; memory behind them is none
 */
export function impliedCaches(
  curve: readonly Point[],
  threads: number,
  cpu: CpuDescription,
): readonly ImpliedCache[] {
  const plateaus = findPlateaus(curve);
  const free = cpu.caches.filter(({ type }) => type !== 'instruction');
  return plateaus.slice(0, -1).map((plateau): ImpliedCache => {
    const perThread = {
      low: Math.round(plateau.to / threads),
      high: Math.round((plateau.leftBy ?? plateau.to) / threads),
    };
    const near = free
      .map((cache) => ({ cache, sharers: sharersOf(cache, threads, cpu) }))
      .map((candidate) => ({
        ...candidate,
        far: distance(perThread, candidate.cache.size / candidate.sharers),
      }))
      .filter(({ far }) => far <= Math.log(NEAR))
      .sort((a, b) => a.far - b.far)[0];
    // A cache is implied once, and those before it are behind us.
    if (near !== undefined) free.splice(0, free.indexOf(near.cache) + 1);
    return {
      perThread,
      rate: plateau.level,
      level: near?.cache.level ?? null,
      size:
        near === undefined
          ? null
          : { low: perThread.low * near.sharers, high: perThread.high * near.sharers },
    };
  });
}

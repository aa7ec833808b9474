/**
 * The caches that a curve of read rates over working sets implies: a plateau for each cache, and the working set at which
 * it ends is how much fits. Beside the caches that the system reports. Pure.
 */
import { findPlateaus, type Point } from '../statistics/plateaus.js';
import type { Bytes } from '../units.js';
import { parseCpuList } from './linux/cpu-list.js';
import type { CacheDescription, CpuDescription } from './types.js';

export interface ImpliedCache {
  /** What a thread could use of it: the last size at the plateau's rate, and the first nearer to the next. */
  readonly perThread: { readonly low: Bytes; readonly high: Bytes };
  /** Bytes per second of all threads while it holds the data. */
  readonly rate: number;
  /** The reported cache that it belongs to; null where none is near. */
  readonly level: number | null;
  /** One such cache: what the threads that share it could use. null: level or sharers are not known. */
  readonly size: { readonly low: Bytes; readonly high: Bytes } | null;
}

/** Who read. */
export interface Readers {
  readonly threads: number;
  /** The CPU of each; null: not known, as of threads that were not bound. */
  readonly cpus: readonly number[] | null;
}

/** What a record of this machine implies. */
export interface MeasuredCaches {
  /** Path of the record. */
  readonly record: string;
  readonly createdAt: string;
  /** Threads that read. */
  readonly threads: number;
  /** What they read on: the whole CPU is `cpu`. */
  readonly device: string;
  /** Whether other devices were measured at the same time. */
  readonly atOnce: boolean;
  readonly caches: readonly ImpliedCache[];
}

/** An implied size within this factor of a reported one may be the same cache. */
const NEAR = 4;

/** A reported cache with what a thread has of it; the first of the two where its sharers are not known. */
interface Candidate {
  readonly cache: CacheDescription;
  readonly sharers: number | null;
  readonly share: ImpliedCache['perThread'];
}

/** Threads that share the fullest one of a kind, in which their equal shares are too large first. */
function sharersOf({ sharing, sharedBy }: CacheDescription, { threads, cpus }: Readers): number | null {
  if (threads === 1 || sharedBy === 1) return 1;
  if (cpus === null || sharing === undefined) return null;
  const counts = sharing.map((list) => {
    const own = parseCpuList(list) ?? [];
    return cpus.filter((cpu) => own.includes(cpu)).length;
  });
  return Math.max(...counts);
}

/** Those that the threads read through; by level, and of one level the least share first. */
function candidatesOf(cpu: CpuDescription, readers: Readers): readonly Candidate[] {
  return cpu.caches
    .filter(({ type }) => type !== 'instruction')
    .flatMap((cache): Candidate[] => {
      const sharers = sharersOf(cache, readers);
      if (sharers === 0) return [];
      const most = sharers ?? Math.min(readers.threads, cache.sharedBy);
      return [{ cache, sharers, share: { low: cache.size / most, high: cache.size / (sharers ?? 1) } }];
    })
    .sort((a, b) => a.cache.level - b.cache.level || a.share.low - b.share.low);
}

/** How far apart two intervals are on a logarithmic scale; 0 where they meet. */
const distance = (a: ImpliedCache['perThread'], b: ImpliedCache['perThread']): number =>
  Math.max(0, Math.log(a.low / b.high), Math.log(b.low / a.high));

interface Assignment {
  readonly cost: number;
  readonly taken: readonly (Candidate | null)[];
}

/**
 * Which cache each plateau is, of all together the nearest: each cache at most once, in their order. A plateau
 * that is near none costs as much as the farthest that may be one.
 */
function assign(spans: readonly ImpliedCache['perThread'][], candidates: readonly Candidate[]): Assignment {
  const [span, ...others] = spans;
  if (span === undefined) return { cost: 0, taken: [] };
  const limit = Math.log(NEAR);
  const options = candidates.flatMap((candidate, i): Assignment[] => {
    const far = distance(span, candidate.share);
    if (far > limit) return [];
    const rest = assign(others, candidates.slice(i + 1));
    return [{ cost: far + rest.cost, taken: [candidate, ...rest.taken] }];
  });
  const rest = assign(others, candidates);
  const none = { cost: limit + rest.cost, taken: [null, ...rest.taken] };
  return [...options, none].reduce((best, one) => (one.cost < best.cost ? one : best));
}

/**
 * @param curve of all threads together: working set in bytes, bytes per second; by size
 * @returns caches from the first to the last that the curve shows; memory behind them is none
 */
export function impliedCaches(
  curve: readonly Point[],
  readers: Readers,
  cpu: CpuDescription,
): readonly ImpliedCache[] {
  const { threads } = readers;
  const plateaus = findPlateaus(curve).slice(0, -1);
  const spans = plateaus.map(({ to, leftBy }) => ({
    low: Math.round(to / threads),
    high: Math.round((leftBy ?? to) / threads),
  }));
  const { taken } = assign(spans, candidatesOf(cpu, readers));
  return plateaus.flatMap(({ level: rate }, i): ImpliedCache[] => {
    const [perThread, near] = [spans[i], taken[i] ?? null];
    if (perThread === undefined) return [];
    const sharers = near?.sharers ?? null;
    return [
      {
        perThread,
        rate,
        level: near?.cache.level ?? null,
        size: sharers === null ? null : { low: perThread.low * sharers, high: perThread.high * sharers },
      },
    ];
  });
}

/** The working sets that `pi-bench memory` sweeps unless told otherwise, and the one that is main memory's. Pure. */
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { CacheDescription, CpuDescription } from '../machine/types.js';
import type { Bytes } from '../units.js';

/** Where nothing tells of them: what most CPUs have or exceed. */
const USUAL_FIRST: Bytes = 32 * 2 ** 10;
const USUAL_LAST: Bytes = 32 * 2 ** 20;
/** CPUs that share one such last cache on most servers. */
const SHARERS_OF_USUAL = 8;
/** So many times the last caches together is main memory, and so many times all caches together. */
const PAST_THE_LAST = 4;
const PAST_ALL = 2;
/** Of the memory that is free, what is taken at most where nobody says how much. */
const SHARE_OF_FREE = 0.5;
/** What is called main memory has so much where the caches are small, or nothing tells of them. */
const LEAST_OF_MAIN: Bytes = 512 * 2 ** 20;

type Caches = Pick<CpuDescription, 'caches' | 'cachesFrom'> & Partial<Pick<CpuDescription, 'threads'>>;

export interface DefaultSizes {
  /** Each four times the one before: for the operations that come in two kinds. */
  readonly sparse: readonly Bytes[];
  /** Powers of two and one and a half times those: dense enough to tell where a cache ends. */
  readonly dense: readonly Bytes[];
}

const powerBelow = (bytes: Bytes): Bytes => 2 ** Math.floor(Math.log2(bytes));
/** Of three arrays some lines each: less of them is mostly the call. */
const LEAST_OF_THREAD: Bytes = 3 * 16 * 64;

const powerAbove = (bytes: Bytes): Bytes => 2 ** Math.ceil(Math.log2(bytes));

function upTo(last: Bytes, first: Bytes, steps: readonly number[], factor: number): readonly Bytes[] {
  const sizes: Bytes[] = [];
  for (let size = first; size <= last; size *= factor) {
    sizes.push(...steps.map((step) => size * step).filter((bytes) => bytes <= last));
  }
  return sizes.includes(last) ? sizes : [...sizes, last];
}

/** What a machine's data caches hold: they need not be of one size, and each size is listed by itself. */
interface Held {
  /** By the last ones. */
  readonly last: Bytes;
  /** By those of every level, of which the last need not repeat what the others hold. */
  readonly all: Bytes;
}

const listsLast = ({ caches, cachesFrom }: Caches): boolean =>
  // Of the C library the last cache is not known.
  cachesFrom === 'kernel' && caches.some(({ type }) => type !== 'instruction');

function heldBy(cpu: Caches): Held {
  if (!listsLast(cpu)) {
    const usual = USUAL_LAST * Math.max(1, Math.ceil((cpu.threads ?? 1) / SHARERS_OF_USUAL));
    return { last: usual, all: usual };
  }
  const data = cpu.caches.filter(({ type }) => type !== 'instruction');
  const lastLevel = Math.max(...data.map(({ level }) => level));
  const sum = (some: readonly CacheDescription[]): Bytes =>
    some.reduce((bytes, { size, instances }) => bytes + size * instances, 0);
  return { last: sum(data.filter(({ level }) => level === lastLevel)), all: sum(data) };
}

const pastCaches = ({ last, all }: Held): Bytes => Math.max(PAST_THE_LAST * last, PAST_ALL * all);

/** As much as no cache holds, as far as memory goes. */
function pastTheLast(cpu: Caches, free: Bytes | null): Bytes {
  const wanted = powerAbove(pastCaches(heldBy(cpu)));
  return free === null ? wanted : Math.min(wanted, powerBelow(free * SHARE_OF_FREE));
}

/** Of what a thread reads again and again, as much as leaves no cache anything of use, however much memory is free. */
export const pastAllCaches = (cpu: Caches): Bytes => Math.max(LEAST_OF_MAIN, pastCaches(heldBy(cpu)));

/** What `--bytes main` is: the same on machines that differ in small caches only. */
export const mainMemory = (cpu: Caches, free: Bytes | null): Bytes =>
  Math.max(LEAST_OF_MAIN, pastTheLast(cpu, free));

/** One thread reads from the last cache of its own core, however many of them the machine has. */
export const ofOneCore = (cpu: CpuDescription): CpuDescription => ({
  ...cpu,
  threads: 1,
  caches: cpu.caches.map((cache) => ({ ...cache, instances: 1 })),
});

const meantAsMain = (bytes: Bytes, cpu: Caches, free: Bytes | null): boolean =>
  bytes === pastTheLast(cpu, free) || bytes === mainMemory(cpu, free);

/** A size that was to be main memory's, and for want of free memory is not: as a multiple of what the caches hold. */
export interface ShortOfMain {
  readonly which: keyof Held;
  readonly held: Bytes;
  readonly times: number;
}

/**
 * null: it is no such size, or it is past the caches, as far as they are known, or else assumed.
 * @param read the caches of those that read it, where they are fewer
 */
export function shortOfMain(
  bytes: Bytes,
  cpu: Caches,
  free: Bytes | null,
  read: Caches = cpu,
): ShortOfMain | null {
  // A size that is meant as theirs alone is past theirs: free memory did not limit it.
  if (!meantAsMain(bytes, cpu, free)) return null;
  const caches = heldBy(read);
  if (bytes >= pastCaches(caches)) return null;
  const which = PAST_ALL * caches.all > PAST_THE_LAST * caches.last ? 'all' : 'last';
  return { which, held: caches[which], times: bytes / caches[which] };
}

/**
 * What the last caches are taken to hold for a size that is to be main memory's, where the system does not list them; null: it does.
 * @param read as of `shortOfMain`: some sizes follow from the machine's, some from theirs
 */
export function assumedLast(bytes: Bytes, cpu: Caches, free: Bytes | null, read: Caches = cpu): Bytes | null {
  const meant = meantAsMain(bytes, cpu, free) || meantAsMain(bytes, read, free);
  return listsLast(read) || !meant ? null : heldBy(read).last;
}

/** The first data caches: of each kind of core one. */
function firstCaches({ caches }: Caches): readonly CacheDescription[] {
  const data = caches.filter(({ type }) => type !== 'instruction');
  const first = Math.min(...data.map(({ level }) => level));
  return data.filter(({ level }) => level === first);
}

/** Threads, and the CPUs on which they may run; null: not known. */
export interface Placing {
  readonly threads: number;
  readonly allowed: readonly number[] | null;
}

/** How many of them the threads use: each takes one of its own before two share one. */
function usedOf(first: readonly CacheDescription[], { threads, allowed }: Placing): number {
  const within = (list: string): boolean =>
    allowed === null || (parseCpuList(list) ?? []).some((cpu) => allowed.includes(cpu));
  const counts = first.map(({ instances, sharing }) => sharing?.filter(within).length ?? instances);
  return Math.max(
    1,
    Math.min(
      threads,
      counts.reduce((sum, count) => sum + count, 0),
    ),
  );
}

/** From half of the first data caches that threads use to past all caches, as far as memory goes. */
export function defaultSizes(cpu: Caches, placing: Placing, free: Bytes | null): DefaultSizes {
  const firsts = firstCaches(cpu);
  const [size, used] =
    firsts.length === 0
      ? [USUAL_FIRST, placing.threads]
      : [Math.min(...firsts.map((one) => one.size)), usedOf(firsts, placing)];
  const half = powerBelow((size / 2) * used);
  // Threads that have to share CPUs need some lines of each array all the same.
  const first = Math.max(half, powerAbove(placing.threads * LEAST_OF_THREAD));
  const last = pastTheLast(cpu, free);
  return { sparse: upTo(last, first, [1], 4), dense: upTo(last, first, [1, 1.5], 2) };
}

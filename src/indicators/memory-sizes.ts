/** The working sets that `pi-bench memory` sweeps unless told otherwise. Pure. */
import type { CpuDescription } from '../machine/types.js';
import type { Bytes } from '../units.js';

/** Where nothing tells of them: what most CPUs have or exceed. */
const USUAL_FIRST: Bytes = 32 * 2 ** 10;
const USUAL_LAST: Bytes = 32 * 2 ** 20;
/** So many times the last caches together is main memory. */
const PAST_THE_LAST = 4;
/** Of the memory that is free, what a sweep takes at most by itself. */
const SHARE_OF_FREE = 0.5;

export interface DefaultSizes {
  /** Each four times the one before: for the operations that come in two kinds. */
  readonly sparse: readonly Bytes[];
  /** Powers of two and one and a half times those: dense enough to tell where a cache ends. */
  readonly dense: readonly Bytes[];
}

const powerBelow = (bytes: Bytes): Bytes => 2 ** Math.floor(Math.log2(bytes));
const powerAbove = (bytes: Bytes): Bytes => 2 ** Math.ceil(Math.log2(bytes));

function upTo(last: Bytes, first: Bytes, steps: readonly number[], factor: number): readonly Bytes[] {
  const sizes: Bytes[] = [];
  for (let size = first; size <= last; size *= factor) {
    sizes.push(...steps.map((step) => size * step).filter((bytes) => bytes <= last));
  }
  return sizes.includes(last) ? sizes : [...sizes, last];
}

/** From half of each thread's first data cache to four times the last caches of the machine, as far as memory goes. */
export function defaultSizes(
  { caches, cachesFrom }: Pick<CpuDescription, 'caches' | 'cachesFrom'>,
  threads: number,
  free: Bytes | null,
): DefaultSizes {
  const data = caches.filter(({ type }) => type !== 'instruction');
  const [smallest] = data;
  const largest = cachesFrom === 'kernel' ? data.at(-1) : undefined;
  const first = powerBelow(((smallest?.size ?? USUAL_FIRST) / 2) * threads);
  const all = largest === undefined ? USUAL_LAST : largest.size * largest.instances;
  const wanted = powerAbove(PAST_THE_LAST * all);
  const last = free === null ? wanted : Math.min(wanted, powerBelow(free * SHARE_OF_FREE));
  return { sparse: upTo(last, first, [1], 4), dense: upTo(last, first, [1, 1.5], 2) };
}

/** Caches from /sys/devices/system/cpu/cpu<n>/cache, those of one kind put together. */
import type { Bytes } from '../units.js';
import { parseCpuList } from './linux/cpu-list.js';
import { type FileReader, readTrimmed, readWholeNumber } from './linux/reader.js';
import type { CacheDescription } from './types.js';

const MOST_INDICES = 10;
const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const TYPES: ReadonlyMap<string, CacheDescription['type']> = new Map([
  ['Data', 'data'],
  ['Instruction', 'instruction'],
  ['Unified', 'unified'],
]);

/** `48K`, `2M` or bytes; null for anything else. */
export function parseCacheSize(text: string | null): Bytes | null {
  const match = /^(\d{1,12})([KMG]?)$/.exec(text?.trim() ?? '');
  return match === null ? null : Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}

/** By level and type; empty where the kernel shows no caches. */
export function readCaches(reader: FileReader, cpus: readonly number[]): readonly CacheDescription[] {
  const kinds = new Map<string, CacheDescription>();
  const seen = new Set<string>();
  for (const cpu of cpus) {
    for (let index = 0; index < MOST_INDICES; index++) {
      const directory = `/sys/devices/system/cpu/cpu${cpu}/cache/index${index}`;
      const shared = readTrimmed(reader, `${directory}/shared_cpu_list`);
      if (shared === null) break;
      // The CPUs that share a cache see it under the same number.
      if (seen.has(`${index}:${shared}`)) continue;
      seen.add(`${index}:${shared}`);
      const cache = readCache(reader, directory, parseCpuList(shared)?.length ?? 1);
      if (cache === null) continue;
      const kind = JSON.stringify(cache);
      const sharing = [...(kinds.get(kind)?.sharing ?? []), shared];
      kinds.set(kind, { ...cache, instances: sharing.length, sharing });
    }
  }
  return [...kinds.values()].sort((a, b) => a.level - b.level || a.type.localeCompare(b.type));
}

function readCache(reader: FileReader, directory: string, sharedBy: number): CacheDescription | null {
  const level = readWholeNumber(reader, `${directory}/level`);
  const type = TYPES.get(readTrimmed(reader, `${directory}/type`) ?? '');
  const size = parseCacheSize(reader(`${directory}/size`));
  if (level === null || type === undefined || size === null) return null;
  const line = readWholeNumber(reader, `${directory}/coherency_line_size`);
  return { level, type, size, line, sharedBy, instances: 0 };
}

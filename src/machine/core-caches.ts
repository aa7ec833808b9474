/**
 * A core's own caches as the C library tells them: some hypervisors show the kernel none. Its last cache is left out. It
 * counts one socket's together (508 MiB on a guest of which each eight cores share 32), and not who shares which. Pure.
 */
import { keyedNumbers } from './linux/reader.js';
import type { CacheDescription } from './types.js';

const OWN = [
  { level: 1, type: 'data', key: 'LEVEL1_DCACHE' },
  { level: 1, type: 'instruction', key: 'LEVEL1_ICACHE' },
  { level: 2, type: 'unified', key: 'LEVEL2_CACHE' },
] as const;

/**
 * @param variables lines of `getconf -a`
 * @returns by level and type, as if each core had its own and its threads shared them; empty where the library knows none
 */
export function coreCaches(
  variables: string,
  cores: number | null,
  threads: number | null,
): readonly CacheDescription[] {
  const numbers = keyedNumbers(variables);
  const instances = cores ?? threads ?? 1;
  const sharedBy = Math.max(1, Math.round((threads ?? instances) / instances));
  return OWN.flatMap(({ level, type, key }): readonly CacheDescription[] => {
    const size = numbers.get(`${key}_SIZE`) ?? 0;
    const line = numbers.get(`${key}_LINESIZE`) ?? 0;
    return size > 0 ? [{ level, type, size, line: line > 0 ? line : null, sharedBy, instances }] : [];
  });
}

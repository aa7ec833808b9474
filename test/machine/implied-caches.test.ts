import { describe, expect, it } from 'vitest';
import { impliedCaches } from '../../src/machine/implied-caches.js';
import type { CacheDescription, CpuDescription } from '../../src/machine/types.js';
import type { Point } from '../../src/statistics/plateaus.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = Array.from({ length: 14 }, (_, i) => [16 * KIB * 2 ** i, 24 * KIB * 2 ** i]).flat();

const cache = (level: number, size: number, sharedBy: number, type: CacheDescription['type']) => ({
  level,
  type,
  size,
  line: 64,
  sharedBy,
  instances: 1,
});
/** Two threads a core: L1 and L2 are shared by two CPUs, L3 by sixteen. */
const CPU = {
  threads: 16,
  cores: 8,
  caches: [
    cache(1, 32 * KIB, 2, 'data'),
    cache(1, 32 * KIB, 2, 'instruction'),
    cache(2, MIB, 2, 'unified'),
    cache(3, 32 * MIB, 16, 'unified'),
  ],
} as unknown as CpuDescription;

/** All threads together read at the first of these rates whose limit the working set does not exceed. */
const curveOf = (...levels: readonly (readonly [limit: number, rate: number])[]): readonly Point[] =>
  SIZES.map((bytes): Point => [bytes, levels.find(([limit]) => bytes <= limit)?.[1] ?? 1e10]);

describe('the caches that a curve implies', () => {
  it('are those of one thread as they are reported', () => {
    const implied = impliedCaches(curveOf([32 * KIB, 2e11], [MIB, 1e11], [32 * MIB, 5e10]), 1, CPU);
    expect(implied.map(({ level, size }) => [level, size])).toEqual([
      [1, { low: 32 * KIB, high: 48 * KIB }],
      [2, { low: MIB, high: 1.5 * MIB }],
      [3, { low: 32 * MIB, high: 48 * MIB }],
    ]);
  });

  it('are per thread where each has its own, and shared where threads share one', () => {
    const implied = impliedCaches(curveOf([4 * 32 * KIB, 8e11], [4 * MIB, 4e11], [32 * MIB, 2e11]), 4, CPU);
    expect(implied.map(({ level, perThread, size }) => [level, perThread.low, size?.low])).toEqual([
      [1, 32 * KIB, 32 * KIB],
      [2, MIB, MIB],
      [3, 8 * MIB, 32 * MIB],
    ]);
  });

  it('are told although one that is reported does not show', () => {
    const implied = impliedCaches(curveOf([32 * KIB, 2e11], [16 * MIB, 1e11]), 1, CPU);
    expect(implied.map(({ level }) => level)).toEqual([1, 3]);
  });

  it('have no level where none is reported near', () => {
    const bare = { ...CPU, caches: [] };
    const [first] = impliedCaches(curveOf([32 * KIB, 2e11]), 1, bare);
    expect(first).toMatchObject({ level: null, size: null, perThread: { low: 32 * KIB, high: 48 * KIB } });
  });

  it('are none where the rate has no steps', () => {
    expect(impliedCaches(curveOf(), 1, CPU)).toEqual([]);
  });
});

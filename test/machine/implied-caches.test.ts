import { describe, expect, it } from 'vitest';
import { impliedCaches } from '../../src/machine/implied-caches.js';
import type { CacheDescription, CpuDescription } from '../../src/machine/types.js';
import type { Point } from '../../src/statistics/plateaus.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = Array.from({ length: 14 }, (_, i) => [16 * KIB * 2 ** i, 24 * KIB * 2 ** i]).flat();

const cache = (
  level: number,
  size: number,
  sharedBy: number,
  type: CacheDescription['type'],
  sharing: readonly string[],
): CacheDescription => ({ level, type, size, line: 64, sharedBy, instances: sharing.length, sharing });
const range = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first + i);
/** Lists of a CPU and of its sibling, which comes so many later. */
const pairs = (cores: number, later: number): readonly string[] =>
  range(0, cores).map((core) => `${core},${core + later}`);
const on = (...cpus: readonly number[]) => ({ threads: cpus.length, cpus });
const CORES = pairs(8, 8);
/** Two threads a core: L1 and L2 are shared by two CPUs, L3 by sixteen. */
const CPU = {
  threads: 16,
  cores: 8,
  caches: [
    cache(1, 32 * KIB, 2, 'data', CORES),
    cache(1, 32 * KIB, 2, 'instruction', CORES),
    cache(2, MIB, 2, 'unified', CORES),
    cache(3, 32 * MIB, 16, 'unified', ['0-15']),
  ],
} as unknown as CpuDescription;

/** All threads together read at the first of these rates whose limit the working set does not exceed. */
const curveOf = (...levels: readonly (readonly [limit: number, rate: number])[]): readonly Point[] =>
  SIZES.map((bytes): Point => [bytes, levels.find(([limit]) => bytes <= limit)?.[1] ?? 1e10]);

describe('the caches that a curve implies', () => {
  it('are those of one thread as they are reported', () => {
    const implied = impliedCaches(curveOf([32 * KIB, 2e11], [MIB, 1e11], [32 * MIB, 5e10]), on(0), CPU);
    expect(implied.map(({ level, size }) => [level, size])).toEqual([
      [1, { low: 32 * KIB, high: 48 * KIB }],
      [2, { low: MIB, high: 1.5 * MIB }],
      [3, { low: 32 * MIB, high: 48 * MIB }],
    ]);
  });

  it('are per thread where each has its own, and shared where threads share one', () => {
    const implied = impliedCaches(
      curveOf([4 * 32 * KIB, 8e11], [4 * MIB, 4e11], [32 * MIB, 2e11]),
      on(0, 1, 2, 3),
      CPU,
    );
    expect(implied.map(({ level, perThread, size }) => [level, perThread.low, size?.low])).toEqual([
      [1, 32 * KIB, 32 * KIB],
      [2, MIB, MIB],
      [3, 8 * MIB, 32 * MIB],
    ]);
  });

  it('are told although one that is reported does not show', () => {
    const implied = impliedCaches(curveOf([32 * KIB, 2e11], [16 * MIB, 1e11]), on(0), CPU);
    expect(implied.map(({ level }) => level)).toEqual([1, 3]);
  });

  it('have no level where none is reported near', () => {
    const bare = { ...CPU, caches: [] };
    const [first] = impliedCaches(curveOf([32 * KIB, 2e11]), on(0), bare);
    expect(first).toMatchObject({ level: null, size: null, perThread: { low: 32 * KIB, high: 48 * KIB } });
  });

  it('are shared by the threads on a cache, wherever these are of the machine', () => {
    // A node of two: 16 cores with two CPUs each of 32 such cores.
    const all = pairs(32, 32);
    const node: CpuDescription = {
      ...CPU,
      threads: 64,
      cores: 32,
      caches: [
        cache(1, 32 * KIB, 2, 'data', all),
        cache(2, 512 * KIB, 2, 'unified', all),
        cache(3, 32 * MIB, 32, 'unified', ['0-15,32-47', '16-31,48-63']),
      ],
    };
    const curve = curveOf([512 * KIB, 8e11], [8 * MIB, 4e11], [32 * MIB, 2e11]);
    const implied = impliedCaches(curve, on(...range(0, 16), ...range(32, 16)), node);
    expect(implied.map(({ level, size }) => [level, size?.low])).toEqual([
      [1, 32 * KIB],
      [2, 512 * KIB],
      [3, 32 * MIB],
    ]);
  });

  it('are those of the cores that were read on, where cores are of two kinds', () => {
    const fast = range(0, 8).map((core) => `${2 * core}-${2 * core + 1}`);
    const slow = range(16, 16).map(String);
    const hybrid: CpuDescription = {
      ...CPU,
      threads: 32,
      cores: 24,
      caches: [
        cache(1, 32 * KIB, 1, 'data', slow),
        cache(1, 48 * KIB, 2, 'data', fast),
        cache(2, 2 * MIB, 2, 'unified', fast),
        cache(2, 4 * MIB, 4, 'unified', ['16-19', '20-23', '24-27', '28-31']),
        cache(3, 36 * MIB, 32, 'unified', ['0-31']),
      ],
    };
    const curve = curveOf([8 * 48 * KIB, 8e11], [16 * MIB, 4e11]);
    const implied = impliedCaches(curve, on(0, 2, 4, 6, 8, 10, 12, 14), hybrid);
    expect(implied.map(({ level, size }) => [level, size?.low])).toEqual([
      [1, 48 * KIB],
      [2, 2 * MIB],
    ]);
  });

  it('leave a level to the plateau that fits it better', () => {
    // A first step between the two caches is nearer to the second, which another plateau is.
    const two = {
      ...CPU,
      caches: [cache(1, 64 * KIB, 1, 'data', ['0']), cache(2, 512 * KIB, 1, 'unified', ['0'])],
    };
    const implied = impliedCaches(curveOf([192 * KIB, 2e11], [512 * KIB, 1e11]), on(0), two);
    expect(implied.map(({ level, rate }) => [level, Math.round(rate / 1e9)])).toEqual([
      [1, 200],
      [2, 100],
    ]);
  });

  it('are per thread alone where nobody knows who shared them', () => {
    const curve = curveOf([4 * 32 * KIB, 8e11], [4 * MIB, 4e11], [32 * MIB, 2e11]);
    const told = impliedCaches(curve, { threads: 4, cpus: null }, CPU);
    expect(told.map(({ level, perThread, size }) => [level, perThread.low, size])).toEqual([
      [1, 32 * KIB, null],
      [2, MIB, null],
      [3, 8 * MIB, null],
    ]);
    // The kernel's lists are not in older records.
    const older = { ...CPU, caches: CPU.caches.map(({ sharing: _, ...one }) => one) };
    expect(impliedCaches(curve, on(0, 1, 2, 3), older).map(({ size }) => size)).toEqual([null, null, null]);
  });

  it('are none where the rate has no steps', () => {
    expect(impliedCaches(curveOf(), on(0), CPU)).toEqual([]);
  });
});

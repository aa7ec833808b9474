import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parameters } from '../../src/indicators/indicator.js';
import { matmul } from '../../src/indicators/matmul.js';
import { machineOf } from '../support/machine.js';
import { UNBOUND } from './support.js';

const MIB = 2 ** 20;
const caseOf = (flags: Record<string, unknown>): Parameters => matmul.fromFlags(flags, machineOf())[0] ?? {};

function thrownBy(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return '';
}

/** As campaigns were written before there were transposes, batches and prepacking. */
const BEFORE = {
  m: 3,
  n: 5,
  k: 7,
  dtype: 'float32',
  threads: 1,
  pin: false,
  cache: 'hot',
};

describe('the case of matmul', () => {
  it('is by default one square product as it lies, nothing prepacked', () => {
    expect(caseOf({})).toEqual({
      m: 512,
      n: 512,
      k: 512,
      transpose: 'NN',
      batch: 1,
      prepack: false,
      dtype: 'float32',
      threads: 2,
      pin: true,
      cache: 'hot',
    });
  });

  it('has the layout, the batch and the prepacking of its flags', () => {
    expect(caseOf({ transpose: 'NT', batch: '3', prepack: true })).toMatchObject({
      transpose: 'NT',
      batch: 3,
      prepack: true,
    });
  });

  it('fits into memory that is given for its size with all products of its batch', () => {
    for (const [size, batch] of [
      [64, '1'],
      [64, '10'],
      [1, '1000'],
    ] as const) {
      const one = caseOf({ size: `${size}MiB`, batch });
      const larger = Object.fromEntries(['m', 'n', 'k'].map((side) => [side, Number(one[side]) + 1]));
      expect(matmul.work(one).bytes).toBeLessThanOrEqual(size * MIB);
      expect(matmul.work({ ...one, ...larger }).bytes).toBeGreaterThan(size * MIB);
    }
    expect(() => caseOf({ size: '1KiB', batch: '1000' })).toThrow(/not even a batch of 1000 1 x 1 products/);
  });

  it('of int8 has sums that int32 holds, up to the largest k', () => {
    const deep = (k: number) => caseOf({ m: 1, n: 1, k, dtype: 'int8' });
    const [, most = '0'] = /k may be at most (\d+)/.exec(thrownBy(() => deep(1e6))) ?? [];
    expect(deep(Number(most)).k).toBe(Number(most));
    expect(127 ** 2 * Number(most)).toBeLessThanOrEqual(2 ** 31 - 1);
    expect(() => deep(Number(most) + 1)).toThrow(/can overflow/);
    expect(127 ** 2 * (Number(most) + 1)).toBeGreaterThan(2 ** 31 - 1);
  });

  it.each([
    [{ transpose: 'XY' }, /transpose/],
    [{ batch: '0' }, /--batch takes a whole number/],
    [{ batch: '1.5' }, /--batch takes a whole number/],
    [{ batch: '1e9' }, /--batch takes at most/],
    [{ dtype: 'float16' }, /--dtype float16 is for GPUs; on the CPU there is float32/],
    [{ prepack: true, cache: 'cold' }, /a prepacked B .* --cache cold cannot evict it/],
  ])('%j is refused in words', (flags, says) => {
    expect(() => caseOf(flags)).toThrow(says);
  });

  it('of a campaign from before means what it meant then', () => {
    const now = { ...BEFORE, transpose: 'NN', batch: 1, prepack: false };
    expect(() => matmul.check(BEFORE)).not.toThrow();
    expect(matmul.work(BEFORE)).toEqual(matmul.work(now));
    expect(matmul.memory(BEFORE)).toBe(matmul.memory(now));
    expect(matmul.title(BEFORE)).toBe('matmul 3 x 5 x 7 float32, 1 thread');
    expect(matmul.nativeWorkload(BEFORE, UNBOUND, null, 9)).toEqual(
      matmul.nativeWorkload(now, UNBOUND, null, 9),
    );
  });

  it('is called by what is not usual in it', () => {
    const unusual = { ...BEFORE, transpose: 'TN', batch: 3, prepack: true, pin: true };
    expect(matmul.title(unusual)).toBe(
      'matmul 3 x 5 x 7 float32, transposed TN, batch of 3, B prepacked, 1 thread, pinned',
    );
    expect(matmul.title({ ...BEFORE, cache: 'cold' })).toBe('matmul 3 x 5 x 7 float32, 1 thread, cold cache');
  });

  it.each([
    ['NN', 'N', 'N'],
    ['NT', 'N', 'T'],
    ['TN', 'T', 'N'],
    ['TT', 'T', 'T'],
  ])('transposed %s reaches the workload as A %s and B %s', (transpose, transposeA, transposeB) => {
    const { parameters } = matmul.nativeWorkload({ ...BEFORE, transpose }, UNBOUND, null, 1);
    expect(parameters).toMatchObject({ transposeA, transposeB, batch: 1, prepack: 0 });
  });
});

const parameters = fc.record({
  m: fc.integer({ min: 1, max: 5000 }),
  n: fc.integer({ min: 1, max: 5000 }),
  k: fc.integer({ min: 1, max: 5000 }),
  transpose: fc.constantFrom('NN', 'NT', 'TN', 'TT'),
  batch: fc.integer({ min: 1, max: 50 }),
  prepack: fc.boolean(),
  dtype: fc.constantFrom('float32', 'float64', 'bfloat16', 'int8'),
  threads: fc.integer({ min: 1, max: 64 }),
  pin: fc.boolean(),
  cache: fc.constant('hot'),
});

describe('the work of matmul', () => {
  it('by hand: 2 m n k operations, and A, B and C once each', () => {
    expect(matmul.work(BEFORE)).toMatchObject({ flop: 210, bytes: 4 * (21 + 35 + 15) });
    const int8 = { ...BEFORE, dtype: 'int8', batch: 10 };
    expect(matmul.work(int8)).toMatchObject({ flop: 2100, bytes: 10 * (21 + 35 + 4 * 15) });
    expect(matmul.work({ ...BEFORE, dtype: 'bfloat16' }).bytes).toBe(2 * (21 + 35) + 4 * 15);
  });

  it('by hand as older figures count it: m n k multiplications and m n (k - 1) additions', () => {
    expect(matmul.work(BEFORE).flop2mnkLessMn).toBe(105 + 90);
    const square = { ...BEFORE, m: 512, n: 512, k: 512 };
    expect(matmul.work(square).flop2mnkLessMn).toBe(2 * 512 ** 3 - 512 ** 2);
    expect(matmul.work({ ...square, batch: 3 }).flop2mnkLessMn).toBe(3 * (2 * 512 ** 3 - 512 ** 2));
  });

  it('is that of one product times the batch, however its operands lie and whatever is prepacked', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const single = matmul.work({ ...one, batch: 1, transpose: 'NN', prepack: false });
        const { flop, bytes } = matmul.work(one);
        expect(flop).toBe(one.batch * single.flop);
        expect(bytes).toBe(one.batch * single.bytes);
      }),
    );
  });
});

describe('the memory of matmul', () => {
  it('holds the operands, what is read to learn the rate of the memory, and a prepacked B beside them', () => {
    fc.assert(
      fc.property(parameters, (one) => {
        const { bytes } = matmul.work(one);
        const without = matmul.memory({ ...one, prepack: false });
        const held = matmul.memory({ ...one, prepack: true });
        expect(without).toBeGreaterThanOrEqual(bytes + Math.min(bytes, 2048 * MIB));
        const widest = one.dtype === 'float64' ? 8 : 4;
        expect(held - without).toBeGreaterThanOrEqual(one.batch * one.k * one.n * widest);
      }),
    );
  });

  it('holds the sums of rows by which a product is checked, of some of a large batch at once', () => {
    const deep = { ...BEFORE, m: 1, n: 1, k: 10 ** 7, dtype: 'float64', threads: 2 };
    const beside = (one: Parameters): number => {
      const { bytes } = matmul.work(one);
      return matmul.memory(one) - bytes - Math.min(bytes, 2048 * MIB);
    };
    expect(beside(deep)).toBeGreaterThanOrEqual(48 * deep.k);
    expect(beside({ ...deep, batch: 15 })).toBe(beside(deep));
    expect(beside({ ...deep, batch: 16 })).toBeGreaterThanOrEqual(2 * 48 * deep.k);
    // And one of each 64 rows and columns by itself.
    const square = { ...BEFORE, m: 6400, n: 6400, k: 6400, dtype: 'bfloat16', threads: 2 };
    const packing = 40 * MIB;
    expect(beside(square)).toBeGreaterThanOrEqual(
      packing + (48 + 48 + 16 + 2 * 2 * 100) * 6400 + 4 * 100 ** 2,
    );
    // On the host, which holds the operands of a GPU's product as numbers.
    const onGpu = { m: 1, n: 1, k: deep.k, dtype: 'float64', cache: 'hot' };
    expect(matmul.memory(onGpu)).toBeGreaterThanOrEqual(matmul.work(onGpu).bytes + 48 * deep.k);
  });
});

/** Batches are called by what they differ in, and the number that was swept is found. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameBatches } from '../../src/readers/batch-names.js';
import type { BatchSpec } from '../../src/record/schema.js';
import { type Asked, specOf } from '../support/report.js';

const named = (...batches: readonly (Asked | BatchSpec)[]) =>
  nameBatches(batches.map((batch) => ({ asked: 'case' in batch ? batch : specOf(batch) })));

const memory = (operation: string, stores: string, bytes: number): BatchSpec => {
  const { case: _, ...rest } = specOf({});
  return {
    ...rest,
    case: { indicator: 'memory', parameters: { operation, stores, bytes, threads: 2, pin: true } },
  };
};

describe('nameBatches', () => {
  it('names a sweep of sizes by the size alone, on a logarithmic axis', () => {
    const { names, axis } = named({ size: 64 }, { size: 512 }, { size: 4096 });
    expect(names).toEqual(['64', '512', '4096']);
    expect(axis).toMatchObject({ key: 'size', scale: 'log', values: [64, 512, 4096], series: ['', '', ''] });
  });

  it('names a sweep of repetitions by their number', () => {
    const { names, axis } = named({ repetitions: 50 }, { repetitions: 2000 });
    expect(names).toEqual(['50 reps', '2000 reps']);
    expect(axis).toMatchObject({ key: 'repetitions', values: [50, 2000] });
  });

  it('names batches of several indicators by it, and by what differs among its own', () => {
    const { names, axis } = named({ size: 64 }, memory('read', 'none', 1024), { size: 128 });
    expect(names).toEqual(['matmul 64', 'memory', 'matmul 128']);
    expect(axis).toBeNull();
  });

  it('keeps m, n and k apart where a product is not square', () => {
    const flat = specOf({});
    flat.case.parameters.m = 1;
    expect(named(specOf({}), flat).names).toEqual(['m 512', 'm 1']);
  });

  it('sweeps the number with the most values; what else varies makes the series', () => {
    const { names, axis } = named(
      { size: 64, dtype: 'float32' },
      { size: 128, dtype: 'float32' },
      { size: 64, dtype: 'float64' },
      { size: 128, dtype: 'float64' },
    );
    expect(names[2]).toBe('64 float64');
    expect(axis).toMatchObject({ key: 'size', series: ['float32', 'float32', 'float64', 'float64'] });
  });

  it('takes the number with more values for the axis, whichever is named first', () => {
    const all = [20, 50, 100].flatMap((repetitions) => [64, 128].map((size) => ({ size, repetitions })));
    const { axis, names } = named(...all);
    expect(axis).toMatchObject({ key: 'repetitions', series: ['64', '128', '64', '128', '64', '128'] });
    expect(names[1]).toBe('128 20 reps');
  });

  it('writes bytes with their unit and leaves out stores that an operation has not', () => {
    const { names, axis } = named(memory('read', 'none', 16384), memory('triad', 'cached', 1572864));
    expect(names).toEqual(['read 16 KiB', 'triad cached 1.5 MiB']);
    expect(axis).toMatchObject({ key: 'bytes', unit: 'bytes' });
  });

  it('finds no axis where only words vary, and a linear one where numbers are near', () => {
    expect(named({ dtype: 'float32' }, { dtype: 'float64' }).axis).toBeNull();
    expect(named({ size: 100 }, { size: 300 }).axis?.scale).toBe('linear');
  });

  it('names a stack beside itself by its labels, each size of it as a line of its own', () => {
    const side = (one: string, size: number): BatchSpec => ({ ...specOf({ size }), labels: { side: one } });
    expect(named(side('a', 64), side('b', 64)).names).toEqual(['side a', 'side b']);
    const { names, axis } = named(side('a', 64), side('a', 128), side('b', 64), side('b', 128));
    expect(names).toEqual(['64 side a', '128 side a', '64 side b', '128 side b']);
    expect(axis?.series).toEqual(['side a', 'side a', 'side b', 'side b']);
    expect(named(side('a', 64), specOf({ size: 64 }), side('a', 128)).names).toEqual([
      '64 side a',
      '64',
      '128 side a',
    ]);
  });

  it('leaves out labels that only repeat what tells batches apart', () => {
    const part = (one: string, size: number): BatchSpec => ({ ...specOf({ size }), labels: { part: one } });
    const { names, axis } = named(part('small', 64), part('large', 512));
    expect(names).toEqual(['64', '512']);
    expect(axis?.series).toEqual(['', '']);
  });

  it('names by how launches were made only what nothing else tells apart', () => {
    const how = (more: Partial<BatchSpec>): BatchSpec => ({ ...specOf({}), ...more });
    expect(named(how({ inspections: 3 }), how({ inspections: 6 })).names).toEqual([
      'of 3 launches',
      'of 6 launches',
    ]);
    expect(
      named(
        how({ warmup: { kind: 'auto' } }),
        how({ warmup: { kind: 'count', count: 10 } }),
        how({ warmup: { kind: 'time', seconds: 0.5 } }),
      ).names,
    ).toEqual(['automatic warm-up', 'warm-up of 10 calls', 'warm-up of 500.0 ms']);
    expect(named(how({ precision: 0.01 }), how({ precision: 0.02 })).names).toEqual(['±1.0 %', '±2.0 %']);
    expect(named(specOf({ size: 64, inspections: 3 }), specOf({ size: 128 })).names).toEqual(['64', '128']);
  });

  describe('of tables that others published', () => {
    const table = (size: number, file: string) =>
      [500, 2000].map((repetitions) => ({
        asked: specOf({ size, repetitions }),
        imported: { source: `${repetitions}`, table: file },
      }));
    const sweep = (file: string, sizes: readonly number[]) =>
      sizes.map((size) => ({ asked: specOf({ size }), imported: { source: `${size}`, table: file } }));
    const REPETITIONS = ['500 reps', '2000 reps'];

    it('sweeps the size where each has a table of its own, whose name makes no series', () => {
      const { names, axis } = nameBatches(
        [128, 256, 512, 1024].flatMap((size) => table(size, `${size}.csv`)),
      );
      expect(axis).toMatchObject({
        key: 'size',
        values: [128, 128, 256, 256, 512, 512, 1024, 1024],
        series: [REPETITIONS, REPETITIONS, REPETITIONS, REPETITIONS].flat(),
      });
      expect(names.slice(0, 2)).toEqual(['500 of 128.csv', '2000 of 128.csv']);
    });

    it('keeps two of one size apart, and the sweep over the others', () => {
      const { axis } = nameBatches([
        ...table(128, 'a.csv'),
        ...table(128, 'b.csv'),
        ...[256, 512].flatMap((size) => table(size, `${size}.csv`)),
      ]);
      expect(axis).toMatchObject({
        key: 'size',
        series: [
          ...['500 reps a.csv', '2000 reps a.csv', '500 reps b.csv', '2000 reps b.csv'],
          ...[...REPETITIONS, ...REPETITIONS],
        ],
      });
    });

    it('keeps sweeps that overlap apart as a whole, with their ends', () => {
      const batches = [...sweep('a.csv', [128, 256, 512]), ...sweep('b.csv', [256, 512, 1024])];
      const { axis, names } = nameBatches([...batches, ...sweep('4096.csv', [4096])]);
      expect(axis).toMatchObject({
        key: 'size',
        series: ['a.csv', 'a.csv', 'a.csv', 'b.csv', 'b.csv', 'b.csv', ''],
      });
      expect(names.slice(0, 4)).toEqual(['128 of a.csv', '256 of a.csv', '512 of a.csv', '256 of b.csv']);
    });

    it('puts the whole of each that has a size in common with another on a line of its own', () => {
      const FILES = ['a.csv', 'b.csv', 'c.csv'];
      const sizes = fc.uniqueArray(fc.constantFrom(64, 128, 256, 512, 1024), { minLength: 1 });
      fc.assert(
        fc.property(fc.tuple(sizes, sizes, sizes), (swept) => {
          const { axis } = nameBatches(swept.flatMap((own, i) => sweep(FILES[i] ?? '', own)));
          fc.pre(axis !== null);
          const lines = swept.flatMap((own, i) => {
            const others = swept.filter((_, j) => j !== i).flat();
            return own.map(() => (own.some((size) => others.includes(size)) ? FILES[i] : ''));
          });
          expect(axis.series).toEqual(lines);
        }),
      );
    });
  });

  it('tells equal batches apart by a number', () => {
    expect(named({}, {}).names).toEqual(['batch', 'batch #2']);
  });

  it('leaves a single batch to its title', () => {
    expect(named({})).toEqual({ names: [null], axis: null });
  });

  it('never gives two batches one name', () => {
    const batch = fc.record({
      size: fc.constantFrom(64, 128),
      repetitions: fc.constantFrom(10, 20),
      dtype: fc.constantFrom('float32', 'float64'),
    });
    fc.assert(
      fc.property(fc.array(batch, { minLength: 2, maxLength: 8 }), (batches) => {
        const { names } = named(...batches);
        expect(new Set(names).size).toBe(batches.length);
      }),
    );
  });
});

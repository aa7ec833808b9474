/** The distance between two distributions, and the node that stands for all of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, gap } from '../../src/fleet/distance.js';
import { medianSketch, medoid, medoidOfPairs } from '../../src/fleet/medoid.js';
import { KNOTS, sketchOf, valuesOf } from '../../src/fleet/sketch.js';
import { sortedCopy } from '../../src/statistics/quantile.js';
import { ratesOf } from './support.js';

const sketchesOf = (rates: ArrayLike<number>) => ({
  values: sketchOf(sortedCopy(rates)),
  at: 0,
  n: rates.length,
});

const rates = fc
  .array(fc.double({ min: 1e-3, max: 1e12, noNaN: true }), { minLength: 1, maxLength: 60 })
  .map((values) => Float64Array.from(values));

describe('distance', () => {
  it('is symmetric, nothing from a distribution to itself, and at most 1', () => {
    fc.assert(
      fc.property(rates, rates, (a, b) => {
        const [x, y] = [sketchesOf(a), sketchesOf(b)];
        expect(distance(x, x)).toBe(0);
        expect(distance(x, y)).toBeCloseTo(distance(y, x), 12);
        expect(distance(x, y)).toBeGreaterThanOrEqual(0);
        expect(distance(x, y)).toBeLessThanOrEqual(1);
        const [there, back] = [gap(x, y), gap(y, x)];
        expect(there.slower).toBeCloseTo(back.faster, 12);
      }),
    );
  });

  it('does not depend on the unit', () => {
    fc.assert(
      fc.property(rates, rates, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (a, b, factor) => {
        const scaled = distance(sketchesOf(a.map((x) => x * factor)), sketchesOf(b.map((x) => x * factor)));
        expect(scaled).toBeCloseTo(distance(sketchesOf(a), sketchesOf(b)), 6);
      }),
    );
  });

  /**
   * The last column of the reference's table of defects. Of exactly 1 % of the repetitions the quantile of 1 % is already a
   * healthy one, so the sketch has the edge at half a percent and three repetitions of twenty count as chance.
   */
  it.each([
    ['6 % slower', 0.071, (rate: number) => 0.94 * rate],
    ['10 % of repetitions 30 % slower', 0.299, (rate: number, i: number) => (i % 10 === 0 ? 0.7 : 1) * rate],
    ['1 % of repetitions 60 % slower', 0.4, (rate: number, i: number) => (i % 100 === 0 ? 0.4 : 1) * rate],
    ['drift to -8 %', 0.088, (rate: number, i: number) => rate * (1 - (0.08 * i) / 2000)],
  ])('of %s is near what the table of defects has', (_, expected, wrong) => {
    const healthy = sketchesOf(ratesOf(1));
    const { slower, faster } = gap(sketchesOf(ratesOf(2, {}, wrong)), healthy);
    expect(slower).toBeGreaterThan(0.75 * expected);
    expect(slower).toBeLessThan(1.15 * expected);
    expect(faster).toBeLessThan(0.005);
  });

  it('is small between two healthy nodes, also where one had two stalls', () => {
    const healthy = sketchesOf(ratesOf(1));
    expect(distance(sketchesOf(ratesOf(2)), healthy)).toBeLessThan(0.01);
    const stalled = ratesOf(3, {}, (rate, i) => (i === 10 || i === 900 ? 0.1 * rate : rate));
    expect(distance(sketchesOf(stalled), healthy)).toBeLessThan(0.01);
  });

  it('draws from a sketch what the sketch was made of', () => {
    const sketch = sketchOf(sortedCopy(ratesOf(4)));
    const drawn = valuesOf(sketch, 500);
    expect([...drawn]).toEqual([...drawn].sort((a, b) => a - b));
    expect(
      distance({ values: sketchOf(drawn), at: 0, n: 500 }, { values: sketch, at: 0, n: 2000 }),
    ).toBeLessThan(0.01);
  });
});

describe('medoid', () => {
  const column = (all: readonly Float64Array[]) => ({
    values: Float64Array.from(all.flatMap((one) => [...sketchOf(sortedCopy(one))])),
    n: Float64Array.from(all, ({ length }) => length),
  });
  const rowsOf = (count: number) => Int32Array.from({ length: count }, (_, i) => i);

  it('is one of the nodes, and none of them is nearer to all others', () => {
    fc.assert(
      fc.property(fc.array(rates, { minLength: 1, maxLength: 8 }), (all) => {
        const sketches = column(all);
        const rows = rowsOf(all.length);
        const at = (row: number) => ({ values: sketches.values, at: row * KNOTS, n: sketches.n[row] ?? 0 });
        const sum = (row: number) => rows.reduce((total, other) => total + distance(at(row), at(other)), 0);
        const found = medoidOfPairs(sketches, rows);
        expect(rows).toContain(found);
        expect(sum(found)).toBeLessThanOrEqual(Math.min(...[...rows].map(sum)) + 1e-9);
      }),
    );
  });

  it('in linear time is nearly as central as that of all pairs, with a tenth of broken nodes', () => {
    const all = Array.from({ length: 40 }, (_, i) =>
      ratesOf(i, { level: 1e11 * (1 + 0.0005 * (i % 20)) }, (rate) => (i % 10 === 0 ? 0.7 : 1) * rate),
    );
    const sketches = column(all);
    const rows = rowsOf(all.length);
    const at = (row: number) => ({ values: sketches.values, at: row * KNOTS, n: 2000 });
    const mean = (row: number) =>
      rows.reduce((total, other) => total + distance(at(row), at(other)), 0) / rows.length;
    const quick = medoid(sketches, rows);
    expect(quick % 10).not.toBe(0);
    expect(mean(quick) - mean(medoidOfPairs(sketches, rows))).toBeLessThan(0.002);
    expect(distance(at(quick), { values: medianSketch(sketches, rows), at: 0, n: 2000 })).toBeLessThan(0.01);
  });
});

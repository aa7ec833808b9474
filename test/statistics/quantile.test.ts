/** Quantiles, medians and deviations. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countWhile,
  deviationFrom,
  madSorted,
  median,
  quantileInPlace,
  quantileSorted,
  sortedCopy,
} from '../../src/statistics/quantile.js';
import { durations, SEEDED } from './support.js';

describe('quantiles', () => {
  it('interpolate linearly, as numpy and pandas', () => {
    const sorted = [1, 2, 3, 4];
    expect([0, 0.25, 0.5, 0.75, 1].map((p) => quantileSorted(sorted, p))).toEqual([1, 1.75, 2.5, 3.25, 4]);
    // numpy.quantile([15, 20, 35, 40, 50], 0.4)
    expect(quantileSorted([15, 20, 35, 40, 50], 0.4)).toBeCloseTo(29, 12);
  });

  it('of eleven values with ties are numpy’s', () => {
    const sorted = sortedCopy([3.1, 0.2, 7.7, 1.4, 1.4, 9.9, 5.25, 2.6, 4.0, 8.8, 0.9]);
    const numpy = [0.2, 0.27, 0.55, 1.4, 3.1, 6.475, 9.35, 9.79, 9.9];
    [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1].forEach((p, i) => {
      expect(quantileSorted(sorted, p)).toBeCloseTo(numpy[i] ?? Number.NaN, 12);
    });
  });

  it('of one value are that value', () => {
    expect([0, 0.3, 1].map((p) => quantileSorted([7], p))).toEqual([7, 7, 7]);
  });

  it('never fall as p rises', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(durations(), shares, (values, ps) => {
        const sorted = sortedCopy(values);
        const quantiles = [...ps].sort((a, b) => a - b).map((p) => quantileSorted(sorted, p));
        expect(quantiles).toEqual([...quantiles].sort((a, b) => a - b));
      }),
      SEEDED,
    );
  });
});

describe('the median found by selection', () => {
  it('is that of the sorted values, whatever their order and ties', () => {
    const tied = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(durations(), tied), (values) => {
        const expected = quantileSorted(sortedCopy(values), 0.5);
        expect(median(values)).toBeCloseTo(expected, 12);
      }),
      SEEDED,
    );
  });

  it('leaves the values of the caller in their order', () => {
    const values = new Float64Array([3, 1, 2]);
    median(values);
    expect([...values]).toEqual([3, 1, 2]);
  });
});

describe('a quantile found by selection', () => {
  it('is that of the sorted values, whatever their order and ties', () => {
    const tied = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 60 });
    const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.25, 0.5, 1));
    fc.assert(
      fc.property(fc.oneof(durations(), tied), share, (values, p) => {
        const expected = quantileSorted(sortedCopy(values), p);
        expect(quantileInPlace(new Float64Array(values), p)).toBe(expected);
      }),
      SEEDED,
    );
    expect(quantileInPlace(new Float64Array([4, 1]), 0.25)).toBe(1.75);
  });
});

describe('counting while a condition holds', () => {
  it('finds the place that a walk would', () => {
    fc.assert(
      fc.property(durations(0), fc.double({ min: 0, max: 700, noNaN: true }), (values, limit) => {
        const sorted = sortedCopy(values);
        expect(countWhile(sorted, (value) => value < limit)).toBe(values.filter((v) => v < limit).length);
      }),
      SEEDED,
    );
  });
});

describe('the median absolute deviation', () => {
  it('is the median of sorted deviations, found without sorting them', () => {
    fc.assert(
      fc.property(durations(), (values) => {
        const sorted = sortedCopy(values);
        const centre = quantileSorted(sorted, 0.5);
        const slow = quantileSorted(sorted.map((value) => Math.abs(value - centre)).sort(), 0.5);
        expect(madSorted(sorted, centre)).toBeCloseTo(slow, 9);
        expect(deviationFrom(centre, values)).toBeCloseTo(slow, 9);
      }),
      SEEDED,
    );
  });

  it('of 1, 1, 2, 2, 4, 6, 9 is 1', () => {
    expect(madSorted([1, 1, 2, 2, 4, 6, 9], 2)).toBe(1);
  });
});

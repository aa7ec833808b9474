import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutTrend } from '../../src/statistics/monotone.js';
import { SEEDED } from './support.js';

const values = fc
  .array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 40 })
  .map((all) => Float64Array.from(all));

describe('a series without its trend', () => {
  it('is nothing but zeros where all of it is the trend, whatever its shape', () => {
    const bent = Float64Array.of(1, 1, 2, 5, 5.5, 9);
    expect(Array.from(withoutTrend(bent, 1))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(withoutTrend(bent.toReversed(), -2).every((value) => value === 0)).toBe(true);
  });

  it('is what neighbours that go the other way differ by from their mean', () => {
    // 3 and 1 are pooled to 2; with 4, 5 and 3 the levels are 2, 4 and 4.
    expect(Array.from(withoutTrend(Float64Array.of(3, 1, 4, 5, 3), 1))).toEqual([1, -1, 0, 1, -1]);
    // All of it falls, so that one level remains of a rise.
    expect(Array.from(withoutTrend(Float64Array.of(3, 2, 1), 1))).toEqual([1, 0, -1]);
    expect(Array.from(withoutTrend(Float64Array.of(3, 2, 1), 0))).toEqual([3, 2, 1]);
  });

  it('leaves a trend that goes in the given direction only, and as much on either side of it', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(-1, 1), (all, direction) => {
        const rest = withoutTrend(all, direction);
        const trend = all.map((value, i) => direction * (value - (rest[i] ?? 0)));
        trend.forEach((value, i) => {
          expect(value).toBeGreaterThanOrEqual((trend[i - 1] ?? Number.NEGATIVE_INFINITY) - 1e-9);
        });
        expect(rest.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9);
      }),
      SEEDED,
    );
  });
});

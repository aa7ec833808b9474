/** Qn is the standard deviation of normal values, few or many, and does not follow those far off. */
import { describe, expect, it } from 'vitest';
import { robustDeviation } from '../../src/statistics/scale.js';
import { normalFrom, randomFrom, series } from './support.js';

const normal = normalFrom(randomFrom(97));

describe('the robust deviation', () => {
  it.each([
    2, 3, 6, 7, 8, 9, 10, 25, 200,
  ])('of %i normal values is their standard deviation on average', (n) => {
    const trials = 4000;
    let sum = 0;
    for (let trial = 0; trial < (n > 100 ? 200 : trials); trial++) sum += robustDeviation(series(n, normal));
    expect(sum / (n > 100 ? 200 : trials)).toBeGreaterThan(0.95);
    expect(sum / (n > 100 ? 200 : trials)).toBeLessThan(1.05);
  });

  it('is that of its definition: of five values the third smallest distance', () => {
    // Distances of 0, 1, 3, 7, 12: 1, 2, 3, 4, ...; h = 3, so the third.
    expect(robustDeviation([12, 0, 7, 3, 1])).toBeCloseTo(0.844 * 2.21914 * 3, 9);
  });

  it('does not follow a few values far off', () => {
    const values = series(30, normal);
    const anyway = robustDeviation(values.map((value, i) => (i < 6 ? 1e6 : value)));
    expect(anyway / robustDeviation(values)).toBeLessThan(1.8);
  });

  it('is 0 of equal values, and refuses a single one', () => {
    expect(robustDeviation([2, 2, 2])).toBe(0);
    expect(() => robustDeviation([1])).toThrow(RangeError);
    expect(() => robustDeviation([1, Number.NaN])).toThrow(RangeError);
  });
});

/** Qn is the standard deviation of normal values, few or many, and does not follow those far off. */

import { sampleStandardDeviation } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { launchDeviation, robustDeviation, robustDeviationOfGroups } from '../../src/statistics/scale.js';
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

describe('the robust deviation of groups', () => {
  it.each([2, 3, 4, 9, 40])('of %i groups of equal values is that of one of each', (n) => {
    const values = Array.from(series(n, normal));
    for (const length of [1, 8]) {
      const groups = values.map((value) => Array.from({ length }, () => value));
      expect(robustDeviationOfGroups(groups)).toBeCloseTo(robustDeviation(values), 9);
    }
  });

  it('is that of all values together, of which those of one group may be alike or not', () => {
    const spreadOf = (between: number, within: number): number => {
      const trials = 400;
      let sum = 0;
      for (let trial = 0; trial < trials; trial++) {
        const groups = Array.from(series(16, normal), (level) =>
          series(8, normal).map((value) => between * level + within * value),
        );
        sum += robustDeviationOfGroups(groups);
      }
      return sum / trials;
    };
    for (const [between, within] of [
      [1, 0.01],
      [0.8, 0.6],
      [0, 1],
    ] as const) {
      expect(Math.abs(spreadOf(between, within) - 1)).toBeLessThan(0.08);
    }
  });

  it('is 0 of equal values, and refuses a single group and what is no number', () => {
    expect(robustDeviationOfGroups([[1, 1], [1], [1]])).toBe(0);
    expect(() => robustDeviationOfGroups([[1, 2]])).toThrow(RangeError);
    expect(() => robustDeviationOfGroups([[1], [Number.NaN]])).toThrow(RangeError);
  });
});

describe('the deviation of launches', () => {
  it('of up to five is the standard deviation, which two that happen to lie close do not decide', () => {
    const close = [1, 1.0001, 1.3];
    expect(launchDeviation(close)).toBeCloseTo(sampleStandardDeviation(close), 12);
    expect(launchDeviation([1, 2, 4, 8, 16])).toBeCloseTo(sampleStandardDeviation([1, 2, 4, 8, 16]), 12);
    expect(launchDeviation([1, 2, 3, 4, 5, 600])).toBe(robustDeviation([1, 2, 3, 4, 5, 600]));
  });

  it('of so many that tie that the others are all that varies is the standard deviation', () => {
    const tied = [1, 1, 1, 1, 1.05, 1.05];
    expect(robustDeviation(tied)).toBe(0);
    expect(launchDeviation(tied)).toBeCloseTo(sampleStandardDeviation(tied), 12);
    expect(launchDeviation(Array(6).fill(1))).toBe(0);
  });

  it('of three is less than half of what it is in 22 of 100, where Qn is in 37', () => {
    const trials = 4000;
    let [plain, robust] = [0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const values = series(3, normal);
      if (launchDeviation(values) < 0.5) plain++;
      if (robustDeviation(values) < 0.5) robust++;
    }
    expect(Math.abs(plain / trials - 0.221)).toBeLessThan(0.03);
    expect(robust / trials).toBeGreaterThan(plain / trials + 0.05);
  });
});

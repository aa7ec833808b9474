/** The interval of a launch's p95 contains it as often as that of the median contains the median. */
import { describe, expect, it } from 'vitest';
import { headlineOf } from '../../src/statistics/batch.js';
import { sortedCopy } from '../../src/statistics/quantile.js';
import { launchQuantile, quantileInterval } from '../../src/statistics/quantile-interval.js';
import { normalFrom, randomFrom, series } from './support.js';

const normal = normalFrom(randomFrom(91));
const Z_95 = 1.6448536;

describe('the quantile of a launch', () => {
  it('is that of Hyndman & Fan’s type 8', () => {
    // Place (n + 1/3) p + 1/3, counted from 1: for ten values and 0.9 it is 9.6333.
    const ten = series(10, (i) => i + 1);
    expect(launchQuantile(ten, 0.9)).toBeCloseTo((10 + 1 / 3) * 0.9 + 1 / 3, 12);
    expect(launchQuantile(ten, 0.5)).toBe(5.5);
    expect(launchQuantile(ten, 0.999)).toBe(10);
    expect(
      launchQuantile(
        series(1, () => 7),
        0.95,
      ),
    ).toBe(7);
  });

  it('is too small as often as too large', () => {
    let small = 0;
    for (let trial = 0; trial < 4000; trial++)
      if (launchQuantile(series(60, normal).sort(), 0.95) < Z_95) small++;
    expect(Math.abs(small / 4000 - 0.5)).toBeLessThan(0.035);
  });
});

describe('the interval of a quantile', () => {
  it.each([
    0.05, 0.95,
  ])('covers that of the middle launch 95 times in 100, p = %d, 8 and 30 launches', (p) => {
    const truth = 1 + 0.03 * (p < 0.5 ? -Z_95 : Z_95);
    for (const k of [8, 30]) {
      let covered = 0;
      for (let trial = 0; trial < 500; trial++) {
        const launches = Array.from({ length: k }, () => {
          const level = 1 + 0.005 * normal();
          return series(60, () => level + 0.03 * normal()).sort();
        });
        const { ci } = quantileInterval(launches, p).interval;
        if (ci !== null && ci.low <= truth && truth <= ci.high) covered++;
      }
      // Quantiles of type 7 would cover 75 of 100 with 30 launches. One standard error is 1 point.
      expect(covered / 500, `${k} launches`).toBeGreaterThan(0.92);
      expect(covered / 500, `${k} launches`).toBeLessThan(0.985);
    }
  });

  it('at one half is that of the headline', () => {
    const launches = Array.from({ length: 9 }, () => series(41, () => 1 + 0.1 * normal()));
    const { estimate, interval } = headlineOf(launches);
    const ofHalf = quantileInterval(launches.map(sortedCopy), 0.5);
    expect(ofHalf).toMatchObject({ estimate, interval: { ci: interval.ci } });
  });

  it('says where a launch has too few repetitions for it', () => {
    const launches = Array.from({ length: 6 }, () => series(19, normal).sort());
    expect(quantileInterval(launches, 0.95).tooFewRepetitions).toBe(true);
    expect(quantileInterval(launches, 0.9).tooFewRepetitions).toBe(false);
    expect(quantileInterval(launches, 0.05).tooFewRepetitions).toBe(true);
    const [, ...others] = launches;
    const longer = series(100, normal).sort();
    expect(quantileInterval([longer, ...others], 0.95).tooFewRepetitions).toBe(true);
    expect(quantileInterval([longer, longer.subarray(0, 20)], 0.95).tooFewRepetitions).toBe(false);
  });

  it('refuses what is no quantile and no launch', () => {
    expect(() => quantileInterval([Float64Array.of(1)], 1)).toThrow(RangeError);
    expect(() => quantileInterval([], 0.5)).toThrow(RangeError);
    expect(() => quantileInterval([Float64Array.of(1), Float64Array.of()], 0.5)).toThrow(RangeError);
  });
});

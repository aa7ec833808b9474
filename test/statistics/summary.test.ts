/** Every statistic of a series: definitions, invariants, and what is not defined. */
import fc from 'fast-check';
import { sampleSkewness, sampleStandardDeviation } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { type Summary, summarise } from '../../src/statistics/summary.js';
import { durations, normalFrom, randomFrom, SEEDED, series } from './support.js';

const numbersOf = (summary: Summary): number[] =>
  Object.values({ ...summary, drift: 0, ...summary.drift }).filter((value) => typeof value === 'number');

const close = (actual: number | null, expected: number, relative = 1e-9): void => {
  expect(actual).not.toBeNull();
  expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThanOrEqual(
    relative * Math.abs(expected) + 1e-300,
  );
};

describe('a summary', () => {
  it('has the figures that pandas gives', () => {
    const summary = summarise([2, 8, 0, 4, 1, 9, 9, 0]);
    expect(summary).toMatchObject({ n: 8, median: 3, min: 0, max: 9, q1: 0.75, q3: 8.25, iqr: 7.5, mad: 3 });
    close(summary.mean, 4.125);
    // The documentation of scipy.stats.skew has 0.2650554122698573 for these, with bias.
    close(summary.skew, (0.2650554122698573 * Math.sqrt(8 * 7)) / 6);
    close(summary.std, Math.sqrt(110.875 / 7));
    close(summary.stdError, Math.sqrt(110.875 / 7 / 8));
    close(summary.cv, Math.sqrt(110.875 / 7) / 4.125);
    close(summary.covm, 2.5);
  });

  it('agrees with the formulas of simple-statistics where that has the same', () => {
    const many = durations(3).filter((values) => new Set(values).size > 2);
    fc.assert(
      fc.property(many, (values) => {
        const { std, skew, mean } = summarise(values);
        const expected = sampleStandardDeviation(values);
        expect(Math.abs((std ?? 0) - expected)).toBeLessThan(1e-9 * (expected + Math.abs(mean)));
        if (expected > 1e-6 * mean) expect(skew).toBeCloseTo(sampleSkewness(values), 6);
      }),
      SEEDED,
    );
  });

  it('orders its quantiles', () => {
    fc.assert(
      fc.property(durations(), (values) => {
        const { min, p1, p5, q1, median, q3, p95, p99, max, mean } = summarise(values);
        const ordered = [min, p1, p5, q1, median, q3, p95, p99, max];
        expect(ordered).toEqual([...ordered].sort((a, b) => a - b));
        expect(mean).toBeGreaterThanOrEqual(min * (1 - 1e-12));
        expect(mean).toBeLessThanOrEqual(max * (1 + 1e-12));
      }),
      SEEDED,
    );
  });

  it('scales with its unit', () => {
    fc.assert(
      fc.property(durations(), fc.integer({ min: -12, max: 12 }), (values, power) => {
        const [plain, scaled] = [summarise(values), summarise(values.map((value) => value * 2 ** power))];
        for (const name of ['mean', 'median', 'mad', 'iqr', 'p99'] as const) {
          close(scaled[name], plain[name] * 2 ** power);
        }
        for (const name of ['cv', 'covm', 'skew', 'lag1', 'effectiveSampleSize'] as const) {
          expect(scaled[name]).toBe(plain[name]);
        }
        expect(scaled.drift).toEqual(plain.drift);
      }),
      SEEDED,
    );
  });

  it('moves with an added time, and keeps its spread', () => {
    fc.assert(
      fc.property(durations(3), fc.double({ min: 0, max: 600, noNaN: true }), (values, added) => {
        const [plain, moved] = [summarise(values), summarise(values.map((value) => value + added))];
        for (const name of ['mean', 'median', 'q1', 'p95', 'max'] as const) {
          expect(moved[name]).toBeCloseTo(plain[name] + added, 8);
        }
        for (const name of ['mad', 'iqr', 'std'] as const) {
          expect(moved[name]).toBeCloseTo(plain[name] ?? Number.NaN, 8);
        }
      }),
      SEEDED,
    );
  });

  it('does not depend on the order, but for what is about the order', () => {
    const shuffled = durations(2).chain((values) =>
      fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })),
    );
    fc.assert(
      fc.property(shuffled, ([values, other]) => {
        const orderless = ({ lag1, effectiveSampleSize, drift, ...rest }: Summary) => rest;
        expect(orderless(summarise(other))).toEqual(orderless(summarise(values)));
      }),
      SEEDED,
    );
  });

  it('has no NaN and no infinity for any finite series', () => {
    const anything = fc.array(
      fc.oneof(
        fc.double({ min: -1e100, max: 1e100, noNaN: true }),
        fc.constantFrom(0, 1, -1, 5e-324, 1e-200, 1e100),
      ),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(anything, (values) => {
        for (const value of numbersOf(summarise(values))) expect(value).toSatisfy(Number.isFinite);
      }),
      { ...SEEDED, numRuns: 500 },
    );
  });

  it('says null where a statistic is not defined', () => {
    expect(summarise([3])).toMatchObject({
      std: null,
      stdError: null,
      cv: null,
      skew: null,
      lag1: null,
      drift: null,
    });
    expect(summarise([3, 4]).skew).toBeNull();
    expect(summarise([2, 2, 2])).toMatchObject({
      std: 0,
      cv: 0,
      skew: null,
      lag1: null,
      effectiveSampleSize: null,
    });
    expect(summarise([-1, 0, 1])).toMatchObject({ cv: null, covm: null });
  });

  it('refuses an empty series, and values that are not finite', () => {
    expect(() => summarise([])).toThrow(RangeError);
    expect(() => summarise([1, Number.NaN, 2])).toThrow('not a finite number');
    expect(() => summarise([1, Number.POSITIVE_INFINITY])).toThrow('not a finite number');
  });

  it('keeps its digits where the spread is a billionth of the mean', () => {
    const normal = normalFrom(randomFrom(3));
    const deviations = series(1000, () => Math.round(normal() * 64) / 64);
    const { std, skew } = summarise(deviations.map((value) => value + 2 ** 30));
    const plain = summarise(deviations);
    close(std, plain.std ?? 0, 1e-9);
    expect(skew).toBeCloseTo(plain.skew ?? 0, 9);
  });

  it('finds the figures of known distributions', () => {
    const random = randomFrom(4);
    const normal = normalFrom(random);
    const gauss = summarise(series(200_000, () => 10 + 2 * normal()));
    close(gauss.mean, 10, 0.002);
    close(gauss.std, 2, 0.01);
    close(gauss.mad, 2 * 0.6745, 0.01);
    close(gauss.p95, 10 + 2 * 1.645, 0.005);
    expect(Math.abs(gauss.skew ?? 9)).toBeLessThan(0.02);
    const exponential = summarise(series(200_000, () => -Math.log(random())));
    close(exponential.median, Math.LN2, 0.01);
    close(exponential.skew, 2, 0.05);
    close(exponential.cv, 1, 0.01);
  });
});

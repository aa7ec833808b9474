import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geometricMean, type MedianWithInterval } from '../../src/statistics/geometric-mean.js';
import { launchInterval } from '../../src/statistics/interval.js';
import { median } from '../../src/statistics/quantile.js';
import { normalFrom, randomFrom, SEEDED, series, studentWidth } from './support.js';

const exact = (value: number): MedianWithInterval => ({
  median: value,
  interval: { low: value * 0.99, high: value * 1.01 },
  launches: 6,
});

const positive = fc.double({ min: 1e-3, max: 1e3, noNaN: true });

describe('a geometric mean of ratios', () => {
  it('is the root of their product', () => {
    const pairs = [1, 2, 4].map((value) => ({ value: exact(value), reference: exact(1) }));
    expect(geometricMean(pairs).mean).toBeCloseTo(2, 12);
  });

  it('is turned over, with its interval, when rate and reference change places', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(positive, positive), { minLength: 1, maxLength: 9 }), (values) => {
        const pairs = values.map(([a, b]) => ({ value: exact(a), reference: exact(b) }));
        const one = geometricMean(pairs);
        const other = geometricMean(
          pairs.map(({ value, reference }) => ({ value: reference, reference: value })),
        );
        expect(one.mean * other.mean).toBeCloseTo(1, 9);
        expect((one.interval?.low ?? 0) * (other.interval?.high ?? 0)).toBeCloseTo(1, 9);
      }),
      SEEDED,
    );
  });

  it('has no interval where one median has none, and is then still a mean', () => {
    const alone = { ...exact(2), interval: null };
    const { mean, interval } = geometricMean([{ value: alone, reference: exact(1) }]);
    expect([mean, interval]).toEqual([expect.closeTo(2, 12), null]);
  });

  describe('of a clock so coarse that launches are all alike', () => {
    const alike = (seconds: number, launches: number): MedianWithInterval => {
      const medians = Float64Array.from({ length: launches }, () => seconds);
      return { median: seconds, interval: launchInterval(medians).ci, launches };
    };
    const known = { value: exact(1.1), reference: exact(1) };

    it.each([3, 5, 8])('has no interval where both sides of a case have %i of them', (launches) => {
      const one = { value: alike(0.011, launches), reference: alike(0.01, launches) };
      expect(geometricMean([one])).toEqual({ mean: expect.closeTo(1.1, 12), interval: null });
      expect(geometricMean([known, one, known]).interval).toBeNull();
    });

    it('has that of the other side where only one has them', () => {
      const { interval } = geometricMean([{ value: exact(1.1), reference: alike(1, 8) }]);
      expect(interval?.low).toBeGreaterThan(1.08);
      expect(interval?.low).toBeLessThan(1.1);
    });
  });

  it('refuses no case, and a median that is not above 0', () => {
    expect(() => geometricMean([])).toThrow(/no case/);
    expect(() => geometricMean([{ value: exact(1), reference: exact(0) }])).toThrow(/not above 0/);
  });

  // Of few launches it is wider than it need be: each case holds a reserve for how badly its own spread is known.
  it.each([
    [3, 1, 1.55],
    [3, 10, 1.25],
    [6, 1, 1.17],
    [6, 10, 1.17],
    [12, 3, 1.23],
  ])('has an interval that holds it in 95 of 100 from %i launches each of %i cases, and is at most %d times Student’s', (launches, cases, widest) => {
    const normal = normalFrom(randomFrom(100 * launches + cases));
    const drawn = () => series(launches, () => Math.exp(0.01 * normal()));
    const told = (values: Float64Array): MedianWithInterval => ({
      median: median(values),
      interval: launchInterval(values).ci,
      launches,
    });
    const trials = Array.from({ length: 500 }, () => {
      const pairs = Array.from({ length: cases }, () => [drawn(), drawn()] as const);
      const { interval } = geometricMean(
        pairs.map(([value, reference]) => ({ value: told(value), reference: told(reference) })),
      );
      if (interval === null) return { covers: false, width: Number.NaN, student: Number.NaN };
      const { low, high } = interval;
      return { covers: low <= 1 && 1 <= high, width: Math.log(high / low), student: studentWidth(pairs) };
    });
    const covered = trials.filter(({ covers }) => covers).length / 500;
    expect(covered).toBeGreaterThan(0.93);
    expect(covered).toBeLessThan(0.985);
    const times = median(trials.map(({ width }) => width)) / median(trials.map(({ student }) => student));
    expect(times).toBeGreaterThan(1);
    expect(times).toBeLessThan(widest);
  });
});

/** A batch from its launches. */
import { describe, expect, it } from 'vitest';
import { headlineOf, pool } from '../../src/statistics/batch.js';
import { normalFrom, randomFrom, series } from './support.js';

describe('the headline of a batch', () => {
  const normal = normalFrom(randomFrom(15));
  const launch = (effect: number, n = 200): Float64Array => series(n, () => 1 + effect + 0.03 * normal());

  it('rests on the medians of its launches and not on all repetitions', () => {
    const headline = headlineOf([
      [1, 2, 3],
      [10, 11, 12],
      [4, 5, 6, 7, 8, 9, 5, 5, 5],
    ]);
    expect(headline.launchMedians).toEqual([2, 11, 5]);
    expect(headline.estimate).toBe(5);
    expect(headline.interval).toMatchObject({ n: 3, basis: 'few launches' });
    expect(headline.betweenLaunches).toMatchObject({ n: 3, min: 2, max: 11 });
  });

  it('is no surer for more repetitions when launches differ', () => {
    const effects = series(12, () => 0.05 * normal());
    const width = (n: number): number => {
      const { ci } = headlineOf(Array.from(effects, (effect) => launch(effect, n))).interval;
      return (ci?.high ?? 0) - (ci?.low ?? 0);
    };
    expect(width(4000) / width(400)).toBeGreaterThan(0.7);
  });

  it('of one launch has an interval of that launch only', () => {
    expect(headlineOf([launch(0)]).interval).toMatchObject({ basis: 'within one launch', n: 200 });
  });

  it('of two launches has their range and no interval', () => {
    const { interval, estimate } = headlineOf([
      [1, 1, 1],
      [3, 3, 3],
    ]);
    expect(interval).toMatchObject({ ci: null, range: { low: 1, high: 3 }, basis: 'two launches' });
    expect(estimate).toBe(2);
  });

  it('shows launches that share the machine’s mood by their autocorrelation', () => {
    const moods = Array.from({ length: 20 }, (_, i) => launch(i < 10 ? 0 : 0.2));
    expect(headlineOf(moods).betweenLaunches.lag1).toBeGreaterThan(0.7);
    const mixed = Array.from({ length: 20 }, () => launch(0.1 * normal()));
    expect(Math.abs(headlineOf(mixed).betweenLaunches.lag1 ?? 1)).toBeLessThan(0.6);
    expect(headlineOf([launch(0), launch(0)]).betweenLaunches.lag1).toBeNull();
  });

  it('of no launch, or with an empty or broken one, is refused', () => {
    expect(() => headlineOf([])).toThrow(RangeError);
    expect(() => headlineOf([[1, 2], []])).toThrow('a launch without samples');
    expect(() =>
      headlineOf([
        [1, 2],
        [Number.NaN, Number.NaN],
      ]),
    ).toThrow('not a finite number');
  });
});

describe('all repetitions of a batch', () => {
  it('keep the order of launches and of the repetitions in them', () => {
    expect([...pool([[3, 1], [], new Float64Array([2])])]).toEqual([3, 1, 2]);
  });
});

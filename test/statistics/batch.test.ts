/** A batch from its launches. */
import { describe, expect, it } from 'vitest';
import { summariseBatch } from '../../src/statistics/batch.js';
import { normalFrom, randomFrom, series } from './support.js';

describe('a batch', () => {
  const normal = normalFrom(randomFrom(15));
  const launch = (effect: number, n = 200): Float64Array => series(n, () => 1 + effect + 0.03 * normal());

  it('rests on the medians of its launches and not on all repetitions', () => {
    const batch = summariseBatch([
      [1, 2, 3],
      [10, 11, 12],
      [4, 5, 6, 7, 8, 9, 5, 5, 5],
    ]);
    expect(batch.launchMedians).toEqual([2, 11, 5]);
    expect(batch.headline.estimate).toBe(5);
    expect(batch.headline.interval).toMatchObject({ n: 3, basis: 'few launches' });
    expect(batch.pooled.n).toBe(15);
    expect(batch.betweenLaunches).toMatchObject({ n: 3, min: 2, max: 11 });
  });

  it('is no surer for more repetitions when launches differ', () => {
    const effects = series(12, () => 0.05 * normal());
    const width = (n: number): number => {
      const { ci } = summariseBatch(Array.from(effects, (effect) => launch(effect, n))).headline.interval;
      return (ci?.high ?? 0) - (ci?.low ?? 0);
    };
    expect(width(4000) / width(400)).toBeGreaterThan(0.7);
  });

  it('of one launch has an interval of that launch only', () => {
    expect(summariseBatch([launch(0)]).headline.interval).toMatchObject({
      basis: 'within one launch',
      n: 200,
    });
  });

  it('shows launches that share the machine’s mood by their autocorrelation', () => {
    const moods = Array.from({ length: 20 }, (_, i) => launch(i < 10 ? 0 : 0.2));
    expect(summariseBatch(moods).lag1OfLaunches).toBeGreaterThan(0.7);
    const mixed = Array.from({ length: 20 }, () => launch(0.1 * normal()));
    expect(Math.abs(summariseBatch(mixed).lag1OfLaunches ?? 1)).toBeLessThan(0.6);
    expect(summariseBatch([launch(0), launch(0)]).lag1OfLaunches).toBeNull();
  });

  it('of no launch, or with an empty one, is refused', () => {
    expect(() => summariseBatch([])).toThrow(RangeError);
    expect(() => summariseBatch([[1, 2], []])).toThrow(RangeError);
  });
});

import { describe, expect, it } from 'vitest';
import type { ComparedCase } from '../../src/readers/comparison/document.js';
import { meanRatio, overallOf } from '../../src/readers/comparison/overall.js';
import { compareLaunches } from '../../src/statistics/compare.js';
import { median } from '../../src/statistics/quantile.js';
import { normalFrom, randomFrom, series, studentWidth } from '../statistics/support.js';

const told = (ratio: number, wide = 0.01) => ({
  ratio,
  interval: { low: ratio * (1 - wide), high: ratio / (1 - wide) },
  launches: [12, 12] as const,
  paired: true,
});

describe('the mean over the cases of a comparison', () => {
  it('is the root of the product of the ratios that the table has, and turns over with them', () => {
    const { mean, interval } = meanRatio([told(1.1), told(1.21)]);
    expect(mean).toBeCloseTo(Math.sqrt(1.1 * 1.21), 12);
    const back = meanRatio([told(1 / 1.1), told(1 / 1.21)]);
    expect(back.mean * mean).toBeCloseTo(1, 12);
    expect((back.interval?.low ?? 0) * (interval?.high ?? 0)).toBeCloseTo(1, 12);
  });

  it('is surer than each of its cases, and has no interval where one of them has none', () => {
    const { interval } = meanRatio(Array.from({ length: 9 }, () => told(1, 0.03)));
    expect(interval?.high).toBeLessThan(1.0115);
    expect(interval?.high).toBeGreaterThan(1.0085);
    expect(meanRatio([told(1), { ...told(1), interval: null }]).interval).toBeNull();
  });

  it('has no interval where the launches of a case tie at the step of the clock, all but one of them', () => {
    const tied = Array<number>(12).fill(1e-5);
    const found = { ...compareLaunches(tied, [...tied.slice(1).fill(1.05e-5), 1.1e-5]), paired: false };
    const { mean, interval } = meanRatio([found, found]);
    expect([mean, interval]).toEqual([expect.closeTo(1 / 1.05, 12), null]);
  });

  it('leaves out what does no work, and needs two cases', () => {
    const side = (name: string, rate: number | null) => ({ side: name, rate });
    const of = (rate: number | null) =>
      ({
        batches: [side('a', rate), side('b', rate), side('c', null)],
        comparisons: [{ candidate: 'b', outcome: 'same', pAdjusted: 1, ...told(1.1) }],
      }) as unknown as ComparedCase;
    expect(overallOf([of(1), of(null)], ['b', 'c'])).toEqual([]);
    expect(overallOf([of(1), of(null), of(2)], ['b', 'c'])).toMatchObject([{ candidate: 'b', cases: 2 }]);
  });

  // Of 3 launches beside 12 it is wider than it need be, and holds the mean more often: Welch's t counts the degrees of freedom of
  // the 3 alone, without which one case would hold too seldom.
  it.each([
    [3, 12, false, 2, 2.1, 0.997],
    [5, 5, false, 10, 1.1, 0.985],
    [6, 6, false, 2, 1.15, 0.985],
    [6, 6, false, 10, 1.15, 0.985],
    [12, 12, false, 10, 1.1, 0.985],
    [10, 10, true, 2, 1.11, 0.985],
    [12, 12, true, 10, 1.12, 0.985],
  ])('has an interval that holds it in 95 of 100 from %i and %i launches, in rounds: %s, of each of %i cases, is at most %d times Student’s, and holds it in no more than %d', (own, others, paired, cases, widest, most) => {
    const normal = normalFrom(randomFrom(1000 * own + 10 * others + cases));
    const drawn = (count: number) => series(count, () => Math.exp(0.01 * normal()));
    const trials = Array.from({ length: 300 }, () => {
      const pairs = Array.from({ length: cases }, () => [drawn(own), drawn(others)] as const);
      const { interval } = meanRatio(
        pairs.map(([reference, candidate]) => ({
          ...compareLaunches(reference, candidate, 0.02, { rounds: paired, looked: false }),
          paired,
        })),
      );
      if (interval === null) return { covers: false, width: Number.NaN, student: Number.NaN };
      const { low, high } = interval;
      return { covers: low <= 1 && 1 <= high, width: Math.log(high / low), student: studentWidth(pairs) };
    });
    const covered = trials.filter(({ covers }) => covers).length / 300;
    expect(covered).toBeGreaterThan(0.925);
    expect(covered).toBeLessThan(most);
    const times = median(trials.map(({ width }) => width)) / median(trials.map(({ student }) => student));
    expect(times).toBeGreaterThan(1);
    expect(times).toBeLessThan(widest);
  });
});

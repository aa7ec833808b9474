/** The levels of a short series are found where they are, and not where there are none; against published series and other tools. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_FOR_SHORT_LEVELS, shortLevels } from '../../src/statistics/short-levels.js';
import { normalFrom, randomFrom, series } from './support.js';

const PUBLISHED = fileURLToPath(new URL('../../../shared/data/history/', import.meta.url));

const changesOf = (values: ArrayLike<number>): readonly number[] =>
  shortLevels(values)
    .slice(1)
    .map(({ from }) => from);

/** Share of series that are called changed. */
function changedShare(trials: number, make: () => Float64Array): number {
  let changed = 0;
  for (let trial = 0; trial < trials; trial++) if (shortLevels(make()).length > 1) changed++;
  return changed / trials;
}

describe('the levels of a short series', () => {
  it('are one where nothing changed, in 99 of 100 series of whatever length', () => {
    const normal = normalFrom(randomFrom(11));
    for (const [n, trials] of [
      [6, 3000],
      [8, 3000],
      [12, 3000],
      [20, 2000],
      [50, 1000],
      [120, 400],
    ] as const) {
      expect([n, changedShare(trials, () => series(n, normal)) <= 0.012]).toEqual([n, true]);
    }
  });

  it('are hardly ever more where some values stand out', () => {
    const random = randomFrom(12);
    const normal = normalFrom(random);
    const standing = () => series(40, () => normal() - (random() < 0.08 ? 8 : 0));
    expect(changedShare(500, standing)).toBeLessThan(0.02);
    const single = series(30, (i) => (i === 12 || i === 25 ? -40 : normal()));
    expect(changesOf(single)).toEqual([]);
    // Nor of the last two, however many there are before them.
    for (const n of [24, 40, 120])
      expect(changesOf(series(n, (i) => (i < n - 2 ? normal() : -40)))).toEqual([]);
  });

  it('are not made of a course that depends a little on itself', () => {
    const normal = normalFrom(randomFrom(13));
    const dependent = () => {
      let last = 0;
      return series(60, () => {
        last = 0.4 * last + normal();
        return last;
      });
    };
    expect(changedShare(500, dependent)).toBeLessThan(0.06);
  });

  it('begin where it changed, with three values of the new one', () => {
    const normal = normalFrom(randomFrom(14));
    const found = (make: () => Float64Array, at: number): number => {
      let right = 0;
      for (let trial = 0; trial < 200; trial++) if (changesOf(make()).join() === String(at)) right++;
      return right / 200;
    };
    expect(found(() => series(23, (i) => normal() - (i < 20 ? 0 : 8)), 20)).toBeGreaterThan(0.9);
    expect(found(() => series(60, (i) => normal() - (i < 30 ? 0 : 3)), 30)).toBeGreaterThan(0.6);
    expect(found(() => series(10, (i) => normal() - (i < 7 ? 0 : 10)), 7)).toBeGreaterThan(0.8);
  });

  it('go there and back again', () => {
    const normal = normalFrom(randomFrom(15));
    expect(changesOf(series(60, (i) => 0.2 * normal() + (i >= 20 && i < 35 ? 5 : 0)))).toEqual([20, 35]);
  });

  it('cover the series without a gap, each of three values at least, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 60 }), (values) => {
        const levels = shortLevels(values);
        expect(levels[0]?.from ?? 0).toBe(0);
        expect(levels.at(-1)?.to ?? 0).toBe(values.length);
        levels.forEach(({ from, to }, i) => {
          expect(from).toBe(i === 0 ? 0 : levels[i - 1]?.to);
          if (values.length > 2) expect(to - from).toBeGreaterThan(2);
        });
      }),
    );
  });

  it('do not depend on the unit, nor on where zero is', () => {
    const values = [3, 3.1, 2.9, 3, 3.05, 2.95, 3, 1, 1.1, 0.9, 1];
    expect(changesOf(values.map((value) => 1e9 * value + 7))).toEqual(changesOf(values));
    expect(changesOf(values)).toEqual([7]);
  });

  it('are one of equal values, and of fewer than six', () => {
    expect(shortLevels([])).toEqual([]);
    expect(shortLevels(new Array(11).fill(1))).toEqual([{ from: 0, to: 11, level: 1 }]);
    expect(changesOf([1, 1, 1, 9, 9])).toEqual([]);
  });

  it('are refused of what is not finite or no short series', () => {
    expect(() => shortLevels([1, Number.NaN])).toThrow(RangeError);
    expect(() => shortLevels(new Float64Array(MOST_FOR_SHORT_LEVELS + 1))).toThrow(RangeError);
  });

  describe.skipIf(!existsSync(PUBLISHED))('of published series', () => {
    interface Run {
      readonly max_pvalue: number;
      readonly min_magnitude: number;
      readonly change_points: readonly { readonly index: number }[];
    }
    const read = <T>(name: string): Readonly<Record<string, T>> =>
      JSON.parse(readFileSync(`${PUBLISHED}${name}`, 'utf8'));
    const onLogs = (values: readonly number[]) =>
      changesOf(values.slice(-MOST_FOR_SHORT_LEVELS).map(Math.log));

    it('begin wherever Otava finds a change of 5 % (p = 0.001) in what MongoDB’s and its own tests look at', () => {
      const [all, otava] = [read<number[]>('series.json'), read<{ runs: Run[] }>('otava.json')];
      const names = Object.keys(all).filter((name) =>
        /analysis_test|series_1|robust|mad_|small|medium/.test(name),
      );
      expect(names).toHaveLength(6);
      for (const name of names) {
        const run = otava[name]?.runs.find((one) => one.max_pvalue === 0.001 && one.min_magnitude === 0.05);
        const expected = run?.change_points.map(({ index }) => index);
        const own = onLogs(all[name] ?? []);
        expect([name, expected?.filter((index) => !own.includes(index))]).toEqual([name, []]);
      }
    });

    it('are as many as the published ones where one level follows another', () => {
      const all = read<number[]>('series.json');
      const named = (part: string) => all[Object.keys(all).find((name) => name.includes(part)) ?? ''] ?? [];
      // Otava’s and MongoDB’s own expectations: a step at 10 of 20; 1000 values on 5 levels, of which the newest 600 have 3; none.
      expect(onLogs(named('test_single_series'))).toEqual([10]);
      expect(changesOf(named('long_series').slice(-600)).map((at) => at + 400)).toEqual([594, 794]);
      expect(onLogs(named('real_series'))).toEqual([]);
      expect(onLogs(named('metric1'))).toEqual([]);
      // The Turing benchmark’s series with one change, near 144, 97 and 179 (van den Burg & Williams 2020).
      expect(changesOf(named('quality_control_2'))).toEqual([97]);
      expect(changesOf(named('quality_control_3'))).toEqual([179]);
      expect(changesOf(named('quality_control_5'))).toEqual([]);
    });
  });
});

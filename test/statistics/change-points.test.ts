/** Levels are found where they are, and what they were; modes likewise. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelsOf, steppedLevels, withoutLevels } from '../../src/statistics/change-points.js';
import { modesOf } from '../../src/statistics/multimodality.js';
import { normalFrom, randomFrom, series } from './support.js';

const random = randomFrom(61);
const normal = normalFrom(random);

describe('the levels of a series', () => {
  it('begin where it changed, to a hundredth of it, and are the medians there', () => {
    const samples = series(4000, (i) => (i < 1000 ? 1 : i < 3000 ? 1.1 : 0.95) * (1 + 0.03 * normal()));
    const levels = levelsOf(samples);
    expect(levels.map(({ level }) => level)).toEqual([
      expect.closeTo(1, 2),
      expect.closeTo(1.1, 2),
      expect.closeTo(0.95, 2),
    ]);
    expect(levels[0]?.from).toBe(0);
    expect(Math.abs((levels[1]?.from ?? 0) - 1000)).toBeLessThan(40);
    expect(Math.abs((levels[2]?.from ?? 0) - 3000)).toBeLessThan(40);
    expect(levels.at(-1)?.to).toBe(4000);
    for (const [i, { from }] of levels.slice(1).entries()) expect(from).toBe(levels[i]?.to);
  });

  it('are not found in what is one level, too short, or equal throughout', () => {
    expect(levelsOf(series(2000, () => 1 + 0.1 * normal()))).toEqual([]);
    expect(levelsOf(series(299, (i) => (i < 150 ? 1 : 2)))).toEqual([]);
    expect(levelsOf(series(2000, () => 1))).toEqual([]);
    expect(levelsOf([])).toEqual([]);
    expect(() => levelsOf([Number.NaN])).toThrow(RangeError);
  });

  it('are not found in what a coarse clock makes of one level, and are where the level changed by one of its steps', () => {
    const ticks = (slower: (i: number) => number) =>
      series(350, (i) => (random() < slower(i) ? 320e-9 : 280e-9));
    const found = (slower: (i: number) => number): number =>
      Array.from({ length: 100 }, () => steppedLevels(ticks(slower))).filter((levels) => levels !== null)
        .length;
    expect([0.1, 0.2, 0.3, 0.4].map((share) => found(() => share) <= 2)).toEqual([true, true, true, true]);
    expect(found((i) => (i < 120 ? 0.1 : 0.9))).toBeGreaterThan(95);
  });

  it('are found without any noise too', () => {
    expect(levelsOf(series(1000, (i) => (i < 500 ? 1 : 2))).map(({ from, level }) => [from, level])).toEqual([
      [0, 1],
      [500, 2],
    ]);
  });

  it('do not follow a single stall, however long', () => {
    expect(levelsOf(series(1000, (i) => (i === 400 ? 1e3 : 1 + 0.02 * normal())))).toEqual([]);
  });

  it('count from a difference of 2 % on, where noise lets smaller ones be seen', () => {
    const step = (height: number) => series(4000, (i) => (i < 2000 ? 1 : height) * (1 + 0.005 * normal()));
    expect(levelsOf(step(1.01))).toHaveLength(2);
    expect(steppedLevels(step(1.01))).toBeNull();
    expect(steppedLevels(step(1.03))).toHaveLength(2);
  });

  it('count from a step of 2 % on', () => {
    const step = (height: number) => series(4000, (i) => (i < 2000 ? 1 : height) * (1 + 5e-4 * normal()));
    expect(steppedLevels(step(1.018))).toBeNull();
    expect(steppedLevels(step(1.022))).toHaveLength(2);
    expect(steppedLevels(step(1 / 1.022))).toHaveLength(2);
  });

  it('begin with one that lasts for a tenth of the series: what ends before was not warm', () => {
    const begun = (share: number) => {
      const own = normalFrom(randomFrom(5));
      const levelAt = (i: number) => (i < share * 4000 ? 1.3 : i < 2000 ? 1 : 1.15);
      return steppedLevels(series(4000, (i) => levelAt(i) * (1 + 0.01 * own())))?.map(({ from }) => from);
    };
    expect(begun(0.09)).toEqual([0, 2000]);
    expect(begun(0.11)).toEqual([0, 440, 2000]);
  });

  it('divided out leave a series of one level', () => {
    const samples = series(2000, (i) => (i < 700 ? 1 : 1.5) * (1 + 0.02 * normal()));
    const rest = withoutLevels(samples, levelsOf(samples));
    expect(levelsOf(rest)).toEqual([]);
    expect(rest[1500]).toBeCloseTo((samples[1500] ?? 0) / 1.5, 2);
  });

  it('do not depend on the unit, and mirror where the series is turned', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        (seed, unit) => {
          const own = normalFrom(randomFrom(seed));
          const samples = series(400, (i) => (i < 200 ? 1 : 1.2) * (1 + 0.02 * own()));
          const froms = levelsOf(samples).map(({ from }) => from);
          expect(levelsOf(samples.map((value) => value * unit)).map(({ from }) => from)).toEqual(froms);
          expect(froms).toHaveLength(2);
        },
      ),
      { seed: 7, numRuns: 40 },
    );
  });
});

describe('the modes of a series', () => {
  it('are where its values are, with their shares', () => {
    const samples = series(5000, () => (random() < 0.3 ? 1.5 : 1) * (1 + 0.03 * normal()));
    expect(modesOf(samples)).toEqual([
      { place: expect.closeTo(1, 1), share: expect.closeTo(0.7, 1) },
      { place: expect.closeTo(1.5, 1), share: expect.closeTo(0.3, 1) },
    ]);
  });

  it('are found where every second or fourth value is of the other', () => {
    for (const period of [2, 4]) {
      const samples = series(20_000, (i) => (i % period === 0 ? 1.2 : 1) * (1 + 0.01 * normal()));
      const modes = modesOf(samples);
      expect(modes).toHaveLength(2);
      expect(modes[1]?.share).toBeCloseTo(1 / period, 1);
    }
  });

  it('are three where there are three', () => {
    const places = [1, 1.3, 1.7];
    const samples = series(3000, () => (places[Math.floor(3 * random())] ?? 1) * (1 + 0.02 * normal()));
    expect(modesOf(samples)).toHaveLength(3);
  });

  it('are not several where they are within 2 % or hold less than 5 % each', () => {
    expect(
      modesOf(series(5000, () => (random() < 0.5 ? 1.015 : 1) * (1 + 0.001 * normal()))).length,
    ).toBeLessThan(2);
    expect(
      modesOf(series(5000, () => (random() < 0.03 ? 1.5 : 1) * (1 + 0.02 * normal()))).length,
    ).toBeLessThan(2);
  });

  it('are not the steps of the clock', () => {
    // 200 ns and a clock with steps of 20 ns: eleven values, each a spike.
    const samples = series(2000, () => 20e-9 * Math.round(10 * (1 + 0.1 * normal())));
    expect(modesOf(samples, 20e-9).length).toBeLessThan(2);
  });

  it('are none of few values, equal ones, or such that have no logarithm', () => {
    expect(modesOf(series(99, (i) => 1 + (i % 2)))).toEqual([]);
    expect(modesOf(series(1000, () => 1))).toEqual([]);
    expect(modesOf(series(1000, (i) => i % 2))).toEqual([]);
    expect(() => modesOf([Number.NaN])).toThrow(RangeError);
  });
});

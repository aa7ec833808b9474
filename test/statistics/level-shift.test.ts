/** Whether new values lie on the level of earlier ones: how often chance makes them seem not to, and what can be told. */
import { describe, expect, it } from 'vitest';
import { LEAST_EARLIER, levelShift } from '../../src/statistics/level-shift.js';
import { holm } from '../../src/statistics/several.js';
import { normalFrom, randomFrom, series } from './support.js';

const speed = (normal: () => number, spread = 0.02) => Math.exp(spread * normal());

describe('the shift of new values from a level', () => {
  it('covers the truth in 95 of 100, with few earlier values and many, one new value and several', () => {
    const normal = normalFrom(randomFrom(21));
    const trials = 4000;
    for (const [earlier, newer] of [
      [3, 1],
      [5, 1],
      [12, 1],
      [40, 1],
      [8, 3],
      [30, 4],
    ] as const) {
      let covered = 0;
      for (let trial = 0; trial < trials; trial++) {
        const { interval } = levelShift(
          series(earlier, () => speed(normal)),
          series(newer, () => 1.1 * speed(normal)),
        );
        const range = interval?.(0.95);
        if (range !== undefined && range.low <= 1.1 && 1.1 <= range.high) covered++;
      }
      // Within three standard errors; what stands out of ten values or more is left out, which costs a little.
      expect([earlier, newer, Math.abs(covered / trials - 0.95) < 0.012]).toEqual([earlier, newer, true]);
    }
  });

  it('is called one among several by chance in 5 of 100 at most', () => {
    const normal = normalFrom(randomFrom(22));
    const trials = 2000;
    let alarms = 0;
    for (let trial = 0; trial < trials; trial++) {
      const ps = Array.from(
        { length: 20 },
        () =>
          levelShift(
            series(9, () => speed(normal)),
            [speed(normal)],
          ).p,
      );
      if (holm(ps).some((p) => p <= 0.05)) alarms++;
    }
    expect(alarms / trials).toBeLessThan(0.065);
  });

  it('is no surer than earlier ones that lay as far out', () => {
    const before = series(30, (i) => (i === 9 || i === 20 ? 0.8 : 1 + 0.002 * Math.sin(i)));
    expect(levelShift(before, [0.81])).toMatchObject({ earlier: 30, stoodOut: 2 });
    expect(levelShift(before, [0.81]).p).toBeCloseTo(3 / 31, 9);
    expect(levelShift(before, [0.6]).p).toBeLessThan(1e-6);
    // Two in a row never were: judged together, or the second by itself.
    expect(levelShift(before, [0.81, 0.81]).p).toBeLessThan(1e-6);
    expect(levelShift([...before, 0.81], [0.81]).p).toBeLessThan(1e-6);
  });

  it('is as sure on the second day and the third', () => {
    const normal = normalFrom(randomFrom(23));
    for (const n of [10, 12, 20, 30, 60]) {
      let told = 0;
      for (let trial = 0; trial < 50; trial++) {
        const steady = Array.from({ length: n }, () => Math.exp(0.01 * normal()));
        const [first, second, third] = [1, 2, 3].map(() => 0.8 * Math.exp(0.01 * normal()));
        if (first === undefined || second === undefined || third === undefined) throw new Error('three');
        const days = [levelShift(steady, [first]), levelShift([...steady, first], [second])];
        if ([...days, levelShift([...steady, first, second], [third])].every(({ p }) => p <= 0.05)) told++;
      }
      expect([n, told > 45]).toEqual([n, true]);
    }
  });

  it('is wider where the new value rests on fewer launches', () => {
    const before = series(10, (i) => 1 + 0.01 * Math.sin(i));
    const [own, wider] = [levelShift(before, [0.97]), levelShift(before, [0.97], 0.02 ** 2)];
    expect(wider.p).toBeGreaterThan(own.p);
    expect(wider.ratio).toBe(own.ratio);
  });

  it('is not told by values that do not differ, nor by fewer than three', () => {
    expect(levelShift([1, 1, 1, 1], [0.5])).toMatchObject({
      interval: null,
      p: 1,
      deviation: null,
      ratio: 0.5,
    });
    expect(() => levelShift(new Float64Array(LEAST_EARLIER - 1).fill(1), [1])).toThrow(RangeError);
    expect(() => levelShift([1, 2, 3], [])).toThrow(RangeError);
    expect(() => levelShift([1, 2, 0], [1])).toThrow(RangeError);
  });
});

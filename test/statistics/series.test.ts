/** What depends on the order of the repetitions: autocorrelation, drift, the steady state. */
import { describe, expect, it } from 'vitest';
import { autocorrelations, effectiveSampleSize, lag1 } from '../../src/statistics/autocorrelation.js';
import { drift } from '../../src/statistics/drift.js';
import { steadyFrom } from '../../src/statistics/steady.js';
import { normalFrom, randomFrom, series } from './support.js';

/** x(i) = rho x(i-1) + noise, standard deviation 1. */
function autoregressive(n: number, rho: number, seed: number): Float64Array {
  const normal = normalFrom(randomFrom(seed));
  let x = normal();
  return series(n, () => {
    x = rho * x + Math.sqrt(1 - rho * rho) * normal();
    return x;
  });
}

describe('autocorrelation', () => {
  it.each([-0.4, 0, 0.5, 0.9])('at lag 1 of an autoregressive series is its coefficient, %f', (rho) => {
    expect(lag1(autoregressive(50_000, rho, 5))).toBeCloseTo(rho, 1);
  });

  // The exact value is n (1 - rho) / (1 + rho).
  it.each([0, 0.5, 0.9, 0.99])('makes a series of coefficient %f worth n (1 - rho) / (1 + rho)', (rho) => {
    const n = 50_000;
    const expected = (n * (1 - rho)) / (1 + rho);
    const ratios = [11, 12, 13, 14, 15].map(
      (seed) => (effectiveSampleSize(autoregressive(n, rho, seed)) ?? 0) / expected,
    );
    for (const ratio of ratios) expect(ratio).toBeGreaterThan(0.6);
    for (const ratio of ratios) expect(ratio).toBeLessThan(1.5);
  });

  it('of few values is the sum of products over all of them, not over as many as there are pairs', () => {
    // Deviations -1.5, -0.5, 0.5, 1.5: squares 5, products 1.25, -1.5 and -2.25.
    expect(lag1([1, 2, 3, 4])).toBeCloseTo(1.25 / 5, 12);
    const all = autocorrelations([1, 2, 3, 4], 9) ?? [];
    expect(all.map((value) => Number(value.toFixed(12)))).toEqual([0.25, -0.3, -0.45]);
    expect(autocorrelations([1, 2, 3, 4], 1)).toEqual([expect.closeTo(0.25, 12)]);
    expect(autocorrelations([2, 2, 2], 2)).toBeNull();
  });

  it('is not looked for in what rounding leaves of equal values', () => {
    expect(lag1([1, 1, 1 + Number.EPSILON, 1])).toBeNull();
    expect(lag1([0, 1e-150, 2e-150, 1e-150])).toBeNull();
    expect(lag1([1, 1, 1 + 1e-9, 1])).not.toBeNull();
  });

  it('of an alternating series credits no more than twice its length', () => {
    expect(effectiveSampleSize(series(100, (i) => i % 2))).toBe(200);
  });

  it('of a trend leaves next to nothing, however long the series', () => {
    expect(effectiveSampleSize(series(100_000, (i) => i))).toBeLessThan(10);
  });

  it('is not defined for two values or equal ones', () => {
    expect([lag1([1, 2]), lag1([4, 4, 4]), effectiveSampleSize([4, 4, 4])]).toEqual([null, null, null]);
  });
});

describe('drift', () => {
  const normal = normalFrom(randomFrom(6));

  it('of a straight line is its slope', () => {
    const found = drift(series(2000, (i) => 1 + (i - 999.5) * 1e-5));
    expect(found?.overall).toBeCloseTo(0.02, 4);
    expect(found?.perThousand).toBeCloseTo(0.01, 4);
    expect(found?.z).toBeGreaterThan(10);
  });

  it('is found below noise and outliers, and lies in its interval', () => {
    const noisy = series(4000, (i) => (1 + (0.03 * i) / 4000 + 0.02 * normal()) * (i % 50 === 0 ? 20 : 1));
    const found = drift(noisy);
    expect(found?.overallLow).toBeLessThan(0.03);
    expect(found?.overallHigh).toBeGreaterThan(0.03);
    expect(found?.overallLow).toBeGreaterThan(0.02);
  });

  it('turns its sign when the series is turned round', () => {
    const noisy = series(1000, (i) => 1 + 1e-4 * i + 0.1 * normal());
    const [there, back] = [drift(noisy), drift(noisy.toReversed())];
    expect(back?.z).toBeCloseTo(-(there?.z ?? 0), 9);
    expect(back?.overall).toBeCloseTo(-(there?.overall ?? 0), 9);
    expect(back?.overallLow).toBeCloseTo(-(there?.overallHigh ?? 0), 9);
    expect(back?.overallHigh).toBeCloseTo(-(there?.overallLow ?? 0), 9);
  });

  it('of eight values has Sen’s interval: slopes of rank 6.08 and 22.92 of 28', () => {
    const values = [10.2, 9.7, 10.9, 10.1, 11.4, 10.8, 11.9, 11.1];
    const slopes = values
      .flatMap((a, i) => values.slice(i + 1).map((b, step) => (b - a) / (step + 1)))
      .sort((a, b) => a - b);
    // (28 -+ 1.95996 sqrt(8 x 7 x 21 / 18)) / 2, the upper one rank further; between two ranks, interpolated.
    const spread = 1.959964 * Math.sqrt((8 * 7 * 21) / 18);
    const at = (rank: number): number => {
      const [below, above] = [slopes[Math.floor(rank) - 1] ?? 0, slopes[Math.floor(rank)] ?? 0];
      return ((below + (above - below) * (rank % 1)) * 8) / 10.85;
    };
    const found = drift(values);
    expect(found?.overall).toBeCloseTo(at(14.5), 9);
    expect(found?.overallLow).toBeCloseTo(at((28 - spread) / 2), 6);
    expect(found?.overallHigh).toBeCloseTo(at((28 + spread) / 2 + 1), 6);
  });

  it('of noise has 0 in its 95 % interval 95 times in 100', () => {
    let covered = 0;
    for (let trial = 0; trial < 400; trial++) {
      const found = drift(series(400, () => 1 + 0.05 * normal()));
      if (found !== null && found.overallLow <= 0 && found.overallHigh >= 0) covered++;
    }
    expect(covered / 400).toBeGreaterThan(0.92);
    expect(covered / 400).toBeLessThan(0.98);
  });

  // Blocks that are taken for independent have intervals without 0 in 20 to 34 of 100.
  it.each([
    [100, 0.25],
    [300, 0.12],
    [1000, 0.12],
  ])('of noise of which 0.9 carries over has hardly fewer intervals with 0, in %i repetitions', (n, most) => {
    let without = 0;
    for (let trial = 0; trial < 300; trial++) {
      const noise = autoregressive(n, 0.9, 5000 + trial);
      const found = drift(noise.map((x) => 1 + 0.05 * x));
      if (found === null || found.overallLow > 0 || found.overallHigh < 0) without++;
    }
    expect(without / 300).toBeLessThan(most);
  });

  // Blocks of five leave little of the dependence of neighbours; what is measured on a quiet machine is at most 0.
  it.each([
    [0, 0.02, 0.08],
    [-0.35, 0.01, 0.08],
    [0.5, 0.02, 0.13],
  ])('has a z beyond 1.96 about once in 20 without a trend, coefficient %f', (rho, least, most) => {
    let beyond = 0;
    for (let trial = 0; trial < 1000; trial++) {
      const noise = autoregressive(300, rho, 1000 + trial);
      if (Math.abs(drift(noise.map((x) => 1 + 0.03 * x))?.z ?? 9) > 1.96) beyond++;
    }
    expect(beyond / 1000).toBeGreaterThan(least);
    expect(beyond / 1000).toBeLessThan(most);
  });

  it('corrects Mann-Kendall’s z for equal values', () => {
    // S = 16, variance (8 x 7 x 21 - 2 x 4 x 3 x 13) / 18 = 48.
    expect(drift([1, 1, 1, 1, 2, 2, 2, 2])?.z).toBeCloseTo(15 / Math.sqrt(48), 9);
  });

  it('tells how much slower what lasts is than the beginning, wherever the fall lies', () => {
    const stepAt = (share: number) => drift(series(1000, (i) => (i < share * 1000 ? 2 : 3)))?.fade;
    for (const share of [0.05, 0.3, 0.5, 0.7, 0.94]) expect(stepAt(share)).toBeCloseTo(0.5, 9);
    // The last tenth tells of what comes late, and half of all of what went by.
    expect(stepAt(0.97)).toBeCloseTo(0, 9);
    expect(drift(series(1000, (i) => (i < 300 ? 3 : 2)))?.fade).toBeCloseTo(-1 / 3, 9);
    expect(drift(series(8, (i) => (i === 0 ? 2 : 3)))?.fade).toBeCloseTo(0.5, 9);
  });

  it('of equal values is none at all', () => {
    expect(drift(series(100, () => 3))).toMatchObject({ overall: 0, overallLow: 0, overallHigh: 0, z: 0 });
  });

  it('is not defined for fewer than 8 values', () => {
    expect(drift([1, 2, 3, 4, 5, 6, 7])).toBeNull();
  });
});

describe('the steady state', () => {
  const normal = normalFrom(randomFrom(7));

  it('begins where a slow start ends', () => {
    const cut = steadyFrom(series(1000, (i) => 1 + 0.01 * normal() + (i < 100 ? 1 : 0)));
    expect(cut).toBe(100);
  });

  it('begins near the end of a decay', () => {
    const cut = steadyFrom(series(1000, (i) => 1 + 0.01 * normal() + Math.exp(-i / 20)));
    expect(cut).toBeGreaterThan(50);
    expect(cut).toBeLessThan(200);
  });

  it.each([
    [50, 0.5],
    [200, 0.1],
    [300, 0.05],
  ])('begins within a few repetitions of %i slow ones, %f slower', (length, excess) => {
    const cuts = Array.from({ length: 40 }, () =>
      steadyFrom(series(1000, (i) => 1 + 0.02 * normal() + (i < length ? excess : 0))),
    );
    for (const cut of cuts) expect(cut).toBeGreaterThanOrEqual(length - 5);
    const late = cuts.filter((cut) => (cut ?? 999) > length + 60);
    expect(late.length).toBeLessThanOrEqual(4);
  });

  it('begins soon where nothing but noise changes', () => {
    const cuts = Array.from({ length: 200 }, () => steadyFrom(series(500, () => 1 + 0.05 * normal())) ?? 500);
    expect(cuts.filter((cut) => cut <= 50).length).toBeGreaterThan(120);
  });

  it('begins at once where nothing changes', () => {
    expect(steadyFrom(series(1000, () => 1))).toBe(0);
  });

  it('is never reached by a series that rises throughout', () => {
    expect(steadyFrom(series(1000, (i) => i))).toBeNull();
  });

  it('cannot be told from fewer than 20 values', () => {
    expect(steadyFrom(series(19, () => 1))).toBeNull();
  });
});

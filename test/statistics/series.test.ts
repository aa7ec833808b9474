/** What depends on the order of the repetitions: autocorrelation, drift, the steady state. */
import { describe, expect, it } from 'vitest';
import { effectiveSampleSize, lag1 } from '../../src/statistics/autocorrelation.js';
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

  it('corrects Mann-Kendall’s z for equal values', () => {
    // S = 16, variance (8 x 7 x 21 - 2 x 4 x 3 x 13) / 18 = 48.
    expect(drift([1, 1, 1, 1, 2, 2, 2, 2])?.z).toBeCloseTo(15 / Math.sqrt(48), 9);
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

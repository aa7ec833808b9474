/** Launches that resemble their neighbours are found, and others hardly ever called so. */
import { describe, expect, it } from 'vitest';
import { alikeness, launchDependence } from '../../src/statistics/launch-dependence.js';
import { precisionReached } from '../../src/statistics/stopping.js';
import { launchesNotIndependent } from '../../src/statistics/validity/launches-not-independent.js';
import { normalFrom, randomFrom, series } from './support.js';

const random = randomFrom(81);
const normal = normalFrom(random);

const raised = (trials: number, launches: () => Float64Array): number => {
  let count = 0;
  for (let trial = 0; trial < trials; trial++) if (launchesNotIndependent(launches()) !== null) count++;
  return count / trials;
};

/** 1 on average, 0.5 % apart; x(i) = rho x(i-1) + noise. */
function related(k: number, rho: number): Float64Array {
  let x = normal();
  return series(k, () => {
    x = rho * x + Math.sqrt(1 - rho * rho) * normal();
    return 1 + 0.005 * x;
  });
}

describe('launches in the order of time', () => {
  const COUNTS = [6, 12, 30];

  it.each([
    ['normal', normal],
    ['of few different values', () => Math.round(normal())],
  ])('that are independent and %s are flagged in 1 of 100', (_, draw) => {
    for (const k of COUNTS)
      expect(
        raised(250, () => series(k, draw)),
        `${k}`,
      ).toBeLessThan(0.03);
  });

  // Ranks of different values are the same ones whatever shape these have: as many of all counts together tell.
  it.each([
    ['contaminated', () => normal() + (random() < 0.1 ? 8 : 0)],
    ['of two modes', () => (random() < 0.3 ? 5 : 0) + normal()],
    ['lognormal', () => Math.exp(0.8 * normal())],
  ])('that are independent and %s are flagged in 1 of 100', (_, draw) => {
    const shares = COUNTS.map((k) => raised(84, () => series(k, draw)));
    expect(shares.reduce((sum, share) => sum + share, 0) / COUNTS.length).toBeLessThan(0.03);
  });

  it('have a p value that is uniform when they are independent', () => {
    const p = series(400, () => launchDependence(related(12, 0))?.p ?? Number.NaN).sort();
    expect(Math.abs((p[100] ?? 0) - 0.25)).toBeLessThan(0.07);
    expect(Math.abs((p[300] ?? 0) - 0.75)).toBeLessThan(0.07);
  });

  it('that share the mood of their neighbours are flagged', () => {
    expect(raised(100, () => related(30, 0.8))).toBeGreaterThan(0.9);
    // A neighbour that came for the second half.
    expect(
      raised(100, () => series(20, (i) => (i < 10 ? 1 : 1.02) * (1 + 0.003 * normal()))),
    ).toBeGreaterThan(0.9);
  });

  it('that alternate are not: their interval claims too little', () => {
    expect(launchesNotIndependent(series(30, (i) => 1 + 0.01 * (i % 2) + 1e-4 * normal()))).toBeNull();
  });

  it('are worth fewer, as their ranks’ correlation has it', () => {
    const found = launchesNotIndependent(series(40, (i) => 1 + 0.05 * Math.sin(i / 2)));
    const { rankCorrelation, worthLaunches } = found?.evidence ?? {};
    expect(worthLaunches).toBeCloseTo(
      (40 * (1 - Number(rankCorrelation))) / (1 + Number(rankCorrelation)),
      9,
    );
    expect(worthLaunches).toBeLessThan(10);
  });

  it('are worth the same where one is far off, in the flag and in a precision, and at least one', () => {
    const rising = Array.from({ length: 20 }, (_, i) => 1 + i / 100);
    const far = rising.map((seconds, i) => (i === 10 ? 6 : seconds));
    for (const launches of [rising, far]) {
      const found = launchesNotIndependent(launches);
      expect(found?.evidence.worthLaunches).toBe(precisionReached(launches, 0.01).worth);
      expect(found?.evidence.worthLaunches).toBeGreaterThanOrEqual(1);
      expect(found?.evidence.worthLaunches).toBeLessThan(5);
      expect(Number(found?.evidence.rankCorrelation)).toBeGreaterThan(0.5);
      expect(found?.reason).toMatch(/correlation of ranks 0\.\d+,/);
    }
    // That of the values themselves is evidence, and nothing follows from it.
    expect(launchesNotIndependent(far)?.evidence.lag1).toBeLessThan(0);
  });

  it('are judged the same in any unit and each time, and not at all below 6 or when equal', () => {
    const medians = related(20, 0.5);
    expect(launchDependence(medians.map((value) => 1e3 * value))?.p).toBe(launchDependence(medians)?.p);
    expect(launchDependence([1, 2, 3, 4, 5])).toBeNull();
    expect(launchDependence(series(10, () => 1))).toBeNull();
    expect(() => launchDependence([1, 2, 3, 4, 5, Number.NaN])).toThrow(RangeError);
  });
});

describe('how much neighbouring launches are alike', () => {
  const widenings = (k: number, rho: number): readonly number[] =>
    Array.from({ length: 300 }, () => alikeness(related(k, rho)).widening);
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

  it('is nothing for most that are independent, and what it is for the others', () => {
    expect(median(widenings(12, 0))).toBe(1);
    expect(widenings(12, 0).filter((widening) => widening > 1).length / 300).toBeLessThan(0.33);
    // sqrt((1 + rho) / (1 - rho)): 1.73 for 0.5, 2.4 for 0.7.
    expect(median(widenings(60, 0.5))).toBeGreaterThan(1.5);
    expect(median(widenings(60, 0.5))).toBeLessThan(1.95);
    expect(median(widenings(60, 0.7))).toBeGreaterThan(2);
    expect(median(widenings(60, 0.7))).toBeLessThan(2.8);
  });

  it('does not depend on unit, shape or direction, and needs six launches that differ', () => {
    const launches = related(20, 0.8);
    const { widening, worth, correlation } = alikeness(launches);
    expect(widening).toBeGreaterThan(1);
    expect(worth).toBeCloseTo(20 / widening ** 2, 9);
    expect(correlation).toBeGreaterThan(0);
    expect(alikeness(launches.map((value) => Math.exp(9 * value))).widening).toBe(widening);
    expect(alikeness(launches.slice().reverse()).widening).toBeCloseTo(widening, 9);
    for (const few of [[], [1, 2, 3, 4, 5], [1, 1, 1, 1, 1, 1, 1]]) {
      expect(alikeness(few)).toEqual({ correlation: 0, worth: few.length, widening: 1 });
    }
  });
});

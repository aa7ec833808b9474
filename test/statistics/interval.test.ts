/** Intervals contain the truth as often as they say, and say what they rest on. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  launchInterval,
  levelForLooking,
  sequentialInterval,
  withinLaunchInterval,
} from '../../src/statistics/interval.js';
import { normalReach } from '../../src/statistics/normal.js';
import { median, quantileSorted } from '../../src/statistics/quantile.js';
import { degreesOfSum, reachOf, studentReach } from '../../src/statistics/student.js';
import { normalFrom, randomFrom, SEEDED, series } from './support.js';

describe('quantiles of known distributions', () => {
  // Two-sided 95 % and 99 % points, from any table of Student's t.
  it.each([
    [1, 12.7062, 63.6567],
    [2, 4.302653, 9.924843],
    [3, 3.182446, 5.840909],
    [4, 2.776445, 4.604095],
    [9, 2.262157, 3.249836],
    [30, 2.042272, 2.749996],
  ])('Student’s t, %i degrees of freedom', (degrees, at95, at99) => {
    expect(studentReach(0.95, degrees)).toBeCloseTo(at95, 4);
    expect(studentReach(0.99, degrees)).toBeCloseTo(at99, 4);
  });

  it('Student’s t is the normal where there are very many degrees', () => {
    expect(reachOf(0.95, 100)).toBeCloseTo(1.983972, 5);
    expect(reachOf(0.95, Number.POSITIVE_INFINITY)).toBeCloseTo(1.959964, 5);
  });

  it('sums of equal variances have the degrees of all together, without one that rounding takes', () => {
    for (let terms = 1; terms <= 30; terms++)
      for (const [degrees, variance] of [
        [1, 0.1],
        [2, 0.3],
        [5, 1e-7],
        [11, 0.7],
      ] as const) {
        const all = Array.from({ length: terms }, () => ({ variance, degrees }));
        expect(degreesOfSum(all)).toBe(terms * degrees);
      }
    // (3 + 1)² / (9 / 2 + 1 / 8) = 3.46.
    expect(
      degreesOfSum([
        { variance: 3, degrees: 2 },
        { variance: 1, degrees: 8 },
      ]),
    ).toBe(3);
    expect(degreesOfSum([{ variance: 0, degrees: 5 }])).toBe(Number.POSITIVE_INFINITY);
  });

  it('the normal', () => {
    expect([0.5, 0.95, 0.99].map(normalReach)).toEqual([
      expect.closeTo(0.67449, 4),
      expect.closeTo(1.959964, 4),
      expect.closeTo(2.575829, 4),
    ]);
  });

  it('refuse what is no level and no number of degrees', () => {
    expect(() => studentReach(1, 3)).toThrow(RangeError);
    expect(() => studentReach(0.95, 0)).toThrow(RangeError);
  });
});

describe('the interval of launches', () => {
  it('of ten values is that of Hettmansperger & Sheather', () => {
    // k = 10: d = 2, g(2) = 1 - 22/1024, g(3) = 1 - 112/1024; interpolated by their formula.
    const [at, next] = [1 - 22 / 1024, 1 - 112 / 1024];
    const share = (at - 0.95) / (at - next);
    const lambda = (8 * share) / (2 + 6 * share);
    const { ci, basis, n } = launchInterval([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    expect(ci?.low).toBeCloseTo(20 + 10 * lambda, 9);
    expect(ci?.high).toBeCloseTo(90 - 10 * lambda, 9);
    expect([basis, n]).toEqual(['launches', 10]);
  });

  it('of six values ends 5/14 of a step inside the extremes', () => {
    // g(1) = 31/32 and g(2) = 25/32: I = 0.1, lambda = 0.5 / 1.4.
    const { ci } = launchInterval([1, 2, 3, 4, 5, 6]);
    expect(ci?.low).toBeCloseTo(1 + 5 / 14, 12);
    expect(ci?.high).toBeCloseTo(6 - 5 / 14, 12);
  });

  it('ends at a launch and not in the gap before it, where values lie far apart', () => {
    expect(launchInterval([1, 1.1, 1.2, 1.3, 1.4, 9]).ci).toEqual({
      low: expect.closeTo(1 + 0.5 / 14, 9),
      high: 9,
    });
    expect(launchInterval([1, 9, 9.1, 9.2, 9.3, 9.4]).ci).toEqual({
      low: 1,
      high: expect.closeTo(9.4 - 0.5 / 14, 9),
    });
  });

  it('takes for a gap what is more than twice as wide as the middle, and what lies nearer for the same mode', () => {
    // The middle of six ends at their second and fifth, 3 apart.
    const highOf = (last: number) => launchInterval([1, 2, 3, 4, 5, last]).ci?.high;
    expect(highOf(10.9)).toBeCloseTo(10.9 - (5.9 * 5) / 14, 12);
    expect(highOf(11.1)).toBe(11.1);
    const lowOf = (one: number) => launchInterval([one, 2, 3, 4, 5, 6]).ci?.low;
    expect(lowOf(-3.9)).toBeCloseTo(-3.9 + (5.9 * 5) / 14, 12);
    expect(lowOf(-4.1)).toBe(-4.1);
  });

  it('knows of no gap where the next values are one and the same, and of one where they are two', () => {
    // At 50 % of three: g(1) = 3/4, g(2) = 0, so I = 1/3 and lambda = 1/2.
    expect(launchInterval([1, 2, 3], 0.5).ci).toEqual({
      low: expect.closeTo(1.5, 12),
      high: expect.closeTo(2.5, 12),
    });
    expect(launchInterval([1, 2, 3, 9], 0.7).ci?.high).toBe(9);
  });

  it('of three to five values is Student’s, and says that they are few', () => {
    const { ci, basis } = launchInterval([1, 2, 3]);
    expect(basis).toBe('few launches');
    // Of logarithms, for all are above 0.
    const logs = [0, Math.LN2, Math.log(3)];
    const centre = (Math.LN2 + Math.log(3)) / 3;
    const sd = Math.hypot(...logs.map((log) => log - centre)) / Math.SQRT2;
    expect(Math.log(ci?.high ?? 0)).toBeCloseTo(centre + (4.302653 * sd) / Math.sqrt(3), 5);
    expect(Math.log(ci?.low ?? 0)).toBeCloseTo(centre - (4.302653 * sd) / Math.sqrt(3), 5);
    expect(launchInterval([1, 2, 3, 4, 5]).basis).toBe('few launches');
  });

  it('of few values is Student’s of the values themselves where some are not above 0', () => {
    const { ci, method } = launchInterval([-1, 0, 1]);
    expect(ci?.high).toBeCloseTo(4.302653 / Math.sqrt(3), 5);
    expect(ci?.low).toBeCloseTo(-4.302653 / Math.sqrt(3), 5);
    expect(method).not.toContain('logarithms');
    const fromZero = launchInterval([0, 1, 2]);
    expect(fromZero.ci?.low).toBeCloseTo(1 - 4.302653 / Math.sqrt(3), 5);
    expect(fromZero.method).not.toContain('logarithms');
  });

  it('of three times, one of which a neighbour trebled, begins above 0, and that of rates is the same', () => {
    const times = [1e-3, 1.01e-3, 3e-3];
    const [elapsed, rate] = [launchInterval(times).ci, launchInterval(times.map((time) => 1 / time)).ci];
    expect(elapsed?.low).toBeGreaterThan(0);
    expect((elapsed?.low ?? 0) * (rate?.high ?? 0)).toBeCloseTo(1, 9);
    expect((elapsed?.high ?? 0) * (rate?.low ?? 0)).toBeCloseTo(1, 9);
  });

  it('of few launches a hundredth apart is that of plain Student’s t to a hundredth of its width', () => {
    const { ci } = launchInterval([1.0, 1.01, 0.99, 1.02]);
    const reach = (3.182446 * 0.01290994) / 2;
    expect(((ci?.low ?? 0) - (1.005 - reach)) / reach).toBeCloseTo(0, 1);
    expect(((ci?.high ?? 0) - (1.005 + reach)) / reach).toBeCloseTo(0, 1);
  });

  it('of few launches encloses their median, at 95 %', () => {
    const few = fc.array(fc.double({ min: 1e-6, max: 10, noNaN: true }), { minLength: 3, maxLength: 5 });
    fc.assert(
      fc.property(few, (launches) => {
        const { ci } = launchInterval(launches);
        const middle = median(launches);
        expect(ci?.low).toBeLessThanOrEqual(middle * (1 + 1e-12));
        expect(ci?.high).toBeGreaterThanOrEqual(middle * (1 - 1e-12));
      }),
      SEEDED,
    );
  });

  it('of equal values is a point', () => {
    for (const k of [3, 5, 6, 30]) {
      const { ci } = launchInterval(series(k, () => 0.25));
      expect(ci?.low).toBeCloseTo(0.25, 14);
      expect(ci?.high).toBeCloseTo(0.25, 14);
    }
  });

  it('of two values is none: a range; of one value nothing', () => {
    expect(launchInterval([3, 2])).toMatchObject({
      ci: null,
      range: { low: 2, high: 3 },
      basis: 'two launches',
    });
    expect(launchInterval([3])).toMatchObject({ ci: null, basis: 'within one launch' });
    expect(launchInterval([])).toMatchObject({ ci: null, range: null });
  });

  it('at 99 % needs eight launches for order statistics', () => {
    expect(launchInterval([1, 2, 3, 4, 5, 6, 7], 0.99)).toMatchObject({ level: 0.99, basis: 'few launches' });
    expect(launchInterval([1, 2, 3, 4, 5, 6, 7, 8], 0.99).basis).toBe('launches');
  });

  it('of 5,000 values is as narrow as theory has it', () => {
    const { ci } = launchInterval(series(5000, (i) => i));
    expect((ci?.high ?? 0) - (ci?.low ?? 0)).toBeCloseTo(1.96 * Math.sqrt(5000), -1);
  });

  it('scales and moves with the values, encloses their median, and does not care for their order', () => {
    const values = fc.array(fc.double({ min: 1e-6, max: 10, noNaN: true }), { minLength: 6, maxLength: 40 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.1, max: 10, noNaN: true }), (launches, factor) => {
        const plain = launchInterval(launches).ci;
        const scaled = launchInterval(launches.toReversed().map((value) => value * factor)).ci;
        expect(scaled?.low).toBeCloseTo((plain?.low ?? 0) * factor, 9);
        expect(scaled?.high).toBeCloseTo((plain?.high ?? 0) * factor, 9);
        const middle = launches.toSorted((a, b) => a - b);
        expect(plain?.low).toBeLessThanOrEqual(middle[Math.floor(middle.length / 2)] ?? 0);
        expect(plain?.high).toBeGreaterThanOrEqual(middle[Math.floor((middle.length - 1) / 2)] ?? 0);
      }),
      SEEDED,
    );
  });

  const random = randomFrom(10);
  const normal = normalFrom(random);
  const shapes = {
    normal: { draw: normal, median: 0 },
    lognormal: { draw: () => Math.exp(0.8 * normal()), median: 1 },
    // Two modes, ten deviations apart, 55:45: where 0.55 Phi(x) = 0.5.
    modes: { draw: () => normal() + (random() < 0.45 ? 10 : 0), median: 1.33518 },
    // The median of 0.9 N(0, 1) + 0.1 N(8, 1): where 0.9 Phi(x) = 0.5.
    contaminated: { draw: () => normal() + (random() < 0.1 ? 8 : 0), median: 0.13971 },
  };
  // Simulated coverage for k = 6, 8, 12, 20 (numpy, 600 to 4,000 trials: 1 to 2 points of noise of their own).
  it.each([
    ['normal', [0.949, 0.945, 0.947, 0.948]],
    ['lognormal', [0.931, 0.942, 0.949, 0.955]],
    ['contaminated', [0.949, 0.952, 0.944, 0.944]],
    // Interpolating across the gap it would be 0.908 for 6 (simulated here, 15,000 trials).
    ['modes', [0.961, 0.976, 0.957, 0.953]],
  ] as const)('covers the median of %s launches 95 times in 100', (name, expected) => {
    const { draw, median } = shapes[name];
    const trials = 8000;
    [6, 8, 12, 20].forEach((k, i) => {
      let covered = 0;
      for (let trial = 0; trial < trials; trial++) {
        const { ci } = launchInterval(series(k, draw));
        if (ci !== null && ci.low <= median && median <= ci.high) covered++;
      }
      expect(Math.abs(covered / trials - (expected[i] ?? 0)), `k = ${k}: ${covered / trials}`).toBeLessThan(
        0.02,
      );
      // Across a gap there are 93 % or 99 % to choose from at k = 8, and the larger is taken.
      const most = name === 'modes' ? 0.98 : 0.97;
      expect(covered / trials, `k = ${k}`).toBeGreaterThan(0.93);
      expect(covered / trials, `k = ${k}`).toBeLessThan(most);
    });
  });
});

describe('the interval of launches whose number was decided by looking', () => {
  it('is read at 97 % where 95 are claimed', () => {
    expect(levelForLooking(0.95)).toBeCloseTo(0.97, 12);
    expect(levelForLooking(0.99)).toBeCloseTo(0.994, 12);
  });

  it('is that of plain order statistics, none of which six launches have', () => {
    expect(sequentialInterval([1, 2, 3, 4, 5, 6]).ci).toBeNull();
    expect(sequentialInterval([1, 2, 3, 4, 5, 6, 7])).toMatchObject({
      level: 0.95,
      ci: { low: 1, high: 7 },
      basis: 'launches',
    });
    // g(2) of 10 is 97.9 %, of 9 it is 96.1 %.
    expect(sequentialInterval([1, 2, 3, 4, 5, 6, 7, 8, 9]).ci).toEqual({ low: 1, high: 9 });
    expect(sequentialInterval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).ci).toEqual({ low: 2, high: 9 });
  });
});

describe('the interval of few launches', () => {
  const normal = normalFrom(randomFrom(19));
  it.each([
    ['normal, a hundredth apart', () => 1 + 0.01 * normal(), 1],
    ['lognormal (0.8)', () => Math.exp(0.8 * normal()), 1],
  ] as const)('covers the median of %s launches 95 times in 100', (_, draw, truth) => {
    for (const k of [3, 4, 5]) {
      let covered = 0;
      for (let trial = 0; trial < 8000; trial++) {
        const { ci, basis } = launchInterval(series(k, draw));
        if (basis === 'few launches' && ci !== null && ci.low <= truth && truth <= ci.high) covered++;
      }
      expect(Math.abs(covered / 8000 - 0.95), `k = ${k}: ${covered / 8000}`).toBeLessThan(0.01);
    }
  });
});

describe('the interval within a launch', () => {
  /** How often the interval of an autoregressive series contains its median, 0; with stalls on top. */
  function coverage(rho: number, stalls: number, seed: number): number {
    const random = randomFrom(seed);
    const normal = normalFrom(random);
    let covered = 0;
    for (let trial = 0; trial < 600; trial++) {
      let x = normal();
      const samples = series(1000, () => {
        x = rho * x + Math.sqrt(1 - rho * rho) * normal();
        return x > 0 && random() < stalls ? 50 : x;
      });
      const { ci } = withinLaunchInterval(samples);
      if (ci !== null && ci.low <= 0 && 0 <= ci.high) covered++;
    }
    return covered / 600;
  }

  it.each([
    ['independent', 0, 0],
    ['dependent', 0.5, 0],
    ['strongly dependent', 0.8, 0],
    ['dependent, with stalls', 0.8, 0.05],
  ])('covers the median of %s repetitions 95 times in 100', (_, rho, stalls) => {
    const share = coverage(rho, stalls, 11);
    expect(share).toBeGreaterThan(0.92);
    expect(share).toBeLessThan(0.985);
  });

  /** Of autoregressive series: how many have an interval, how many of these contain the median, and how wide they are. */
  function ofFew(rho: number, n: number, trials: number) {
    const normal = normalFrom(randomFrom(20));
    const ends = Array.from({ length: trials }, () => {
      let x = normal();
      const samples = series(n, () => {
        x = rho * x + Math.sqrt(1 - rho * rho) * normal();
        return x;
      });
      const { ci } = withinLaunchInterval(samples);
      // That of order statistics where it is known that they are independent.
      const sorted = samples.toSorted();
      const [from, to] = [-1, 1].map((side) => 0.5 + (side * 0.98) / Math.sqrt(n));
      return ci === null
        ? null
        : { ...ci, plain: quantileSorted(sorted, to ?? 1) - quantileSorted(sorted, from ?? 0) };
    });
    const given = ends.filter((ci) => ci !== null);
    const covering = given.filter(({ low, high }) => low <= 0 && 0 <= high).length;
    return {
      given: given.length / trials,
      coverage: covering / given.length,
      missing: (given.length - covering) / trials,
      times: median(given.map(({ low, high, plain }) => (high - low) / plain)),
    };
  }

  // With the sum of autocorrelations alone it would be 96, 95, 86, 89, 85 and 89.
  it.each([
    [15, 0],
    [30, 0],
    [15, 0.5],
    [30, 0.5],
    [100, 0.9],
    [200, 0.9],
  ])('covers the median of %i repetitions that have %d of the one before 92 times in 100', (n, rho) => {
    const { given, coverage } = ofFew(rho, n, 1500);
    expect(given).toBeGreaterThan(0.3);
    expect(coverage).toBeGreaterThan(0.91);
  });

  // With the sum alone in 36 of 100.
  it('is given for few of 20 repetitions that depend on each other for long, and wrong in few', () => {
    const { given, missing } = ofFew(0.9, 20, 1500);
    expect(given).toBeLessThan(0.25);
    expect(missing).toBeLessThan(0.065);
  });

  it('is hardly wider for that where repetitions are independent', () => {
    for (const [n, most] of [
      [20, 1.3],
      [50, 1.16],
      [200, 1.08],
    ] as const) {
      const { given, times } = ofFew(0, n, 1000);
      expect(given).toBeGreaterThan(0.95);
      expect(times, `n = ${n}`).toBeLessThan(most);
    }
  });

  it('believes repetitions to be alike by two thirds of a standard error more than they look', () => {
    // Steps of 2 through 17 ranks and back to the second: 1 - (15 x 4 + 15²) / (2 x 408).
    const found = (1 - 285 / 816) * (1 + 4 / 17);
    const correlation = found + 0.6745 * Math.sqrt((1 - found ** 2) / 17);
    let times = 1;
    for (let lag = 1; lag < 200; lag++) times += (4 / Math.PI) * Math.asin(correlation ** lag);
    const { ci, method } = withinLaunchInterval(series(17, (i) => (2 * i) % 17));
    expect(ci).toBeNull();
    expect(method).toContain(`no more than ${(17 / times).toPrecision(2)} independent ones`);
  });

  it('is labelled as one that says nothing of the next launch', () => {
    expect(withinLaunchInterval(series(20, (i) => (i * 7) % 20)).basis).toBe('within one launch');
  });

  it('is none for fewer than 15 repetitions, or such as may be worth hardly any, and a point for equal ones', () => {
    expect(withinLaunchInterval(series(14, (i) => (i * 5) % 14))).toMatchObject({
      ci: null,
      method: 'none: 14 repetitions are too few',
    });
    expect(withinLaunchInterval(series(15, (i) => (i * 7) % 15)).ci).not.toBeNull();
    const rising = withinLaunchInterval(series(40, (i) => i));
    expect(rising.ci).toBeNull();
    expect(rising.method).toMatch(
      /^none: 40 repetitions that depend on each other may be worth no more than 0\.44 independent ones/,
    );
    expect(withinLaunchInterval(series(15, () => 4))).toMatchObject({
      ci: { low: 4, high: 4 },
      method: 'all repetitions are equal',
    });
  });
});

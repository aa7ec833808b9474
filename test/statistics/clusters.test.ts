/** Multiples of a period, and repetitions far slower than the rest. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slowRepetitions } from '../../src/statistics/outliers.js';
import { clustering, nearMultiples, shareNearMultiples } from '../../src/statistics/periodicity.js';
import { findQuantum } from '../../src/statistics/validity/quantised.js';
import { durations, normalFrom, randomFrom, SEEDED, series } from './support.js';

describe('clustering at multiples of a period', () => {
  const random = randomFrom(12);
  const normal = normalFrom(random);

  it('of uniform phases is what chance gives', () => {
    let rejected = 0;
    for (let trial = 0; trial < 1000; trial++) {
      const found = clustering(
        series(50, () => 1 + 9 * random()),
        1,
      );
      if (found.rayleighP < 0.05) rejected++;
    }
    expect(rejected / 1000).toBeGreaterThan(0.03);
    expect(rejected / 1000).toBeLessThan(0.07);
    const many = clustering(
      series(50_000, () => 1 + 9 * random()),
      1,
    );
    expect(many.share).toBeCloseTo(many.byChance, 2);
    expect(
      shareNearMultiples(
        series(100, (i) => i / 20),
        0.5,
      ),
    ).toBe(0.09);
    expect(Math.abs(many.u)).toBeLessThan(4);
  });

  it('asks whether the share is at least so large without counting all of it', () => {
    fc.assert(
      fc.property(durations(), fc.double({ min: 1e-3, max: 1, noNaN: true }), (times, share) => {
        for (const period of [0.001, 0.1, 7])
          expect(nearMultiples(times, period, share)).toBe(shareNearMultiples(times, period) >= share);
      }),
      SEEDED,
    );
    expect(nearMultiples([], 1, 0.5)).toBe(false);
  });

  it('of exact multiples is complete', () => {
    const found = clustering(
      series(30, (i) => 0.1 * (1 + (i % 3))),
      0.1,
    );
    expect(found).toMatchObject({ share: 1, multiples: 3, rest: { n: 20, share: 1, multiples: 2 } });
    expect(found.resultant).toBeCloseTo(1, 9);
    expect(found.rayleighP).toBeLessThan(1e-10);
  });

  it('counts a multiple from three values near it on, and no value near 0 as one', () => {
    const { rest, multiples, share, byChance } = clustering([1, 1, 1, 1, 2, 2, 2, 3, 3, 0.01], 1);
    expect([share, byChance, multiples]).toEqual([0.9, 0.12, 2]);
    expect(rest).toMatchObject({ n: 6, share: 5 / 6, multiples: 1 });
    // Cosines over their standard deviation, sqrt(n / 2).
    expect(rest.u).toBeCloseTo((5 + Math.cos(0.02 * Math.PI)) * Math.sqrt(2 / 6), 12);
    expect(nearMultiples([0.01, 0.02], 1, 0.5)).toBe(false);
  });

  it('takes for near what is within 6 % of a period', () => {
    expect(shareNearMultiples([3.059, 2.941, 3.061, 2.939], 1)).toBe(0.5);
    expect(clustering([3.059, 2.941, 3.061, 2.939], 1).share).toBe(0.5);
  });

  it('midway between multiples is clustered by Rayleigh, and not about zero', () => {
    const found = clustering(
      series(30, (i) => 0.1 * (0.5 + (i % 3))),
      0.1,
    );
    expect(found.rayleighP).toBeLessThan(1e-10);
    expect(found.u).toBeLessThan(-7);
    expect(found.share).toBe(0);
  });

  it('is found in times that a quota rounded up to its period, outliers beside them', () => {
    const throttled = series(500, (i) =>
      i % 40 === 0 ? 0.1 + 0.5 * random() : 0.1 * Math.ceil(3 - Math.log(random()) / 2) + 0.001 * normal(),
    );
    expect(findQuantum(throttled)?.period).toBe(0.1);
  });

  it('needs one more multiple only where the period is known to be the group’s quota', () => {
    const two = series(200, (i) => 0.05 * (i % 4 === 0 ? 5 : 3) + 0.0005 * normal());
    expect(findQuantum(two, 0.05)?.period).toBe(0.05);
  });

  it('is not found in a narrow distribution that lies on a multiple of a tick', () => {
    expect(findQuantum(series(2000, () => 4e-3 + 2e-5 * normal()))).toBeNull();
    expect(findQuantum(series(2000, () => 0.1 + 1e-4 * normal()))).toBeNull();
  });

  it('is not found in such a distribution with outliers of any phase', () => {
    const tailed = series(10_000, () => 4e-3 + 2e-5 * normal() + (random() < 0.05 ? 0.05 * random() : 0));
    expect(findQuantum(tailed)).toBeNull();
  });

  it('is not found where only a little of the tail leans to the ticks', () => {
    const phase = (): number => {
      const drawn = random();
      return random() < (1 + 0.4 * Math.cos(2 * Math.PI * drawn)) / 1.4 ? drawn : phase();
    };
    const times = series(20_000, (i) =>
      i % 8 === 0 ? 1e-3 * (5 + Math.floor(20 * random()) + phase()) : 4e-3 + 2e-5 * normal(),
    );
    const found = clustering(times, 1e-3);
    expect(found.share).toBeGreaterThan(0.8);
    expect(found.rest.u).toBeGreaterThan(4);
    expect(findQuantum(times)).toBeNull();
  });

  it('is not found in normal and lognormal times, wherever they lie and however wide they are', () => {
    const shape = fc.record({
      seed: fc.integer({ min: 1, max: 1e9 }),
      centre: fc.oneof(
        fc.constantFrom(1e-3, 2e-3, 4e-3, 8e-3, 0.01, 0.02, 0.1, 0.3),
        fc.double({ min: 1e-4, max: 1, noNaN: true }),
      ),
      spread: fc.constantFrom(1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 1),
      n: fc.constantFrom(20, 50, 200, 1000),
    });
    fc.assert(
      fc.property(shape, fc.boolean(), ({ seed, centre, spread, n }, log) => {
        const draw = normalFrom(randomFrom(seed));
        const times = series(n, () =>
          log ? centre * Math.exp(spread * draw()) : Math.abs(centre * (1 + spread * draw())),
        );
        expect(findQuantum(times)).toBeNull();
      }),
      { ...SEEDED, numRuns: 3000 },
    );
  });

  it('is seldom found in two narrow modes at random places, for chance puts both on multiples', () => {
    let found = 0;
    for (let trial = 0; trial < 2000; trial++) {
      const [a, b] = [1e-3 + 0.05 * random(), 1e-3 + 0.05 * random()];
      if (findQuantum(series(200, (i) => (i % 5 === 0 ? b : a) * (1 + 1e-4 * normal()))) !== null) found++;
    }
    expect(found / 2000).toBeLessThan(0.005);
  });
});

describe('slow repetitions', () => {
  it('are named by their place, and the worst by its ratio', () => {
    const normal = normalFrom(randomFrom(13));
    const samples = series(1000, (i) => (i === 7 ? 3 : i === 500 ? 9 : 1) * (1 + 0.01 * normal()));
    const slow = slowRepetitions(samples);
    expect(slow?.indices).toEqual([7, 500]);
    expect(slow?.worstIndex).toBe(500);
    expect(slow?.worstRatio).toBeCloseTo(9, 0);
  });

  it('are none where all vary as much', () => {
    const normal = normalFrom(randomFrom(14));
    expect(slowRepetitions(series(10_000, () => Math.exp(0.3 * normal())))).toBeNull();
  });

  it('are none within half of the median above it, however little the others vary', () => {
    expect(slowRepetitions([1, 1, 1, 1, 1, 1.5])).toBeNull();
    expect(slowRepetitions([1, 1, 1, 1, 1, 1.51])?.indices).toEqual([5]);
  });

  it('are the same when the unit changes, and stay in the series', () => {
    fc.assert(
      fc.property(durations(3), (values) => {
        const before = [...values];
        const scaled = slowRepetitions(values.map((value) => value * 1024));
        expect(scaled?.indices).toEqual(slowRepetitions(values)?.indices);
        expect(values).toEqual(before);
      }),
      SEEDED,
    );
  });
});

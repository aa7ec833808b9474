import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareLaunches, verdictOf } from '../../src/statistics/compare.js';
import { LEAST_ROUNDS, pairedShift } from '../../src/statistics/paired-shift.js';
import { signedRankAtMost, walshAverages, walshRank } from '../../src/statistics/signed-ranks.js';
import { normalFrom, randomFrom, SEEDED } from './support.js';

const ROUNDS = { rounds: true, looked: false } as const;

describe('the distribution of signed ranks', () => {
  it('has the published critical values', () => {
    // Two-sided 5 % (Wilcoxon's table): 8 for 10 differences, 13 for 12, 52 for 20, 137 for 30.
    for (const [n, critical] of [
      [10, 8],
      [12, 13],
      [20, 52],
      [30, 137],
    ] as const) {
      expect(2 * signedRankAtMost(critical, n)).toBeLessThanOrEqual(0.05);
      expect(2 * signedRankAtMost(critical + 1, n)).toBeGreaterThan(0.05);
      expect(walshRank(n, 0.95)).toBe(critical + 1);
    }
    expect(signedRankAtMost(0, 10)).toBeCloseTo(1 / 1024, 12);
    expect(walshRank(5, 0.95)).toBeNull();
    expect(() => signedRankAtMost(0, 0)).toThrow(/no differences/);
  });

  it('leaves to the other side what it does not have, where it is the normal one too', () => {
    expect(signedRankAtMost(500, 51) + signedRankAtMost((51 * 52) / 2 - 501, 51)).toBeCloseTo(1, 9);
  });

  it('goes over into the normal one without a step', () => {
    expect(Math.abs(signedRankAtMost(450, 50) - signedRankAtMost(450 + 25, 51))).toBeLessThan(0.005);
  });

  it('has the mean of every two values once, each with itself', () => {
    expect([...walshAverages([1, 2, 4])]).toEqual([1, 1.5, 2, 2.5, 3, 4]);
  });
});

describe('a comparison by rounds', () => {
  const rounds = fc.integer({ min: LEAST_ROUNDS, max: 25 }).chain((n) => {
    const side = fc.array(fc.double({ min: 1e-3, max: 10, noNaN: true }), { minLength: n, maxLength: n });
    return fc.tuple(side, side);
  });

  it('has the ratio and the interval turned over when the two change places', () => {
    fc.assert(
      fc.property(rounds, ([a, b]) => {
        const there = compareLaunches(a, b, 0.02, ROUNDS);
        const back = compareLaunches(b, a, 0.02, ROUNDS);
        expect(there.ratio * back.ratio).toBeCloseTo(1, 9);
        expect(there.p).toBeCloseTo(back.p, 9);
        expect(there.interval?.low ?? 1).toBeCloseTo(1 / (back.interval?.high ?? 1), 9);
      }),
      SEEDED,
    );
  });

  it('does not see what changes from round to round for both', () => {
    fc.assert(
      fc.property(rounds, fc.double({ min: -3, max: 3, noNaN: true }), ([a, b], slope) => {
        const drifting = (values: readonly number[]) =>
          values.map((value, round) => value * Math.exp((slope * round) / values.length));
        const [still, moved] = [pairedShift(a, b), pairedShift(drifting(a), drifting(b))];
        expect(moved.estimate).toBeCloseTo(still.estimate, 9);
        expect(moved.interval?.(0.95).low ?? 0).toBeCloseTo(still.interval?.(0.95).low ?? 0, 9);
      }),
      SEEDED,
    );
  });

  it('tells 3 % through a drift of 10 % in which heaps of launches cannot', () => {
    const normal = normalFrom(randomFrom(3));
    const drift = (round: number) => Math.exp((0.1 * round) / 12);
    const side = (centre: number) =>
      Array.from({ length: 12 }, (_, round) => centre * drift(round) * Math.exp(0.005 * normal()));
    const [a, b] = [side(1), side(1.03)];
    const [paired, heaps] = [compareLaunches(a, b, 0.02, ROUNDS), compareLaunches(a, b, 0.02)];
    expect(verdictOf(paired, paired.p, 0.02)).toBe('slower');
    expect(verdictOf(heaps, heaps.p, 0.02)).toBe('cannot tell');
    expect(paired.launchesToSettle ?? 0).toBeLessThan(heaps.launchesToSettle ?? 0);
  });

  it('holds the ratio in 93 to 97 of 100', () => {
    const normal = normalFrom(randomFrom(11));
    for (const n of [10, 14, 30]) {
      let covered = 0;
      const trials = 600;
      for (let i = 0; i < trials; i++) {
        const draw = (centre: number) => Array.from({ length: n }, () => centre * Math.exp(0.02 * normal()));
        const { interval } = compareLaunches(draw(1), draw(1.1), 0.02, ROUNDS);
        if (interval !== null && interval.low <= 1 / 1.1 && 1 / 1.1 <= interval.high) covered++;
      }
      expect(covered / trials).toBeGreaterThan(0.925);
      expect(covered / trials).toBeLessThan(0.98);
    }
  });

  it('counts rounds without a difference on both sides', () => {
    const ten = Array.from({ length: 10 }, (_, i) => 1 + i / 100);
    expect(pairedShift(ten, [2, ...ten.slice(1)]).p).toBe(1);
  });

  it('plans by the spread of the ratios within rounds, and not by that of the launches', () => {
    const drifting = (centre: number) =>
      Array.from({ length: 12 }, (_, i) => centre * Math.exp(0.1 * i + 0.01 * (i % 3)));
    const still = (centre: number) => Array.from({ length: 12 }, (_, i) => centre * Math.exp(0.01 * (i % 3)));
    const plan = (a: readonly number[], b: readonly number[]) =>
      compareLaunches(a, b, 0.02, ROUNDS).launchesToSettle;
    const ratios = Array.from({ length: 12 }, (_, i) => Math.exp(0.05 * ((i * 5) % 12)));
    const times = (values: readonly number[]) => values.map((value, i) => value * (ratios[i] ?? 1));
    expect(plan(drifting(1), times(drifting(1.01)))).toBe(plan(still(1), times(still(1.01))));
  });

  it('takes fewer than ten rounds for two heaps, and refuses what are no rounds', () => {
    const few = [1, 1.01, 1.02, 1.03, 1.04, 1.05];
    expect(compareLaunches(few, few, 0.02, ROUNDS).method).toMatch(/Mann-Whitney/);
    const ten = Array.from({ length: 10 }, (_, i) => 1 + i / 100);
    expect(compareLaunches(ten, ten.toReversed(), 0.02, ROUNDS).method).toMatch(/within rounds/);
    expect(() => compareLaunches(ten, few, 0.02, ROUNDS)).toThrow(/10 and 6 launches are no/);
    expect(() => pairedShift(few, few)).toThrow(/no 10 rounds/);
  });

  it('tells nothing of rounds that do not differ at all', () => {
    const ten = Array.from({ length: 10 }, (_, i) => 1 + i / 128);
    const same = compareLaunches(ten, ten, 0.02, ROUNDS);
    expect([same.interval, same.p, verdictOf(same, same.p, 0.02)]).toEqual([null, 1, 'cannot tell']);
    // The launches of a side do differ: no clock is to blame.
    expect(same.method).toBe('none: rounds whose ratios are all equal do not tell how far they spread');
  });
});

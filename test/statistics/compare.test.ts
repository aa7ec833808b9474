import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareLaunches, leastLaunches, RISK, verdictOf } from '../../src/statistics/compare.js';
import { atMost, differenceRank } from '../../src/statistics/mann-whitney.js';
import { robustDeviation } from '../../src/statistics/scale.js';
import { shiftBetween } from '../../src/statistics/shift.js';
import { normalFrom, randomFrom, SEEDED } from './support.js';

const medians = fc.array(fc.double({ min: 1e-6, max: 10, noNaN: true }), { minLength: 1, maxLength: 15 });

/** Tight, so that few launches do not pass for the same by themselves. */
const MARGIN = 0.01;

/** Launch medians about `centre` seconds, their logarithms so far apart. */
function launches(normal: () => number, count: number, spread: number, centre = 1): number[] {
  return Array.from({ length: count }, () => centre * Math.exp(spread * normal()));
}

/** Share of trials in which a comparison of the two ends so. */
function shareOf(
  trials: number,
  seed: number,
  draw: (normal: () => number) => readonly [number[], number[]],
  holds: (comparison: ReturnType<typeof compareLaunches>) => boolean,
): number {
  const normal = normalFrom(randomFrom(seed));
  let count = 0;
  for (let i = 0; i < trials; i++) {
    const [reference, candidate] = draw(normal);
    if (holds(compareLaunches(reference, candidate, MARGIN))) count++;
  }
  return count / trials;
}

const verdict = (one: ReturnType<typeof compareLaunches>) => verdictOf(one, one.p, MARGIN);

describe('the distribution of U', () => {
  it('has the published critical values', () => {
    // Two-sided 5 %: 5 for 6 and 6, 37 for 12 and 12, 13 for 8 and 8 (Mann & Whitney's table).
    for (const [m, n, critical] of [
      [6, 6, 5],
      [8, 8, 13],
      [12, 12, 37],
      [6, 10, 11],
    ] as const) {
      expect(2 * atMost(critical, m, n)).toBeLessThanOrEqual(0.05);
      expect(2 * atMost(critical + 1, m, n)).toBeGreaterThan(0.05);
      expect(differenceRank(m, n, 0.95)).toBe(critical + 1);
    }
    expect(atMost(0, 6, 6)).toBeCloseTo(1 / 924, 12);
    expect(differenceRank(3, 3, 0.95)).toBeNull();
  });

  it('is what counting all orders gives, also of many values beside few', () => {
    // Where three of 23 come: the sum of their ranks less that of the first three is U.
    const sums: number[] = [];
    for (let a = 0; a < 23; a++)
      for (let b = a + 1; b < 23; b++) for (let c = b + 1; c < 23; c++) sums.push(a + b + c - 3);
    for (const u of [0, 4, 10, 30, 59])
      expect(atMost(u, 3, 20)).toBeCloseTo(sums.filter((sum) => sum <= u).length / sums.length, 12);
  });

  it('leaves to the other side what it does not have, where it is the normal one too', () => {
    expect(atMost(300, 26, 26) + atMost(26 * 26 - 301, 26, 26)).toBeCloseTo(1, 9);
  });

  it('goes over into the normal one without a step', () => {
    const counted = atMost(230, 25, 25);
    const normal = atMost(230 + 25 / 2, 25, 26);
    expect(Math.abs(counted - normal)).toBeLessThan(0.01);
  });
});

describe('a comparison', () => {
  it('has the ratio and the interval turned over when the two change places', () => {
    fc.assert(
      fc.property(medians, medians, (a, b) => {
        const [one, other] = [compareLaunches(a, b), compareLaunches(b, a)];
        expect(one.ratio * other.ratio).toBeCloseTo(1, 9);
        expect(one.p).toBeCloseTo(other.p, 9);
        expect(one.interval === null).toBe(other.interval === null);
        if (one.interval === null || other.interval === null) return;
        expect(one.interval.low * other.interval.high).toBeCloseTo(1, 6);
        expect(one.interval.high * other.interval.low).toBeCloseTo(1, 6);
      }),
      SEEDED,
    );
  });

  it('does not depend on the unit', () => {
    fc.assert(
      fc.property(medians, medians, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (a, b, factor) => {
        const scaled = compareLaunches(
          a.map((value) => value * factor),
          b.map((value) => value * factor),
        );
        expect(scaled.ratio / compareLaunches(a, b).ratio).toBeCloseTo(1, 9);
      }),
      SEEDED,
    );
  });

  it('shifts with the candidate: of one that takes half of the time the ratio is twice as large', () => {
    const [a, b] = [
      [1, 1.01, 1.02, 1.03, 1.04, 1.05],
      [2, 2.1, 2.01, 2.05, 2.2, 1.99],
    ];
    const half = b.map((value) => value / 2);
    expect(compareLaunches(a, half).ratio).toBeCloseTo(2 * compareLaunches(a, b).ratio, 12);
  });

  it('has an interval that excludes 1 exactly where its test finds a difference', () => {
    fc.assert(
      fc.property(medians, medians, (a, b) => {
        const { interval, p } = compareLaunches(a, b);
        if (interval === null) return;
        // On the edge itself rounding decides.
        if (Math.abs(p - RISK) < 1e-9 || Math.abs(Math.log(interval.low)) < 1e-12) return;
        expect(interval.low > 1 || interval.high < 1).toBe(p <= RISK);
      }),
      SEEDED,
    );
  });

  it('agrees with Welch’s test as R computes it', () => {
    // t.test(c(1, 1.2, 1.1), c(1.5, 1.4, 1.6, 1.45)) on logarithms: df 3.19, taken as 3.
    const [a, b] = [[1, 1.2, 1.1].map(Math.exp), [1.5, 1.4, 1.6, 1.45].map(Math.exp)];
    const { estimate, interval, method } = shiftBetween(a, b);
    expect(estimate).toBeCloseTo(0.3875, 12);
    const reach = 3.1824 * Math.sqrt(0.01 / 3 + 0.00729166667 / 4);
    expect(interval?.(0.95).low).toBeCloseTo(0.3875 - reach, 4);
    expect(method).toMatch(/Welch/);
  });

  it('rests on ranks from six launches of both on, on Welch’s t from two, and on nothing with one', () => {
    const of = (count: number) => Array.from({ length: count }, (_, i) => 1 + i / 100);
    const methodOf = (m: number, n: number) => shiftBetween(of(m), of(n)).method;
    expect(methodOf(6, 6)).toMatch(/Mann-Whitney/);
    for (const [m, n] of [
      [5, 6],
      [6, 5],
      [5, 5],
      [2, 9],
    ] as const)
      expect(methodOf(m, n)).toMatch(/^Welch/);
    expect(methodOf(1, 9)).toBe('none: one launch says nothing of the next');
    expect(shiftBetween([1, 1, 1, 1, 1, 1], of(6)).interval).not.toBeNull();
    expect(shiftBetween(of(6), [1, 1, 1, 1, 1, 1]).interval).not.toBeNull();
  });

  it('adds Welch’s interval where the batch with fewer launches spreads half as much again, and is as unsure', () => {
    const even = (count: number, spread: number) =>
      Array.from({ length: count }, (_, i) => Math.exp(spread * ((2 * i) / (count - 1) - 1)));
    const deviation = (values: readonly number[]) => robustDeviation(values.map(Math.log));
    const many = even(12, 0.01);
    const few = (times: number) => even(6, (0.01 * times * deviation(many)) / deviation(even(6, 0.01)));
    expect(shiftBetween(many, few(1.45)).method).not.toMatch(/Welch/);
    const { interval, p, method } = shiftBetween(many, few(1.55));
    expect(method).toMatch(/and Welch's, because the batch with fewer launches spreads more$/);
    expect(p).toBeCloseTo(1, 9);
    // All six lie above all twelve, of which ranks alone would be as sure as they can be: at 2 in 18,564.
    const above = even(6, 0.5).map((value) => value * Math.exp(0.7));
    expect(shiftBetween(many, above).p).toBeGreaterThan(0.001);
    const { low, high } = interval?.(0.95) ?? { low: 0, high: 0 };
    expect(low).toBeLessThan(0);
    expect(high).toBeCloseTo(-low, 9);
  });

  it('keeps a fifth of its risk for the look that ends it, where its number was decided by looking', () => {
    const side = (from: number, step: number) => Array.from({ length: 12 }, (_, i) => from + step * i ** 1.5);
    const [a, b] = [side(1, 0.003), side(1.02, 0.002)];
    const shift = shiftBetween(a, b);
    const ends = (level: number) => {
      const { low, high } = shift.interval?.(level) ?? { low: 0, high: 0 };
      return { low: Math.exp(-high), high: Math.exp(-low) };
    };
    const [fixed, looked] = [false, true].map((one) =>
      compareLaunches(a, b, MARGIN, { rounds: false, looked: one }),
    );
    expect(fixed).toMatchObject({ interval: ends(0.95), equivalence: ends(0.9), p: shift.p });
    expect(looked).toMatchObject({ interval: ends(0.99), equivalence: ends(0.98) });
    expect(looked?.p).toBeCloseTo(Math.min(1, 5 * shift.p), 12);
    expect(ends(0.99).low).toBeLessThan(ends(0.98).low);
    expect(ends(0.98).low).toBeLessThan(ends(0.95).low);
    expect(ends(0.95).low).toBeLessThan(ends(0.9).low);
  });

  it('is a verdict by its limits themselves: the margin and its inverse are still the same, 5 % still tell', () => {
    const of = (low: number, high: number) => ({ ratio: 1, equivalence: { low, high } });
    expect(verdictOf(of(1 / 1.02, 1.02), 1, 0.02)).toBe('same');
    expect(verdictOf(of(1 / 1.02 - 1e-6, 1.02), 1, 0.02)).toBe('cannot tell');
    expect(verdictOf(of(1 / 1.02, 1.02 + 1e-6), 1, 0.02)).toBe('cannot tell');
    const apart = { equivalence: { low: 0.5, high: 2 } };
    expect(verdictOf({ ratio: 1.1, ...apart }, RISK)).toBe('faster');
    expect(verdictOf({ ratio: 0.9, ...apart }, RISK)).toBe('slower');
    expect(verdictOf({ ratio: 1.1, ...apart }, RISK + 1e-9)).toBe('cannot tell');
    expect(verdictOf({ ratio: 1, ...apart }, 0)).toBe('cannot tell');
  });

  it.each([
    // pi / 3 x 0.02 x (reaches / distance)²; the reaches are 1.9600 + 1.2816, or of the margin 1.6449 + 1.2816 or twice 1.6449.
    [0.03, 245, ((1.959964 + 1.281552) / 0.03) ** 2],
    [0.012, 1529, ((1.959964 + 1.281552) / 0.012) ** 2],
    [0.008, 1288, ((1.644854 + 1.281552) / (Math.log(1.02) - 0.008)) ** 2],
    [0.004, 908, ((1.644854 + 1.644854) / (Math.log(1.02) - 0.004)) ** 2],
    [0, 578, ((1.644854 + 1.644854) / Math.log(1.02)) ** 2],
  ])('of launches that spread by 0.1 and lie %d apart settles with %i', (distance, launches, squared) => {
    // Logarithms with a variance of 0.01 on either side.
    const reference = [-0.1, 0, 0.1].map(Math.exp);
    const candidate = reference.map((value) => value * Math.exp(distance));
    expect(Math.ceil((Math.PI / 3) * 0.02 * squared)).toBe(launches);
    expect(compareLaunches(reference, candidate, 0.02).launchesToSettle).toBe(launches);
  });

  it.each([
    1, 2, 23, 24, 40, 400, 2000,
  ])('among %i counts on launches that could tell a difference', (comparisons) => {
    // Far apart, so that nothing but the least p decides: from ten on launches of one campaign are rounds.
    const few = leastLaunches(comparisons);
    const sides = (count: number) => [
      Array.from({ length: count }, (_, i) => 1 + i / 1000),
      Array.from({ length: count }, (_, i) => 2 + i / 999),
    ];
    const pOf = (count: number) => {
      const [a = [], b = []] = sides(count);
      return compareLaunches(a, b, MARGIN, { rounds: count >= 10, looked: false }).p * comparisons;
    };
    expect(pOf(few)).toBeLessThanOrEqual(RISK);
    if (few > 6) expect(pOf(few - 1)).toBeGreaterThan(RISK);
    const [a = [], b = []] = sides(6);
    const design = { rounds: false, looked: false, comparisons };
    expect(compareLaunches(a, b, MARGIN, design).launchesToSettle).toBe(few);
  });

  it('counts on more launches for a difference among many, and on as many for none', () => {
    const reference = [-0.1, 0, 0.1].map(Math.exp);
    const toSettle = (distance: number, comparisons: number) =>
      compareLaunches(
        reference,
        reference.map((value) => value * Math.exp(distance)),
        0.02,
        { rounds: false, looked: false, comparisons },
      ).launchesToSettle;
    // Two-sided 5 % of 40 is 0.125 %: 3.2272, and the power's 1.2816.
    expect(toSettle(0.03, 40)).toBe(Math.ceil((Math.PI / 3) * 0.02 * ((3.227218 + 1.281552) / 0.03) ** 2));
    expect(toSettle(0.004, 40)).toBe(toSettle(0.004, 1));
    expect(toSettle(0, 40)).toBe(toSettle(0, 1));
  });

  it('asks for more launches than those which cannot tell, however close they seem to lie', () => {
    const normal = normalFrom(randomFrom(61));
    let untold = 0;
    for (let trial = 0; trial < 400; trial++) {
      const count = 6 + (trial % 7);
      const [a, b] = [launches(normal, count, 0.02), launches(normal, count, 0.02, 1 + (trial % 4) / 100)];
      const found = compareLaunches(a, b, 0.02, { rounds: count >= 10, looked: trial % 2 === 0 });
      if (verdictOf(found, found.p, 0.02) !== 'cannot tell') continue;
      untold++;
      expect(found.launchesToSettle).toBeGreaterThan(count);
    }
    expect(untold).toBeGreaterThan(200);
  });

  it('follows the width of its interval where launches spread further than most of them do', () => {
    // Each side has two heaps, so that a quarter of the distances are next to nothing.
    const heaps = (from: number) => [0, 1e-9, 2e-9, 0.05, 0.05 + 1e-9, 0.05 + 2e-9].map((at) => from + at);
    const found = compareLaunches(heaps(1), heaps(1.01), 0.02);
    const reach = Math.max(
      Math.log(found.ratio / (found.interval?.low ?? 1)),
      Math.log((found.interval?.high ?? 1) / found.ratio),
    );
    const variance = (6 * (reach / 1.959964) ** 2) / (Math.PI / 3);
    // One side is 1 % faster, half of the margin: this is excluded sooner than the difference is found.
    const distance = Math.abs(Math.log(found.ratio));
    expect(distance).toBeCloseTo(Math.log(1.01), 3);
    const asked = (Math.PI / 3) * variance * ((1.644854 + 1.281552) / (Math.log(1.02) - distance)) ** 2;
    expect(found.launchesToSettle).toBe(Math.ceil(asked));
    expect(asked).toBeGreaterThan(100);
  });

  it('knows no number of launches that all tie, and takes one that does not for what it is', () => {
    const rounds = { rounds: true, looked: true } as const;
    const tied = Array(10).fill(1e-6);
    expect(compareLaunches(tied, tied, 0.02, rounds)).toMatchObject({
      interval: null,
      launchesToSettle: null,
    });
    expect(compareLaunches([1], [2]).launchesToSettle).toBeNull();
    const outlier = [...tied.slice(1), 1.2e-6];
    const found = compareLaunches(tied, outlier, 0.02, rounds);
    expect(verdictOf(found, found.p, 0.02)).toBe('cannot tell');
    // The variance of its logarithms is (ln 1.2)² / 10, of which 2 % in 9 of 10 at a risk of 1 % take twice 2.3263.
    const asked = (Math.PI / 3) * (Math.log(1.2) ** 2 / 10) * ((2 * 2.326348) / Math.log(1.02)) ** 2;
    expect(found.launchesToSettle).toBeGreaterThan(0.7 * asked);
    expect(found.launchesToSettle).toBeLessThan(1.3 * asked);
  });

  it.each([
    [2, 4],
    [2, 12],
    [2, 30],
    [3, 12],
    [3, 30],
    [4, 30],
    [12, 2],
  ])('of %i launches beside %i holds the ratio in 94 of 100 and more', (m, n) => {
    // With Welch's degrees of freedom 90 of 100 for 2 beside 12, and 93 for 3 beside 30.
    const covered = shareOf(
      4000,
      100 * m + n,
      (normal) => [launches(normal, m, 0.01), launches(normal, n, 0.01)],
      ({ interval }) => interval !== null && interval.low <= 1 && 1 <= interval.high,
    );
    expect(covered).toBeGreaterThan(0.945);
  });

  it('takes Welch’s degrees of freedom where the sides are alike in number, though few', () => {
    const of = (count: number) => Array.from({ length: count }, (_, i) => 1 + i / 100);
    const methodOf = (m: number, n: number) => shiftBetween(of(m), of(n)).method;
    for (const [m, n] of [
      [3, 3],
      [3, 5],
      [4, 7],
      [5, 30],
    ] as const)
      expect(methodOf(m, n)).not.toMatch(/of the fewer alone/);
    for (const [m, n] of [
      [2, 4],
      [6, 3],
      [4, 8],
    ] as const)
      expect(methodOf(m, n)).toMatch(/^Welch.*with the degrees of freedom of the fewer alone$/);
  });

  it('says nothing of launches without any spread, however many: a coarse clock is no certainty', () => {
    for (const count of [2, 5, 6, 40]) {
      const [same, slower] = [Array(count).fill(1e-6), Array(count).fill(1.01e-6)];
      for (const other of [same, slower]) {
        const { interval, p, method } = shiftBetween(same, other);
        expect([interval, p]).toEqual([null, 1]);
        expect(method).toMatch(/without any spread, as where they tie at/);
      }
    }
  });

  describe('of launches of which all but one tie at the step of the clock', () => {
    const tied = (count: number, seconds = 1e-5): number[] => Array(count).fill(seconds);
    const butOne = (count: number, seconds: number, next: number): number[] => [
      ...tied(count - 1, seconds),
      next,
    ];
    const LOOKED = { rounds: true, looked: true } as const;
    const FIXED = { rounds: false, looked: false } as const;

    it.each([
      ['no step apart, 6 of each', tied(6), butOne(6, 1e-5, 1.05e-5), FIXED],
      ['no step apart, 12 of each', tied(12), butOne(12, 1e-5, 1.05e-5), FIXED],
      ['a step apart', tied(12), butOne(12, 1.05e-5, 1.1e-5), FIXED],
      ['no step apart, in rounds', tied(20), butOne(20, 1e-5, 1.05e-5), { rounds: true, looked: false }],
      ['a step apart, in rounds that were looked at', tied(20), butOne(20, 1.05e-5, 1.1e-5), LOOKED],
    ] as const)('cannot tell: %s', (_, reference, candidate, design) => {
      const found = compareLaunches(reference, candidate, 0.02, design);
      expect(found).toMatchObject({ interval: null, equivalence: null, p: 1, launchesToSettle: null });
      expect(verdictOf(found, found.p, 0.02)).toBe('cannot tell');
      expect(found.method).toMatch(/^none: .* tie at the step of the clock, do not tell how far they spread/);
    });

    it('has still the ratio that they seem to have', () => {
      expect(compareLaunches(tied(12), butOne(12, 1.05e-5, 1.1e-5)).ratio).toBeCloseTo(1 / 1.05, 12);
    });

    it('tells where as many are on either step that the interval spans it', () => {
      const halves = [...tied(6), ...tied(6, 1.05e-5)];
      const { interval } = compareLaunches(tied(12), halves);
      expect(interval?.low).toBeCloseTo(1 / 1.05, 12);
      expect(interval?.high).toBe(1);
    });
  });

  it('calls no difference between launches of the same in 95 of 100, however many launches', () => {
    for (const count of [3, 6, 12]) {
      const wrong = shareOf(
        600,
        count,
        (normal) => [launches(normal, count, 0.0075), launches(normal, count, 0.0075)],
        (one) => ['faster', 'slower'].includes(verdict(one)),
      );
      expect(wrong).toBeLessThanOrEqual(0.05);
    }
  });

  it('finds 3 % in 90 of 100 with 12 launches, at the spreads that launches have', () => {
    for (const spread of [0.005, 0.01]) {
      const found = shareOf(
        300,
        31,
        (normal) => [launches(normal, 12, spread), launches(normal, 12, spread, 1.03)],
        (one) => verdict(one) === 'slower',
      );
      expect(found).toBeGreaterThanOrEqual(0.9);
    }
  });

  it('calls launches of the same the same in 95 of 100 where 12 of them spread by 0.5 %', () => {
    const same = shareOf(
      400,
      17,
      (normal) => [launches(normal, 12, 0.005), launches(normal, 12, 0.005)],
      (one) => verdict(one) === 'same',
    );
    expect(same).toBeGreaterThanOrEqual(0.95);
  });

  it('calls what differs by the margin itself the same in no more than 5 of 100', () => {
    const same = shareOf(
      800,
      5,
      (normal) => [launches(normal, 12, 0.0075), launches(normal, 12, 0.0075, 1.01)],
      (one) => verdict(one) === 'same',
    );
    expect(same).toBeLessThanOrEqual(0.06);
  });

  it('has intervals that hold the ratio in 93 to 97 of 100, also of spreads and numbers that are unlike', () => {
    for (const [m, n, spreadA, spreadB] of [
      [6, 6, 0.01, 0.01],
      [12, 12, 0.005, 0.02],
      [20, 8, 0.005, 0.02],
    ] as const) {
      const covered = shareOf(
        800,
        m,
        (normal) => [launches(normal, m, spreadA), launches(normal, n, spreadB, 1.1)],
        ({ interval }) => interval !== null && interval.low <= 1 / 1.1 && 1 / 1.1 <= interval.high,
      );
      expect(covered).toBeGreaterThan(0.92);
      expect(covered).toBeLessThan(0.98);
    }
  });

  it('settles in 85 of 100 and more with as many launches as it says', () => {
    /** Symmetric about their centre, with the spread that is asked for. */
    const even = (spread: number, centre: number) =>
      Array.from({ length: 40 }, (_, i) => centre * Math.exp(spread * 1.71 * ((i - 19.5) / 19.5)));
    for (const [distance, spread] of [
      [1, 0.01],
      [1.004, 0.01],
      [1.02, 0.02],
    ] as const) {
      const count = compareLaunches(even(spread, 1), even(spread, distance), MARGIN).launchesToSettle ?? 0;
      const settled = shareOf(
        400,
        count,
        (normal) => [launches(normal, count, spread), launches(normal, count, spread, distance)],
        (one) => verdict(one) !== 'cannot tell',
      );
      expect(settled).toBeGreaterThan(0.83);
      expect(count).toBeLessThan(120);
    }
  });

  it('cannot tell with one launch, nor where launches have no spread at all', () => {
    for (const [a, b] of [
      [[1], [2]],
      [
        [1, 1],
        [2, 2],
      ],
    ] as const) {
      const one = compareLaunches(a, b);
      expect([one.interval, verdict(one)]).toEqual([null, 'cannot tell']);
      expect(one.method).toMatch(/^none: /);
    }
  });

  it('refuses launches without time and a margin that is none', () => {
    expect(() => compareLaunches([], [1])).toThrow(/without launches/);
    expect(() => compareLaunches([1, 0], [1])).toThrow(/not above 0/);
    expect(() => compareLaunches([1], [1], 0)).toThrow(/margin/);
    expect(() => compareLaunches([1], [1], 1)).toThrow(/margin/);
  });
});

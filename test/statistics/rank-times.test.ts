import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialTail } from '../../src/statistics/binomial.js';
import {
  lastOf,
  mergeRanks,
  type RankTimes,
  stragglerOf,
  summariseRanks,
} from '../../src/statistics/rank-times.js';
import { normalFrom, randomFrom, series } from './support.js';

/** Entry and elapsed time of each rank, one row a repetition. */
function timesOf(rows: readonly (readonly (readonly [entry: number, elapsed: number])[])[]): RankTimes {
  const flat = rows.flat();
  return {
    count: rows[0]?.length ?? 0,
    entries: Float64Array.from(flat, ([entry]) => entry),
    exits: Float64Array.from(flat, ([entry, elapsed]) => entry + elapsed),
  };
}

describe('the times of ranks', () => {
  it('tell how far ranks came and left apart, and which was longest in its call and last', () => {
    const summary = summariseRanks(
      timesOf([
        [
          [0, 4],
          [1, 2],
        ],
        [
          [10, 5],
          [12, 2],
        ],
        [
          [21, 1],
          [20, 3],
        ],
      ]),
      1,
    );
    expect(summary?.repetitions).toBe(3);
    expect(summary?.skewIn).toEqual({ p50: 1, p99: expect.closeTo(1.98), max: 2 });
    expect(summary?.skewOut).toEqual({ p50: 1, p99: expect.closeTo(1), max: 1 });
    expect(summary?.ranks.map(({ median, total }) => [median, total])).toEqual([
      [4, 10],
      [2, 7],
    ]);
    expect(summary?.ranks.map(({ slowest }) => slowest)).toEqual([2 / 3, 1 / 3]);
    expect(summary?.ranks.map(({ last }) => last)).toEqual([1 / 3, 2 / 3]);
  });

  it('are of one call where several run into each other in a repetition', () => {
    const summary = summariseRanks(timesOf([[[0, 4]], [[10, 8]], [[20, 6]]]), 2);
    expect(summary?.ranks.map(({ median, total }) => [median, total])).toEqual([[3, 18]]);
    expect([summary?.repetitions, summary?.calls]).toEqual([3, 6]);
  });

  it('share a repetition in which several were longest in their calls, or came last, equally', () => {
    const alike: [number, number][] = [
      [0, 2],
      [0, 2],
      [0, 1],
    ];
    const summary = summariseRanks(timesOf([alike, alike]), 1);
    expect(summary?.ranks.map(({ slowest }) => slowest)).toEqual([1 / 2, 1 / 2, 0]);
    for (const { last } of summary?.ranks ?? []) expect(last).toBeCloseTo(1 / 3, 12);
  });

  it('are nothing without repetitions', () => {
    expect(
      summariseRanks({ count: 2, entries: new Float64Array(), exits: new Float64Array() }, 1),
    ).toBeNull();
    expect(mergeRanks([])).toBeNull();
  });

  it('do not depend on the order of ranks, but for their names', () => {
    const cell = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
    );
    const row = fc.array(cell, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const forward = summariseRanks(timesOf(rows), 1);
        const backward = summariseRanks(timesOf(rows.map((ranks) => ranks.toReversed())), 1);
        expect(backward?.skewIn).toEqual(forward?.skewIn);
        expect(backward?.skewOut).toEqual(forward?.skewOut);
        const medians = (summary: typeof forward) => summary?.ranks.map(({ median }) => median);
        expect(medians(backward)).toEqual(medians(forward)?.toReversed());
        const shares = forward?.ranks.reduce((sum, { slowest }) => sum + slowest, 0);
        expect(shares).toBeCloseTo(1, 9);
      }),
    );
  });

  it('of several launches are one: what adds is added, what is typical is the median', () => {
    const one = summariseRanks(
      timesOf([
        [
          [0, 1],
          [0, 2],
        ],
      ]),
      1,
    );
    const two = summariseRanks(
      timesOf([
        [
          [0, 3],
          [0, 2],
        ],
        [
          [0, 3],
          [0, 2],
        ],
      ]),
      1,
    );
    const merged = mergeRanks([one, two].flatMap((summary) => summary ?? []));
    expect(merged?.repetitions).toBe(3);
    expect(merged?.ranks.map(({ total }) => total)).toEqual([7, 6]);
    expect(merged?.ranks.map(({ slowest }) => slowest)).toEqual([2 / 3, 1 / 3]);
  });
});

describe('the rank that is named for coming last', () => {
  const random = randomFrom(41);
  const normal = normalFrom(random);

  /** Ranks that are as quick as each other, each with something of how late it was before; one comes later by `later`. */
  function launchOf(count: number, repetitions: number, rho = 0, later = 0) {
    const levels = series(count, normal);
    const entries = series(count * repetitions, (i) => {
      const rank = i % count;
      levels[rank] = rho * (levels[rank] ?? 0) + Math.sqrt(1 - rho * rho) * normal();
      return 100 + (levels[rank] ?? 0) + (rank === 0 ? later : 0);
    });
    const summary = summariseRanks({ count, entries, exits: entries.map((at) => at + 1) }, 1);
    return summary ?? { repetitions: 0, ranks: [] };
  }

  const named = (trials: number, draw: () => ReturnType<typeof launchOf>): number =>
    Array.from({ length: trials }, () => lastOf(draw())).filter((found) => found !== null).length / trials;

  const told = (repetitions: number, ...shares: number[]) => ({
    repetitions,
    ranks: shares.map((last) => ({
      median: 1,
      p99: 1,
      total: 1,
      slowest: 0,
      last,
      lastWorth: repetitions,
    })),
  });

  it('is one that comes last much oftener than chance has it', () => {
    expect(lastOf(told(50, 0.1, 0.8, 0.1))).toEqual({ rank: 1, share: 0.8 });
    expect(lastOf(told(50, 0.02, 0.98))).toEqual({ rank: 1, share: 0.98 });
  });

  it('is nobody where ranks take turns, and where there is one rank', () => {
    expect(lastOf(told(5000, 0.4, 0.3, 0.3))).toBeNull();
    expect(lastOf(told(5000, 0.6, 0.4))).toBeNull();
    expect(lastOf(told(50, 1))).toBeNull();
  });

  it('is nobody where repetitions are too few to tell', () => {
    expect(lastOf(told(5, 0, 0.8, 0.2))).toBeNull();
    expect(lastOf(told(3, 0, 1))).toBeNull();
  });

  it('is nobody of equal ranks on a clock so coarse that they often come at one time', () => {
    const own = normalFrom(randomFrom(43));
    const coarse = (count: number) => {
      const entries = series(count * 200, () => 100 + Math.round(own() / 2));
      return (
        summariseRanks({ count, entries, exits: entries.map((at) => at + 1) }, 1) ?? {
          repetitions: 0,
          ranks: [],
        }
      );
    };
    expect(named(100, () => coarse(4))).toBeLessThanOrEqual(0.02);
  });

  // By the share alone, one and a half times its turn, it would be in 59, 100, 56 and 97 of 100.
  it.each([
    [8, 50, 200],
    [16, 50, 100],
    [16, 200, 50],
    [32, 200, 50],
  ])('is named of %i equal ranks in %i repetitions in one case of 100', (count, repetitions, trials) => {
    expect(named(trials, () => launchOf(count, repetitions))).toBeLessThanOrEqual(0.02);
  });

  // Taken for independent, repetitions that have 0.6 of the one before would name one in 13 to 15 of 100.
  it.each([
    [8, 50],
    [8, 100],
    [16, 50],
  ])('is hardly named of %i equal ranks either where each of %i repetitions has something of the one before', (count, repetitions) => {
    expect(named(200, () => launchOf(count, repetitions, 0.6))).toBeLessThanOrEqual(0.04);
  });

  it('is found where a rank is a little later in all repetitions: last in a third of those of 8', () => {
    const share = launchOf(8, 10_000, 0, 0.85).ranks[0]?.last ?? 0;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.4);
    expect(named(100, () => launchOf(8, 50, 0, 0.85))).toBeGreaterThan(0.4);
    expect(named(50, () => launchOf(8, 200, 0, 0.85))).toBeGreaterThan(0.99);
    expect(named(50, () => launchOf(8, 200, 0.6, 0.85))).toBeGreaterThan(0.9);
  });

  it('rests on all launches: what each of them was worth is added', () => {
    const launches = [launchOf(4, 50, 0.6), launchOf(4, 100, 0.6)].map((ranks) => ({
      ...ranks,
      skewIn: { p50: 0, p99: 0, max: 0 },
      skewOut: { p50: 0, p99: 0, max: 0 },
    }));
    const [one, two] = launches.map(({ ranks }) => ranks[2]?.lastWorth ?? 0);
    expect(mergeRanks(launches)?.ranks[2]?.lastWorth).toBeCloseTo((one ?? 0) + (two ?? 0), 9);
  });

  it('of a record that does not tell what repetitions are worth is named where a quarter of them would do', () => {
    const untold = (repetitions: number) => {
      const { ranks } = told(repetitions, 0.1, 0.8, 0.1);
      return { repetitions, ranks: ranks.map(({ lastWorth: _, ...rest }) => rest) };
    };
    expect(lastOf(untold(100))).toEqual({ rank: 1, share: 0.8 });
    expect(lastOf(untold(20))).toBeNull();
    expect(lastOf(told(20, 0.1, 0.8, 0.1))).toEqual({ rank: 1, share: 0.8 });
  });
});

describe('a straggler', () => {
  /** Of ranks that come at one moment and meet in a barrier before they leave, one after the other: exits and what each did not wait. */
  function synchronising(ranks: number, slow: number, random: () => number) {
    const work = Array.from({ length: ranks }, (_, rank) => (rank === slow ? 2 : 1) * 1e-5);
    const rows = Array.from({ length: 100 }, () => {
      const own = work.map((seconds) => seconds * (1 + 0.02 * random()));
      const met = Math.max(...own);
      // Who came last knows first that all are there.
      return own.map((seconds): [number, number] => [0, met + (met - seconds > 0 ? 1e-7 : 5e-8)]);
    });
    return { summary: summariseRanks(timesOf(rows), 1), useful: work };
  }

  it.each([
    2, 4, 8,
  ])('of %i ranks that wait for each other is the one that works longest, and never one that waits for it', (ranks) => {
    const random = randomFrom(47);
    const launches = [1, 2, 3].map(() => synchronising(ranks, 1, random));
    expect(stragglerOf(launches.map(({ useful }) => useful))).toEqual({ rank: 1, excess: expect.closeTo(1) });
    // In its call it is never the longest.
    for (const { summary } of launches) expect(summary?.ranks[1]?.slowest).toBe(0);
  });

  it('is the same rank in every launch', () => {
    const [one, other] = [
      [1e-5, 2e-5, 1e-5],
      [2e-5, 1e-5, 1e-5],
    ];
    expect(stragglerOf([one, one, one] as number[][])).toMatchObject({ rank: 1 });
    expect(stragglerOf([one, other, one] as number[][])).toBeNull();
  });

  it('works a quarter longer than the middle one of the others, in the launch that shows it least', () => {
    const by = (excess: number) => [1e-5, 1e-5, 1e-5 * (1 + excess), 0.5e-5];
    expect(stragglerOf([by(0.3), by(0.26)])).toEqual({ rank: 2, excess: expect.closeTo(0.26) });
    expect(stragglerOf([by(0.3), by(0.24)])).toBeNull();
  });

  it('is not told from one launch, nor where ranks hardly work at all, and one rank has no others', () => {
    expect(stragglerOf([[1e-5, 2e-5]])).toBeUndefined();
    expect(stragglerOf([])).toBeUndefined();
    const short = [1.9e-6, 4e-6];
    expect(stragglerOf([short, short])).toBeUndefined();
    expect(stragglerOf([[1e-5], [1e-5]])).toBeNull();
  });
});

describe('the tail of the binomial distribution', () => {
  it('is that of tables', () => {
    expect(binomialTail(10, 0.5, 8)).toBeCloseTo(56 / 1024, 12);
    expect(binomialTail(5, 0.25, 5)).toBeCloseTo(1 / 1024, 12);
    expect(binomialTail(20, 0.1, 1)).toBeCloseTo(1 - 0.9 ** 20, 12);
    // Half a step less than 6 standard deviations of the normal distribution.
    expect(binomialTail(1_000_000, 0.5, 503_000) / 9.926e-10).toBeCloseTo(1, 3);
  });
  it('is everything from none on, and nothing beyond all', () => {
    expect([binomialTail(5, 0.5, 0), binomialTail(5, 0.5, 6), binomialTail(0, 0.5, 1)]).toEqual([1, 0, 0]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialTail } from '../../src/statistics/binomial.js';
import {
  lastOf,
  launchesToName,
  mergeRanks,
  type RanksSummary,
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

  interface Drawn {
    readonly repetitions?: number;
    /** What a repetition has of how late its rank was before. */
    readonly rho?: number;
    /** By how much rank 0 comes later. */
    readonly later?: number;
    /** Standard deviation of how late each rank is for a whole launch, beside a noise of 1. */
    readonly ofLaunch?: number;
  }

  const summaryOf = (count: number, entries: Float64Array) =>
    summariseRanks({ count, entries, exits: entries.map((at) => at + 1) }, 1) ?? {
      repetitions: 0,
      ranks: [],
    };

  /** Ranks that are as quick as each other but for what is asked for. */
  function launchOf(count: number, { repetitions = 200, rho = 0, later = 0, ofLaunch = 0 }: Drawn) {
    const offsets = series(count, (rank) => ofLaunch * normal() + (rank === 0 ? later : 0));
    const levels = series(count, normal);
    const entries = series(count * repetitions, (i) => {
      const rank = i % count;
      levels[rank] = rho * (levels[rank] ?? 0) + Math.sqrt(1 - rho * rho) * normal();
      return 100 + (levels[rank] ?? 0) + (offsets[rank] ?? 0);
    });
    return summaryOf(count, entries);
  }

  type Ranks = Pick<RanksSummary, 'repetitions' | 'ranks'>;

  const launchesOf = (launches: number, draw: () => Ranks): readonly Ranks[] =>
    Array.from({ length: launches }, draw);

  const named = (trials: number, draw: () => readonly Ranks[]): number =>
    Array.from({ length: trials }, () => lastOf(draw())).filter((found) => found !== null).length / trials;

  const told = (repetitions: number, ...shares: number[]) => ({
    repetitions,
    ranks: shares.map((last) => ({ median: 1, p99: 1, total: 1, slowest: 0, last })),
  });

  it('is one that comes last much oftener than chance has it, in all launches together', () => {
    const launches = launchesOf(9, () => told(50, 0.1, 0.8, 0.1));
    expect(lastOf(launches)).toEqual({ rank: 1, share: expect.closeTo(0.8, 12) });
    expect(lastOf([...launches, told(450, 0.2, 0.6, 0.2)])).toEqual({
      rank: 1,
      share: expect.closeTo(0.7, 12),
    });
    expect(lastOf(launchesOf(9, () => told(50, 0.02, 0.98)))).toMatchObject({ rank: 1 });
  });

  it('is nobody where ranks take turns, and where there is one rank', () => {
    expect(lastOf(launchesOf(20, () => told(5000, 0.4, 0.3, 0.3)))).toBeNull();
    expect(lastOf(launchesOf(20, () => told(5000, 0.6, 0.4)))).toBeNull();
    expect(lastOf(launchesOf(20, () => told(50, 1)))).toBeNull();
    expect(lastOf([])).toBeNull();
  });

  // One rank or another is last in all of so many launches in (1 / ranks)^(launches - 1) of the cases.
  it.each([
    [2, 8],
    [4, 5],
    [8, 4],
    [10, 4],
    [11, 3],
  ])('of %i ranks is told by %i launches in which it always comes last, and by no fewer', (ranks, fewest) => {
    const launch = told(200, 1, ...Array<number>(ranks - 1).fill(0));
    expect(lastOf(launchesOf(fewest, () => launch))).toEqual({ rank: 0, share: 1 });
    expect(lastOf(launchesOf(fewest - 1, () => launch))).toBeNull();
    expect(launchesToName(ranks)).toBe(fewest);
  });

  it('is nobody of one rank, however many launches there are', () => {
    expect(() => launchesToName(1)).toThrow(RangeError);
  });

  it('is another one in a launch now and then, of many', () => {
    const [own, other] = [told(50, 0.9, 0.1), told(50, 0.1, 0.9)];
    expect(lastOf([...launchesOf(18, () => own), other, other])).toMatchObject({ rank: 0 });
    expect(lastOf([...launchesOf(13, () => own), ...launchesOf(7, () => other)])).toBeNull();
  });

  it('is nobody of equal ranks on a clock so coarse that they often come at one time', () => {
    const own = normalFrom(randomFrom(43));
    const coarse = () =>
      summaryOf(
        4,
        series(4 * 200, () => 100 + Math.round(own() / 2)),
      );
    expect(named(100, () => launchesOf(6, coarse))).toBeLessThanOrEqual(0.02);
    expect(lastOf(launchesOf(9, () => told(50, 0.5, 0.5)))).toBeNull();
  });

  it.each([
    [8, 50, 0],
    [16, 50, 0],
    [8, 50, 0.6],
  ])('is named of %i equal ranks in launches of %i repetitions, which have %d of the one before, in one case of 100', (count, repetitions, rho) => {
    const draw = () => launchesOf(6, () => launchOf(count, { repetitions, rho }));
    expect(named(200, draw)).toBeLessThanOrEqual(0.02);
  });

  // By the repetitions of all launches together it would be in up to 70 of 100.
  it.each([
    [2, 1, 2],
    [4, 1, 2],
    [4, 3, 2],
    [2, 6, 2],
    [4, 6, 0.5],
    [4, 6, 2],
    [8, 6, 0.5],
    [2, 20, 2],
  ])('is named of %i equal ranks in %i launches no oftener where each launch has its own late ones, by %d', (count, launches, ofLaunch) => {
    const draw = () => launchesOf(launches, () => launchOf(count, { repetitions: 100, ofLaunch }));
    expect(named(200, draw)).toBeLessThanOrEqual(0.02);
  });

  it('is found where a rank is a little later in all repetitions: last in a third of those of 8', () => {
    const share = launchOf(8, { repetitions: 10_000, later: 0.85 }).ranks[0]?.last ?? 0;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.4);
    const found = (launches: number, more: Drawn) =>
      named(50, () => launchesOf(launches, () => launchOf(8, { repetitions: 50, later: 0.85, ...more })));
    expect(found(6, {})).toBeGreaterThan(0.95);
    expect(found(6, { rho: 0.6, repetitions: 200 })).toBeGreaterThan(0.9);
    expect(found(20, { ofLaunch: 0.3 })).toBeGreaterThan(0.95);
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeRanks, type RankTimes, stragglerOf, summariseRanks } from '../../src/statistics/rank-times.js';

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
  it('tell how far ranks came and left apart, and which was slowest and last', () => {
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

  it('are nothing without repetitions', () => {
    expect(summariseRanks({ count: 2, entries: new Float64Array(), exits: new Float64Array() })).toBeNull();
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
        const forward = summariseRanks(timesOf(rows));
        const backward = summariseRanks(timesOf(rows.map((ranks) => ranks.toReversed())));
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
    );
    const merged = mergeRanks([one, two].flatMap((summary) => summary ?? []));
    expect(merged?.repetitions).toBe(3);
    expect(merged?.ranks.map(({ total }) => total)).toEqual([7, 6]);
    expect(merged?.ranks.map(({ slowest }) => slowest)).toEqual([2 / 3, 1 / 3]);
  });
});

describe('a straggler', () => {
  const ranks = (...slowest: number[]) => ({
    ranks: slowest.map((share) => ({ median: 1, p99: 1, total: 1, slowest: share, last: 0 })),
  });
  it('is a rank that is the slowest much oftener than chance has it', () => {
    expect(stragglerOf(ranks(0.1, 0.8, 0.1))).toEqual({ rank: 1, share: 0.8 });
    expect(stragglerOf(ranks(0.02, 0.98))).toEqual({ rank: 1, share: 0.98 });
  });
  it('is nobody where ranks take turns, and where there is one rank', () => {
    expect(stragglerOf(ranks(0.4, 0.3, 0.3))).toBeNull();
    expect(stragglerOf(ranks(0.6, 0.4))).toBeNull();
    expect(stragglerOf(ranks(1))).toBeNull();
  });
});

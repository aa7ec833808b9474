import { sum } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { comparedBatches, lonelyBatches } from '../../src/campaign/comparisons.js';
import { createSchedule } from '../../src/campaign/schedule.js';
import type { BatchSpec } from '../../src/record/schema.js';
import { normalFrom, randomFrom } from '../statistics/support.js';
import { campaignOf, specOf } from '../support/campaign.js';

const ofCase = (m: number): BatchSpec['case'] => ({ indicator: 'matmul', parameters: { m } });

const batchOf = (more: Partial<BatchSpec>): BatchSpec =>
  specOf({
    case: ofCase(8),
    inspections: 112,
    sampling: { kind: 'budget', seconds: 0.25, least: 5, most: 1000 },
    settle: 0.02,
    ...more,
  });

/**
 * Launches of each batch, when every launch of batch i takes times[i] seconds, give or take `spread`; null fails.
 * @param most of all launches together, as a budget cuts them off
 */
function runOf(
  batches: readonly BatchSpec[],
  times: readonly (number | null)[],
  spread: number,
  most = Number.POSITIVE_INFINITY,
) {
  const schedule = createSchedule(campaignOf(batches, 3));
  const normal = normalFrom(randomFrom(23));
  const counts = batches.map(() => 0);
  let asked = 0;
  for (let next = schedule.next(); next !== null && asked < most; next = schedule.next()) {
    asked++;
    expect(sum(schedule.expected())).toBeGreaterThanOrEqual(asked);
    counts[next.batch] = (counts[next.batch] ?? 0) + 1;
    const time = times[next.batch] ?? null;
    const samples = time === null ? null : Float64Array.of(time * Math.exp(spread * normal()));
    schedule.ended(next, samples === null ? null : { samples, costOfLaunch: 0.3, costOfRepetition: 1 });
  }
  if (most === Number.POSITIVE_INFINITY) expect(sum(schedule.expected())).toBe(asked);
  return { counts, settled: schedule.settled() };
}

const launchesOf = (...args: Parameters<typeof runOf>) => runOf(...args).counts;

describe('comparisons of a campaign', () => {
  it('are of the batches that settle with the first one of their case', () => {
    const batches = [
      batchOf({ settle: undefined }),
      batchOf({}),
      batchOf({ case: ofCase(9), inspections: 30 }),
      batchOf({}),
      batchOf({ case: ofCase(9) }),
      batchOf({ case: ofCase(10) }),
      batchOf({ sampling: { kind: 'fixed', repetitions: 7 } }),
    ];
    expect(
      comparedBatches(batches).map(({ reference, candidate, most }) => [reference, candidate, most]),
    ).toEqual([
      [1, 3, 112],
      [2, 4, 30],
    ]);
    expect(lonelyBatches(batches)).toEqual([batches[5], batches[6]]);
  });

  it('are of batches that warm up alike', () => {
    const [cold, warm] = [
      batchOf({ warmup: { kind: 'count', count: 0 } }),
      batchOf({ warmup: { kind: 'count', count: 50 } }),
    ];
    const pairs = comparedBatches([cold, cold, warm, warm]).map(({ reference, candidate }) => [
      reference,
      candidate,
    ]);
    expect(pairs).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('end with the first look at which they are settled, both sides together', () => {
    const two = [batchOf({}), batchOf({})];
    expect(launchesOf(two, [1, 1], 0.002)).toEqual([10, 10]);
    expect(launchesOf(two, [1, 1.5], 0.05)).toEqual([10, 10]);
    const [reference = 0, candidate = 0] = launchesOf(two, [1, 1.001], 0.03);
    expect(reference).toBe(candidate);
    expect(reference).toBeGreaterThan(14);
  });

  it('end at the most launches that were allowed, where they cannot be settled', () => {
    const two = [batchOf({ inspections: 12 }), batchOf({ inspections: 12 })];
    expect(launchesOf(two, [1, 1.01], 0.2)).toEqual([12, 12]);
  });

  it('end with the side that may have fewer launches: without it the other settles nothing', () => {
    const two = [batchOf({ inspections: 12 }), batchOf({ inspections: 112 })];
    expect(runOf(two, [1, 1.01], 0.2)).toEqual({ counts: [12, 12], settled: false });
  });

  it('are known not to be settled where they end at the most launches, or are cut off', () => {
    const two = [batchOf({}), batchOf({})];
    const few = [batchOf({ inspections: 12 }), batchOf({ inspections: 12 })];
    expect(runOf(two, [1, 1], 0.002).settled).toBe(true);
    expect(runOf(two, [1, 1], 0.002, 15).settled).toBe(false);
    expect(runOf(few, [1, 1.01], 0.2).settled).toBe(false);
    expect(runOf([batchOf({ settle: undefined })], [1], 0.002, 3).settled).toBe(true);
  });

  it('launch the reference as long as any candidate needs it, and no other', () => {
    const three = [batchOf({}), batchOf({}), batchOf({})];
    const [reference = 0, far, near = 0] = launchesOf(three, [1, 3, 1.005], 0.02);
    expect(far).toBe(10);
    expect(near).toBeGreaterThan(10);
    expect(reference).toBe(near);
  });

  it('give up with a side that only fails', () => {
    const three = [batchOf({}), batchOf({}), batchOf({})];
    expect(launchesOf(three, [1, null, 1], 0.001)).toEqual([10, 3, 10]);
    const [, one = 0, other = 0] = launchesOf(three, [null, 1, 1], 0.001);
    expect(Math.max(one, other)).toBeLessThanOrEqual(4);
  });

  it('are not settled by giving up', () => {
    expect(runOf([batchOf({}), batchOf({})], [1, null], 0.001).settled).toBe(false);
  });

  it('leave batches alone that settle nothing', () => {
    const batches = [batchOf({}), batchOf({}), batchOf({ settle: undefined, inspections: 17 })];
    expect(launchesOf(batches, [1, 1, 1], 0.002)).toEqual([10, 10, 17]);
  });
});

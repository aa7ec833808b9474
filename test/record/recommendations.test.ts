import { describe, expect, it } from 'vitest';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { recommendationsOf } from '../../src/record/recommendations.js';
import { type RecordBatch, written } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

/** Launches whose medians differ by `spread`, as a batch of so many repetitions. */
function counted(repetitions: number, spread: number, seed: number, parameters = {}): RecordBatch {
  const normal = normalOf(uniformOf(randomBits(seed)));
  const launches = Array.from({ length: 20 }, () => ({ seconds: 1e-3 * Math.exp(spread * normal()) }));
  const batch = batchOf(matmulCase(parameters), launches);
  return { ...batch, asked: { ...batch.asked, sampling: { kind: 'fixed', repetitions } } };
}

describe('the recommendation of a sweep of repetitions', () => {
  it('is the smallest count that is as steady as the steadiest', () => {
    const batches = [counted(10, 0.1, 1), counted(100, 0.01, 2), counted(1000, 0.01, 3)];
    const [only, ...others] = recommendationsOf(batches);
    expect(others).toEqual([]);
    expect(only?.repetitions).toBe(100);
    expect(only?.counts.map(({ repetitions }) => repetitions)).toEqual([10, 100, 1000]);
    // 1 % between launches: the interval of 6 is about ±1 %.
    expect(only?.launches[1]?.target).toBe(0.01);
    expect(only?.launches[1]?.launches).toBeGreaterThanOrEqual(6);
    expect(only?.launches[1]?.launches).toBeLessThanOrEqual(16);
    expect(only?.launches[2]?.launches).toBeGreaterThan(only?.launches[1]?.launches ?? 0);
  });

  it('asks for as many launches as the plan of its batch, which a launch far off does not decide', () => {
    const far = (batch: RecordBatch): RecordBatch => {
      const medians = (batch.launches as { medians: number[] }).medians;
      const launches = medians.map((seconds, i) => ({ seconds: i === 0 ? 2 * seconds : seconds }));
      return { ...batchOf(matmulCase(), launches), asked: batch.asked };
    };
    const batches = [far(counted(10, 0.01, 1)), counted(100, 0.01, 2)];
    const [only] = recommendationsOf(batches);
    expect(only?.repetitions).toBe(10);
    const ofOnePercent = only?.launches.find(({ target }) => target === 0.01)?.launches;
    expect(ofOnePercent).toBe(batches[0]?.variance?.launchesForOnePercent);
    // The plain standard deviation of those launches is 22 %: it would ask for thousands.
    expect(ofOnePercent).toBeLessThan(20);
  });

  it.each([
    ['more launches than there are', 'two modes', [1, 1.001, 1.002, 1.1, 1.101, 1.102], 60, 200],
    ['a few more launches', 'one of six that is far off', [1, 1.001, 0.999, 1.002, 0.998, 1.5], 6, 20],
  ])('asks for %s where these did not reach it, as of %s', (_, __, medians, more, fewer) => {
    const of = (batch: RecordBatch): RecordBatch => {
      const launches = medians.map((seconds) => ({ seconds }));
      return { ...batchOf(matmulCase(), launches), asked: batch.asked };
    };
    const batches = [of(counted(10, 0.01, 1)), of(counted(100, 0.01, 2))];
    const [only] = recommendationsOf(batches);
    const ofOnePercent = only?.launches.find(({ target }) => target === 0.01)?.launches;
    expect(ofOnePercent).toBeGreaterThan(more);
    expect(ofOnePercent).toBeLessThan(fewer);
    expect(ofOnePercent).toBe(batches[0]?.variance?.launchesForOnePercent);
  });

  it('has no other spread than the standard deviation in a table that others published', () => {
    const table = (batch: RecordBatch): RecordBatch => ({
      ...batch,
      variance: null,
      launches: { n: 20, median: 1e-3, std: 1e-5 },
    });
    const [only] = recommendationsOf([table(counted(10, 0.01, 1)), table(counted(100, 0.01, 2))]);
    // The least, and of normal values (sqrt(pi / 2) x 1.96 x 1 % / target)²: 6.04 and 24.1.
    expect(only?.launches.map(({ launches }) => launches)).toEqual([6, 7, 25]);
  });

  it('is one that a record can hold, also of launches that tie, or took no time', () => {
    const tied = (repetitions: number, medians: readonly number[]): RecordBatch => {
      const batch = batchOf(
        matmulCase(),
        medians.map((seconds) => ({ seconds })),
      );
      return {
        ...batch,
        launches: { ...batch.launches, medians: [...medians] },
        asked: { ...batch.asked, sampling: { kind: 'fixed', repetitions } },
      };
    };
    const coarse = [100, 100, 100, 100, 100, 100.5];
    for (const [few, many] of [
      [[100, 100, 100.5, 100, 100, 100.5], coarse],
      [coarse, [100, 100, 100, 100, 100, 100]],
    ] as const) {
      const made = recommendationsOf([tied(10, few), tied(100, many)]);
      expect(made).toHaveLength(1);
      expect(written.record.shape.recommendations.safeParse(made).error).toBeUndefined();
    }
    const none = { ...tied(10, coarse), launches: { medians: [0, 1, 1, 1, 1, 1] } };
    expect(recommendationsOf([none, tied(100, coarse)])).toMatchObject([{ repetitions: null, launches: [] }]);
    const table = (repetitions: number, median: number): RecordBatch => ({
      ...tied(repetitions, coarse),
      variance: null,
      launches: { n: 20, median, std: 1 },
    });
    const ofTables = recommendationsOf([table(10, 1e-9), table(100, 1e-9)]);
    expect(written.record.shape.recommendations.safeParse(ofTables).error).toBeUndefined();
    expect(recommendationsOf([table(10, 0), table(100, 1)])).toMatchObject([{ repetitions: null }]);
  });

  it('tells no launches from the spread of two', () => {
    const two = (batch: RecordBatch): RecordBatch => ({ ...batch, variance: null });
    const [only] = recommendationsOf([two(counted(10, 0.01, 1)), two(counted(100, 0.01, 2))]);
    expect(only?.launches).toEqual([]);
  });

  it.each([5, 6])('tells how many launches it takes from six on, as their batch does: of %d', (count) => {
    const few = (batch: RecordBatch): RecordBatch => {
      const medians = (batch.launches as { medians: number[] }).medians.slice(0, count);
      const launches = medians.map((seconds) => ({ seconds }));
      return { ...batchOf(matmulCase(), launches), asked: batch.asked };
    };
    const [own, other] = [few(counted(10, 0.01, 1)), few(counted(100, 0.01, 2))];
    const table = (batch: RecordBatch): RecordBatch => ({
      ...batch,
      variance: null,
      launches: { n: count, median: 1e-3, std: 1e-5 },
    });
    for (const made of [recommendationsOf([own, other]), recommendationsOf([table(own), table(other)])]) {
      expect(made).toHaveLength(1);
      expect(made[0]?.launches.length).toBe(count < 6 ? 0 : 3);
    }
    expect(own.variance?.launchesForOnePercent === null).toBe(count < 6);
  });

  it('is made for each case by itself', () => {
    const batches = [64, 128].flatMap((threads) => [
      counted(10, 0.01, 4, { threads }),
      counted(50, 0.01, 5, { threads }),
    ]);
    expect(recommendationsOf(batches).map(({ batches: of }) => of)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('is made of no batches whose stacks were found to be others, though they were asked for alike', () => {
    const found = (batch: RecordBatch, stack: Partial<RecordBatch['stack']>): RecordBatch => ({
      ...batch,
      stack: { ...batch.stack, ...stack },
    });
    const [few, many] = [counted(10, 0.01, 1), counted(100, 0.01, 2)];
    const made = (one: Partial<RecordBatch['stack']>, other: Partial<RecordBatch['stack']>) =>
      recommendationsOf([found(few, one), found(many, other)]).length;
    expect(made({ version: '1', sha256: 'a' }, { version: '1', sha256: 'a' })).toBe(1);
    expect(made({ version: '1' }, { version: '2' })).toBe(0);
    expect(made({ sha256: 'a' }, { sha256: 'b' })).toBe(0);
  });

  it('leaves out a count that no launch came to: all ended before they had made so many repetitions', () => {
    const cutShort = (batch: RecordBatch): RecordBatch => ({ ...batch, measured: 0 });
    const batches = [counted(10, 0.1, 1), counted(100, 0.01, 2), cutShort(counted(1000, 0.001, 3))];
    const [only] = recommendationsOf(batches);
    expect(only?.batches).toEqual([0, 1]);
    expect(only?.counts.map(({ repetitions }) => repetitions)).toEqual([10, 100]);
    expect(only?.best).toBe(100);
    expect(recommendationsOf(batches.slice(1))).toEqual([]);
  });

  it('is not made where repetitions were not swept', () => {
    expect(recommendationsOf([counted(10, 0.01, 6), counted(10, 0.01, 7, { threads: 1 })])).toEqual([]);
  });
});

/** A record's intervals of times and rates are above 0 and hold their medians: one that does not is refused, or left out. */
import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { withoutBrokenIntervals } from '../../src/record/intervals.js';
import type { Kpi, PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

type Ends = readonly [low: number, high: number];
const intervalOf = ([low, high]: Ends) => ({ level: 0.95, low, high, method: 'a test’s', basis: 'launches' });

/** 2e6 operations in 1 ms. */
const MEDIAN = 1e-3;
const RATE = 2e9;

function recordOf(elapsed: Ends | null, rate: Ends | null, kpis: readonly object[] = []): PiBenchRecord {
  const batch = batchOf(matmulCase(), [{ seconds: MEDIAN }]);
  const changed: RecordBatch = {
    ...batch,
    elapsed: batch.elapsed && { ...batch.elapsed, interval: elapsed && intervalOf(elapsed) },
    rate: batch.rate && { ...batch.rate, interval: rate && intervalOf(rate) },
  };
  return { batches: [changed], kpis, digest: '' } as unknown as PiBenchRecord;
}

describe('a record', () => {
  it('is sound with intervals that hold their medians, or none', () => {
    expect(brokenRules(recordOf([0.9e-3, 1.2e-3], [1.5e9, 2.2e9]))).toEqual([]);
    expect(brokenRules(recordOf([MEDIAN, MEDIAN], [RATE * (1 + 1e-15), RATE]))).toEqual([]);
    expect(brokenRules(recordOf(null, null))).toEqual([]);
  });

  it.each([
    ['begins below 0', [-0.84e-3, 3.5e-3], null, /the interval of elapsed/],
    ['begins at 0', [0, 3.5e-3], null, /the interval of elapsed/],
    ['is the wrong way round', null, [0.6e9, -2.4e9], /the interval of rate/],
    ['lies above its median', [1.1e-3, 1.2e-3], null, /does not hold 0\.001/],
    ['lies below its median', null, [1e9, 1.9e9], /does not hold 2000000000/],
  ] as const)('contradicts itself with one that %s', (_, elapsed, rate, words) => {
    const broken = brokenRules(recordOf(elapsed, rate));
    expect(broken).toHaveLength(1);
    expect(broken[0]).toMatch(words);
  });

  it('contradicts itself with an interval of p99 that does not hold it, and is read without', () => {
    const of = (p99Interval: object) => {
      const { batches, ...rest } = recordOf(null, null);
      const changed = batches.map((batch) => ({
        ...batch,
        elapsed: { ...batch.elapsed, p99: 2, p99Interval },
      }));
      return { ...rest, batches: changed } as unknown as PiBenchRecord;
    };
    expect(brokenRules(of(intervalOf([1, 3])))).toEqual([]);
    const broken = of(intervalOf([3, 4]));
    expect(brokenRules(broken)).toEqual([expect.stringMatching(/the interval of elapsed p99.*hold 2$/)]);
    expect(withoutBrokenIntervals(broken).batches[0]?.elapsed).toMatchObject({ p99: 2, p99Interval: null });
  });

  it('may have a rate of 0 between 0 and 0: a barrier moves no byte', () => {
    const batch = batchOf(matmulCase(), [{ seconds: MEDIAN }]);
    const interval = intervalOf([0, 0]);
    const still = {
      ...batch,
      work: { flop: 0, bytes: 0 },
      rate: batch.rate && { ...batch.rate, median: 0, p05: 0, interval, p05Interval: interval },
    };
    expect(brokenRules({ batches: [still] } as unknown as PiBenchRecord)).toEqual([]);
  });

  it('is read without those that are none, in its KPIs and curves too, and keeps those of shares', () => {
    const ends = { level: 0.95, low: 0.6e9, high: -2.4e9 };
    const read = withoutBrokenIntervals(
      recordOf(
        [-0.84e-3, 3.5e-3],
        [0.6e9, -2.4e9],
        [
          { value: RATE, unit: 'FLOP/s', ci: ends },
          { value: MEDIAN, unit: 's', ci: { level: 0.95, low: 0.9e-3, high: 1.1e-3 } },
          { value: 0.02, unit: '1', ci: { level: 0.95, low: -0.1, high: 0.1 } },
          {
            points: [
              [1, RATE],
              [2, RATE],
            ],
            yUnit: 'FLOP/s',
            ci: {
              level: 0.95,
              intervals: [
                [0.6e9, -2.4e9],
                [1e9, 3e9],
              ],
            },
          },
        ],
      ),
    );
    const [batch] = read.batches;
    expect([batch?.elapsed?.interval, batch?.rate?.interval]).toEqual([null, null]);
    expect(brokenRules(read)).toEqual([]);
    const cis = read.kpis.map(({ ci }: Kpi) => ci);
    expect(cis[0]).toBeNull();
    expect(cis[1]).toMatchObject({ low: 0.9e-3 });
    expect(cis[2]).toMatchObject({ low: -0.1 });
    expect(cis[3]).toMatchObject({ intervals: [null, [1e9, 3e9]] });
  });

  it('is read as it is where all are sound', () => {
    const record = recordOf([0.9e-3, 1.2e-3], [1.5e9, 2.2e9]);
    expect(withoutBrokenIntervals(record)).toBe(record);
  });
});

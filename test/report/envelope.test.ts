/** A picture of many samples keeps every extreme and loses no sample. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelope } from '../../src/report/envelope.js';

const run = (seconds: readonly number[], disturbed: readonly number[] | null, most: number) =>
  envelope(Float64Array.from(seconds), Float64Array.from(seconds.map((_, i) => i)), disturbed, most);

describe('envelope', () => {
  it('keeps samples as they are where there are few', () => {
    expect(run([3, 1, 2], [1], 10)).toEqual([
      { time: 0, low: 3, middle: 3, high: 3, n: 1, disturbed: 0, worst: null },
      { time: 1, low: 1, middle: 1, high: 1, n: 1, disturbed: 1, worst: 1 },
      { time: 2, low: 2, middle: 2, high: 2, n: 1, disturbed: 0, worst: null },
    ]);
  });

  it('counts no disturbed sample where nobody knows of any', () => {
    expect(run([3, 1], null, 10).map(({ disturbed, worst }) => [disturbed, worst])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('has no bucket for no sample', () => {
    expect(run([], [], 5)).toEqual([]);
  });

  it('gives no more buckets than asked for, whose extremes are the extremes of all and whose counts add up', () => {
    const values = fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 50 }), (seconds, most) => {
        const disturbed = seconds.flatMap((value, i) => (value > 0.5 ? [i] : []));
        const buckets = run(seconds, disturbed, most);
        expect(buckets.length).toBeLessThanOrEqual(most);
        expect(Math.min(...buckets.map(({ low }) => low))).toBe(Math.min(...seconds));
        expect(Math.max(...buckets.map(({ high }) => high))).toBe(Math.max(...seconds));
        expect(buckets.reduce((sum, { n }) => sum + n, 0)).toBe(seconds.length);
        expect(buckets.reduce((sum, bucket) => sum + (bucket.disturbed ?? 0), 0)).toBe(disturbed.length);
        for (const { low, middle, high } of buckets) {
          expect(low).toBeLessThanOrEqual(middle);
          expect(middle).toBeLessThanOrEqual(high);
        }
      }),
    );
  });
});

/** What no record may say of itself, whoever wrote it. */
import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

const LAUNCHES = [1e-3, 1e-3, 1e-3].map((seconds) => ({ seconds }));
const sound = batchOf(matmulCase(), LAUNCHES);
const rulesOf = (batch: RecordBatch): readonly string[] =>
  brokenRules({ batches: [batch] } as unknown as PiBenchRecord).map((rule) => rule.replace(/^.*\): /, ''));

describe('a record', () => {
  it('breaks no rule as it is built, right or wrong', () => {
    expect(rulesOf(sound)).toEqual([]);
    expect(rulesOf(batchOf(matmulCase(), [...LAUNCHES, { seconds: 1e-3, passed: false }]))).toEqual([]);
  });

  it('counts as measured the launches that it lists', () => {
    const what = 'says 4 launches measured and lists 3';
    expect(rulesOf({ ...sound, measured: 4 })).toEqual([what]);
    const imported = { values: 'launches' } as unknown as RecordBatch['imported'];
    expect(rulesOf({ ...sound, imported, measured: 4 })).toEqual([what]);
  });

  it('need not list the launches of a published table', () => {
    const imported = { values: 'table' } as unknown as RecordBatch['imported'];
    expect(rulesOf({ ...sound, imported, inspections: [], measured: 30 })).toEqual([]);
  });

  it('has no rate beside a wrong output', () => {
    const [first, ...rest] = sound.inspections;
    if (first === undefined) throw new Error('three launches were described');
    const inspections = [{ ...first, status: 'wrong' as const }, ...rest];
    expect(rulesOf({ ...sound, inspections, measured: 2 })).toEqual([
      'has a rate although an output was wrong',
    ]);
    expect(rulesOf({ ...sound, inspections, measured: 2, rate: null })).toEqual([]);
  });

  it('has no rate of work that nobody knows, and none but that of its time', () => {
    expect(rulesOf({ ...sound, work: null })).toEqual(['has a rate although its work is not known']);
    const elapsed = sound.elapsed && { ...sound.elapsed, median: 2e-3, interval: null };
    expect(rulesOf({ ...sound, elapsed })).toEqual([
      'rate x elapsed is 4000000, the work of one repetition is 2000000',
    ]);
  });
});

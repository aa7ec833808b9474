/** What of a record makes its node lost: a launch that did not come to its end is no pass, however good the others are. */
import { describe, expect, it } from 'vitest';
import { nodeOf } from '../../src/fleet/from-record.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { aboutSeconds, recordOf } from '../support/records.js';

const record = recordOf({ batches: [{ launches: aboutSeconds(0.001, 3) }] });
const problemsOf = (more: Partial<RecordBatch>, status: PiBenchRecord['status'] = 'complete') =>
  nodeOf(
    { ...record, status, batches: record.batches.map((batch) => ({ ...batch, ...more })) },
    'n1',
    () => null,
  ).problems;

const [batch] = record.batches as [RecordBatch];
const what = batch.title;
/** The second of the launches was lost. */
const crashed = (reason: string | null): Partial<RecordBatch> => ({
  measured: 2,
  inspections: batch.inspections.map((launch, i) =>
    i === 1 ? { ...launch, status: 'crashed' as const, reason, file: null, verification: null } : launch,
  ),
});
const cut: Partial<RecordBatch> = { measured: 2, inspections: batch.inspections.slice(0, 2) };
const precision = { target: 0.01, reached: true, halfWidth: 0.005, reason: 'it is precise enough' };

describe('a node of which the other launches are good', () => {
  it('has no problem where all that was planned was measured', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it.each<[string, Partial<RecordBatch>, string]>([
    ['one launch crashed', crashed('SIGSEGV'), 'launch 2 crashed: SIGSEGV'],
    ['one launch crashed, and nobody knows why', crashed(null), 'launch 2 crashed'],
    ['one launch crashed under a rule', { ...crashed('SIGSEGV'), precision }, 'launch 2 crashed: SIGSEGV'],
    ['one launch was not begun', cut, '2 of 3 launches were measured'],
    ['it has no rate', { rate: null }, '3 of 3 launches were measured'],
    ['it has no rate under a rule', { ...cut, rate: null, precision }, '2 of 3 launches were measured'],
  ])('is lost where %s', (_, more, why) => {
    expect(problemsOf(more)).toEqual([{ kind: 'lost', what, why }]);
  });

  it('is not where a rule ended the launches: fewer than the most are no loss', () => {
    expect(problemsOf({ ...cut, precision })).toEqual([]);
    expect(problemsOf({ ...cut, asked: { ...batch.asked, settle: 0.02 } })).toEqual([]);
  });

  it.each(['interrupted', 'incomplete'] as const)('is lost where its campaign is %s', (status) => {
    expect(problemsOf({}, status)).toEqual([{ kind: 'lost', what: 'campaign', why: `it is ${status}` }]);
    // What is known better is said.
    expect(problemsOf(cut, status)).toMatchObject([{ what }]);
  });
});

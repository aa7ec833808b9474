/** What a record's page says of a library's threads: no more than was seen. */
import { expect, it } from 'vitest';
import { stackRow } from '../../src/readers/terminal/stack-row.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

function rowOf(threadBinding: RecordBatch['stack']['threadBinding'], ...cpusUsed: readonly number[]): string {
  const { stack, ...batch } = batchOf(
    matmulCase({ threads: 8 }),
    cpusUsed.map((used) => ({ seconds: 1e-3, build: 'x', cpusUsed: used })),
  );
  const path = '/usr/lib/libblas.so.3';
  return String(stackRow({ ...batch, stack: { ...stack, path, threadBinding } })[0]?.[1]);
}

it('a library of which fewer threads were found has fewer, makes them in each call, or made them too late, and its CPU time is told', () => {
  const text = rowOf('together', 1.02, 0.98, 1.004);
  expect(text).toMatch(
    /fewer threads were found than were asked for.*: it makes them anew in each call, has fewer, or made them only in the first repetition \(--warmup 0\)/,
  );
  expect(text).toMatch(/, it used the time of about 1\.0 of 8 CPUs$/);
});

it('of threads that are bound nothing more is to be said', () => {
  expect(rowOf('each', 7.9)).toMatch(/, its threads bound to a CPU each$/);
});

/** What a record's page says of a library's threads: no more than was seen. */
import { expect, it } from 'vitest';
import { stackRow } from '../../src/readers/terminal/stack-row.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

const COLD = { kind: 'count', count: 0 } as const;

function rowOf(threadBinding: RecordBatch['stack']['threadBinding'], ...cpusUsed: readonly number[]): string {
  const { stack, ...batch } = batchOf(
    matmulCase({ threads: 8 }),
    cpusUsed.map((used) => ({ seconds: 1e-3, build: 'x', cpusUsed: used })),
  );
  const path = '/usr/lib/libblas.so.3';
  return String(stackRow({ ...batch, stack: { ...stack, path, threadBinding } })[0]?.[1]);
}

it('a library of which fewer threads were found has fewer or makes them in each call, and its CPU time is told', () => {
  const text = rowOf('together', 1.02, 0.98, 1.004);
  expect(text).toMatch(
    /fewer threads were found than were asked for.*: it makes them anew in each call, or has fewer, it used/,
  );
  expect(text).toMatch(/, it used the time of about 1\.0 of 8 CPUs$/);
});

it('without a warm-up it may have had none yet when they were looked for, and nothing else is blamed', () => {
  const batch = batchOf(matmulCase({ threads: 8 }), []);
  const stack = { ...batch.stack, path: '/usr/lib/libblas.so.3', threadBinding: 'together' as const };
  const text = String(stackRow({ ...batch, asked: { ...batch.asked, warmup: COLD }, stack })[0]?.[1]);
  expect(text).toMatch(
    /than were asked for.*: without a warm-up they were looked for before there were any$/,
  );
});

it('of threads that are bound nothing more is to be said', () => {
  expect(rowOf('each', 7.9)).toMatch(/, its threads bound to a CPU each$/);
});

/** A record in which no launch of one batch left a document, as after a segmentation fault in each. */
import type { PiBenchRecord } from '../../src/record/schema.js';

/** @param at index of the batch, of whose stack only the file is then known */
export const crashed = (record: PiBenchRecord, at: number): PiBenchRecord => ({
  ...record,
  batches: record.batches.map((batch, i) =>
    i === at
      ? {
          ...batch,
          stack: { ...batch.stack, version: null },
          measured: 0,
          verified: 'not-run',
          elapsed: null,
          rate: null,
          launches: null,
          inspections: batch.inspections.map((entry) => ({
            ...entry,
            status: 'crashed' as const,
            statistics: null,
            rate: null,
            verification: null,
          })),
        }
      : batch,
  ),
});

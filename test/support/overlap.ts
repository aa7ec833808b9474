/** Records of overlaps, as far as readers look at them. */
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';

const OVERLAP: NonNullable<RecordBatch['overlap']> = {
  compute: 1e-3,
  communicate: 4e-3,
  computeBeside: 1.1e-3,
  communicateBeside: 4.4e-3,
  hidden: 0.125,
  mostHidden: 0.25,
  gain: 1.5,
  computeSlowed: 1.1,
  communicateSlowed: 1.2,
  interval: { level: 0.95, low: -0.25, high: 0.375 },
};

/** The record as if its batches were of overlaps. @param hidden what each hides */
export function asOverlap(record: PiBenchRecord, hidden: readonly number[] = []): PiBenchRecord {
  const batches = record.batches.map((batch, i) => {
    const of = { ...batch.case, indicator: 'overlap' };
    const overlap = { ...OVERLAP, hidden: hidden[i] ?? OVERLAP.hidden };
    return { ...batch, case: of, asked: { ...batch.asked, case: of }, overlap };
  });
  return { ...record, batches };
}

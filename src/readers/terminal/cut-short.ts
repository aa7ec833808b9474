/** Batches of which no launch ran to its end: what they keep is no result, so a person is shown no figure of it. Pure. */
import { plural } from '../../quantities/format.js';
import { isResult } from '../../record/result.js';
import type { RecordBatch } from '../../record/schema.js';
import type { Style } from './style.js';
import type { Row } from './table.js';

/** Without what their shortened times would say; how their launches ended, and what disturbed them, stays. */
export function withoutShortened(batch: RecordBatch): RecordBatch {
  if (isResult(batch)) return batch;
  const { precision, ranks, overlap, datasheet, atOnce, ...kept } = batch;
  return {
    ...kept,
    elapsed: null,
    rate: null,
    roofline: null,
    launches: null,
    variance: null,
    pooled: null,
    violin: null,
    box: null,
  };
}

/** In place of a rate. A wrong output says more by itself, and came of a launch that did end. */
export function noResultRows({ measured, planned, verified }: RecordBatch, style: Style): Row[] {
  if (verified === 'failed') return [];
  const text = `no result: ${measured} of ${plural(planned, 'launch', 'launches')} ran to their end`;
  return [['rate', style.warn(text)]];
}

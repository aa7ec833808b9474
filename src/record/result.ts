/** What of a record is a result. Pure. */
import { digestOf } from './digest.js';
import type { InspectionStatus, PiBenchRecord, RecordBatch, RecordInspection } from './schema.js';

/**
 * Whether some launch of a batch ran to its end. What those that were cut short had measured until then is no result of its case: of
 * a million repetitions that were asked for there may be 460,000. It stays with the launch that measured it, beside how that ended; its
 * batch has no figure of it and no KPI, is no point of a curve or of a fit, nothing is advised by it, and nothing is compared with it.
 */
export const isResult = ({ measured }: Pick<RecordBatch, 'measured'>): boolean => measured > 0;

const CUT_SHORT: readonly InspectionStatus[] = ['interrupted', 'timed-out'];

export const isCutShort = ({ status }: Pick<RecordInspection, 'status'>): boolean =>
  CUT_SHORT.includes(status);

/** Of a batch whose case has no score on its stack. */
export const NO_FIGURES = {
  elapsed: null,
  rate: null,
  roofline: null,
  launches: null,
  variance: null,
  pooled: null,
  violin: null,
  box: null,
} as const;

/** A wrong output is one wherever it was seen; a right one of a launch that was cut short verifies no result. */
export function verifiedOf(
  launches: readonly Pick<RecordInspection, 'status' | 'verification'>[],
): RecordBatch['verified'] {
  const checked = launches.filter(({ verification }) => verification !== null);
  if (checked.some(({ verification }) => verification?.passed === false)) return 'failed';
  return checked.every(isCutShort) ? 'not-run' : 'passed';
}

function withoutCutShort(batch: RecordBatch): RecordBatch {
  if (isResult(batch) || batch.imported !== undefined) return batch;
  const { precision, ranks, overlap, datasheet, atOnce, ...kept } = batch;
  return { ...kept, ...NO_FIGURES, verified: verifiedOf(batch.inspections) };
}

const hasFigures = (batch: RecordBatch): boolean =>
  !isResult(batch) && batch.imported === undefined && batch.elapsed !== null;

/**
 * A record as it is read. Earlier versions gave a batch of which no launch ran to its end the figures of those that were cut short,
 * as if they were a result: they are left out, and the digest is that of what is left.
 */
export function withoutFiguresCutShort(record: PiBenchRecord): PiBenchRecord {
  if (!record.batches.some(hasFigures)) return record;
  const sound = {
    ...record,
    batches: record.batches.map((batch) => (hasFigures(batch) ? withoutCutShort(batch) : batch)),
  };
  return { ...sound, digest: digestOf(sound) };
}

/** The clock rate of a batch, and what one thread executes in a cycle of it. Pure. */
import { median } from '../statistics/quantile.js';
import type { Hertz } from '../units.js';
import type { RecordBatch } from './schema.js';

/** Median over launches; null where no launch knows it. */
export function effectiveFrequency({ inspections }: Pick<RecordBatch, 'inspections'>): Hertz | null {
  const known = inspections.flatMap(({ frequency, status }) =>
    status === 'measured' && frequency != null ? [frequency] : [],
  );
  return known.length === 0 ? null : median(known);
}

/** Of an indicator whose rate counts operations; null where the rate or the clock is not known. */
export function operationsPerCycle(batch: Pick<RecordBatch, 'inspections' | 'rate' | 'case'>): number | null {
  const frequency = effectiveFrequency(batch);
  const { threads } = batch.case.parameters;
  if (frequency === null || batch.rate === null || typeof threads !== 'number') return null;
  return batch.rate.median / threads / frequency;
}

/** Which KPI is of which batch: by the place that it names, or, in records from before it did, by its labels. Pure. */
import { indicators } from '../indicators/index.js';
import { batchLabels } from '../record/labels.js';
import { isResult } from '../record/result.js';
import type { Labels, PiBenchRecord, RecordBatch, ScalarKpi } from '../record/schema.js';

/** A curve is its points, which are KPIs of their own. */
const isScalar = (kpi: PiBenchRecord['kpis'][number]): kpi is ScalarKpi => 'value' in kpi;

/** Whether a KPI may be of a batch: it has the batch's labels, and beside them only names that others of its indicator have. */
const fits = (own: Labels, { labels }: ScalarKpi): boolean =>
  Object.entries(labels).every(([name, value]) => value === (own[name] ?? null));

/** A batch without a score has fewer KPIs than others that go by its labels. */
function has(batch: RecordBatch, name: string): boolean {
  if (!isResult(batch)) return false;
  const all = indicators.find((one) => one.name === batch.case.indicator)?.kpis ?? [];
  const declared = all.find((one) => one.name === name);
  return declared === undefined || declared.value(batch, { timeToResult: 0 }) !== null;
}

/** Labels do not say how a batch was sampled: those of batches that have the same are in their order. */
function byLabels(
  kpis: readonly ScalarKpi[],
  { batches, labels }: PiBenchRecord,
): readonly (readonly ScalarKpi[])[] {
  const left = new Set(kpis);
  return batches.map((batch) => {
    const source = batch.imported === undefined ? {} : { source: batch.imported.source };
    const own = { ...batchLabels(labels, batch), ...source };
    const found = new Map<string, ScalarKpi>();
    for (const kpi of left)
      if (!found.has(kpi.name) && fits(own, kpi) && has(batch, kpi.name)) found.set(kpi.name, kpi);
    for (const kpi of found.values()) left.delete(kpi);
    return [...found.values()];
  });
}

/** Of each batch those that are its own. */
export function kpisOfBatches(record: PiBenchRecord): readonly (readonly ScalarKpi[])[] {
  const kpis = record.kpis.filter(isScalar);
  if (kpis.some(({ batch }) => batch === undefined)) return byLabels(kpis, record);
  return record.batches.map((_, index) => kpis.filter(({ batch }) => batch === index));
}

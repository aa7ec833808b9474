/** The KPIs of a batch, as its indicator declares them. Pure. */
import type { Seconds } from '../units.js';
import type { KpiDeclaration } from './kpi.js';
import { basisOf } from './kpi-basis.js';
import { batchLabels } from './labels.js';
import { isResult } from './result.js';
import type { Kpi, Labels, RecordBatch } from './schema.js';

export interface KpiContext {
  readonly timeToResult: Seconds;
  /** ISO, of the campaign or of what it was imported from: for launches that do not tell when they ended. */
  readonly timestamp: string;
  /** Place of the batch in its record. */
  readonly index: number;
}

/**
 * @param labels of the record; those of the batch are added. KPIs that the batch does not have are left out; all are where no launch
 *   ran to its end.
 */
export function kpisOf(
  declarations: readonly KpiDeclaration[],
  batch: RecordBatch,
  labels: Labels,
  { timeToResult, timestamp, index }: KpiContext,
): Kpi[] {
  if (!isResult(batch)) return [];
  const own = batchLabels(labels, batch);
  const basis = basisOf([batch], timestamp);
  return declarations.flatMap((kpi) => {
    const value = kpi.value(batch, { timeToResult });
    if (value === null) return [];
    const { name, direction, help, statistic, regression } = kpi;
    return {
      name,
      value: value.value,
      unit: kpi.unit(batch),
      direction,
      help,
      statistic,
      ci: value.ci,
      display: { ...kpi.display(batch) },
      regression,
      labels: own,
      batch: index,
      launches: value.launches ?? batch.measured,
      ...basis,
    };
  });
}

/** KPIs of one indicator have the same label keys: a case on a GPU has other parameters than one on the CPU. */
export function withSameLabels(kpis: readonly Kpi[]): Kpi[] {
  const keys = new Map<string, Set<string>>();
  for (const { labels } of kpis) {
    const known = keys.get(String(labels.indicator)) ?? new Set<string>();
    for (const key of Object.keys(labels)) known.add(key);
    keys.set(String(labels.indicator), known);
  }
  return kpis.map((kpi) => {
    const all = [...(keys.get(String(kpi.labels.indicator)) ?? [])];
    const missing = all.filter((key) => !(key in kpi.labels));
    if (missing.length === 0) return kpi;
    return { ...kpi, labels: { ...Object.fromEntries(missing.map((key) => [key, null])), ...kpi.labels } };
  });
}

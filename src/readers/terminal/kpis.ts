/** Every KPI of a record, for who wants all of them. Pure. */
import { significant } from '../../quantities/format.js';
import { batchLabels } from '../../record/labels.js';
import type { Labels, PiBenchRecord, ScalarKpi } from '../../record/schema.js';
import { nameBatches } from '../batch-names.js';
import type { Style } from './style.js';
import { renderColumns } from './table.js';

const COLUMNS = [
  { head: 'KPI', align: 'left' },
  { head: 'value', align: 'right' },
  { head: '95 %', align: 'right' },
  { head: 'unit', align: 'left' },
] as const;

/** A curve is its points, which are KPIs of their own. */
const isScalar = (kpi: PiBenchRecord['kpis'][number]): kpi is ScalarKpi => 'value' in kpi;

function cellsOf({ name, value, ci, display: { divisor, unit, digits } }: ScalarKpi): readonly string[] {
  const shown = (number: number): string => significant(number / divisor, digits);
  return [name, shown(value), ci === null ? '' : `${shown(ci.low)}–${shown(ci.high)}`, unit];
}

/** Whether a KPI is of a batch: it has the batch's labels, and beside them only names that others of its indicator have. */
const isOf = (own: Labels, { labels }: ScalarKpi): boolean =>
  Object.entries(labels).every(([name, value]) => value === (own[name] ?? null));

/** A table for each batch. */
export function kpiLines({ kpis, batches, labels }: PiBenchRecord, style: Style): readonly string[] {
  const { names } = nameBatches(batches);
  const scalars = kpis.filter(isScalar);
  return batches.flatMap((batch, i) => {
    const source = batch.imported === undefined ? {} : { source: batch.imported.source };
    const own = { ...batchLabels(labels, batch), ...source };
    const rows = scalars.filter((kpi) => isOf(own, kpi)).map(cellsOf);
    if (rows.length === 0) return [];
    const name = names[i] ?? null;
    return ['', ...(name === null ? [] : [`  ${name}`]), renderColumns([...COLUMNS], rows, style)];
  });
}

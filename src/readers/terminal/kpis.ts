/** Every KPI of a record, for who wants all of them. Pure. */
import { significant } from '../../quantities/format.js';
import type { PiBenchRecord, ScalarKpi } from '../../record/schema.js';
import { nameBatches } from '../batch-names.js';
import { kpisOfBatches } from '../kpis-of-batches.js';
import { printable } from '../printable.js';
import { type Style, shownLength } from './style.js';
import { renderColumns } from './table.js';

const COLUMNS = [
  { head: 'KPI', align: 'left' },
  { head: 'value', align: 'right' },
  { head: '95 %', align: 'right' },
  { head: 'unit', align: 'left' },
] as const;

function cellsOf({ name, value, ci, display: { divisor, unit, digits } }: ScalarKpi): readonly string[] {
  const shown = (number: number): string => significant(number / divisor, digits);
  return [name, shown(value), ci === null ? '' : `${shown(ci.low)}–${shown(ci.high)}`, unit];
}

/** Where a table would be wider than the terminal, each name stands above what belongs to it: none is cut. */
function renderKpis(rows: readonly (readonly string[])[], style: Style): string {
  const table = renderColumns([...COLUMNS], rows, style);
  if (table.split('\n').every((line) => shownLength(line) <= style.width)) return table;
  const [, ...columns] = COLUMNS;
  const [head = '', ...values] = renderColumns(
    columns,
    rows.map(([, ...rest]) => rest),
    style,
  ).split('\n');
  return [head, ...values.flatMap((line, i) => [`  ${style.dim(rows[i]?.[0] ?? '')}`, `  ${line}`])].join(
    '\n',
  );
}

/** A table for each batch. */
export function kpiLines(read: PiBenchRecord, style: Style): readonly string[] {
  const record = printable(read);
  const { names } = nameBatches(record.batches);
  return kpisOfBatches(record).flatMap((kpis, i) => {
    const rows = kpis.map(cellsOf);
    if (rows.length === 0) return [];
    const name = names[i] ?? null;
    return ['', ...(name === null ? [] : [`  ${name}`]), renderKpis(rows, style)];
  });
}

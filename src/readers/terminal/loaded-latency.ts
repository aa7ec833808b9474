/** Latency beside threads that read memory: a table for each order over working sets and numbers of these threads. */
import { formatBytes, significant } from '../../quantities/format.js';
import { loadTime } from '../../record/latency-kpis.js';
import type { RecordBatch } from '../../record/schema.js';
import type { Style } from './style.js';
import { type Column, renderColumns } from './table.js';
import { bytesOf } from './working-sets.js';

const NANO = 1e-9;
const GIGA = 1e9;

/** Threads that read memory meanwhile; null: nobody asked for any. */
export function loadOf({ case: { parameters } }: Pick<RecordBatch, 'case'>): number | null {
  return typeof parameters.load === 'number' ? parameters.load : null;
}

/** As a multiple of what the same load takes beside none of them; null: that was not measured. */
function timesUnloaded(batch: RecordBatch, batches: readonly RecordBatch[]): number | null {
  const rest = batches.find((other) => bytesOf(other) === bytesOf(batch) && loadOf(other) === 0);
  const [time, unloaded] = [loadTime(batch), rest === undefined ? null : loadTime(rest)];
  return time === null || unloaded === null ? null : time.value / unloaded.value;
}

function cellsOf(batch: RecordBatch, batches: readonly RecordBatch[], style: Style): readonly string[] {
  const nano = (seconds: number): string => significant(seconds / NANO);
  const head = [formatBytes(bytesOf(batch)), String(loadOf(batch) ?? '-')];
  if (batch.verified === 'failed') return [...head, '', style.bad('WRONG'), '', ''];
  const [time, times] = [loadTime(batch), timesUnloaded(batch, batches)];
  return [
    ...head,
    batch.traffic === undefined ? '-' : significant(batch.traffic.rate / GIGA),
    time === null ? style.warn('-') : style.bold(nano(time.value)),
    time?.ci == null ? '-' : `${nano(time.ci.low)}–${nano(time.ci.high)}`,
    times === null ? '-' : significant(times, 3),
  ];
}

/** @param batches of one order */
export function loadedTable(order: string, batches: readonly RecordBatch[], style: Style): string {
  const right = (head: string): Column => ({ head, align: 'right' });
  const rows = batches
    .toSorted((a, b) => bytesOf(a) - bytesOf(b) || (loadOf(a) ?? -1) - (loadOf(b) ?? -1))
    .map((batch) => cellsOf(batch, batches, style));
  const heads = ['', 'loading', 'GB/s', `${order}, ns`, '95 %', 'x'];
  return renderColumns(heads.map(right), rows, style);
}

/** What the columns are. */
export function loadedNotes(batches: readonly RecordBatch[]): string {
  const sets = [
    ...new Set(
      batches.flatMap(({ case: { parameters } }) =>
        parameters.loadBytes === undefined ? [] : Number(parameters.loadBytes),
      ),
    ),
  ];
  return `loading: threads that read main memory as fast as they can meanwhile, each ${sets.map(formatBytes).join(' or ')} of its own again and again, on a CPU of its own; GB/s: what they read together during the repetitions, counted by each of them; ns: time of one load of another thread, whose address the load before it brought; x: times that beside none of them.`;
}

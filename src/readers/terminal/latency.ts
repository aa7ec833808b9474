/** Batches of the latency indicator for a person: one table over working sets, its curve; rows for a page of one. */
import { loadText } from '../../indicators/latency-load.js';
import { formatBytes, formatSeconds, significant, withPrefix } from '../../quantities/format.js';
import { effectiveFrequency } from '../../record/clock.js';
import { cyclesOfLoad, loadTime } from '../../record/latency-kpis.js';
import { isCurve } from '../../record/read-curves.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import type { Hertz } from '../../units.js';
import { trafficText } from '../beside.js';
import { uncertaintyText } from './basis.js';
import { drawCurve, LEAST_CURVE } from './curve.js';
import { loadedNotes, loadedTable, loadOf } from './loaded-latency.js';
import type { Style } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
import { type Column, type Row, renderColumns } from './table.js';
import { bytesOf, hugePagesTexts, shortText, workingSetPage } from './working-sets.js';

const NANO = 1e-9;
const VERIFIED = 'where each chain ends, and that it goes through all lines';
const VERIFIED_LOADED = `${VERIFIED}; the sum of what each loading thread read`;
const COUNTED =
  'ns: time of one load whose address the load before it brought, on one thread, with no others of ours that load memory; cycles: of that thread’s clock, measured before and after the repetitions.';
const ORDERS: Readonly<Record<string, string>> = {
  random:
    'random: any line may follow any other, so past the reach of the TLB a load also waits for the walk of page tables, the less the larger the pages are.',
  pages:
    'pages: all lines of a page of 4 KiB, in random order, then those of another: nearly without that walk, but prefetchers that stay within a page may bring lines early.',
};

const orderOf = ({ case: { parameters } }: RecordBatch): string => String(parameters.order);

/** What a batch is called beside its size. */
function howOf(batch: RecordBatch): string {
  const load = loadOf(batch);
  return `${orderOf(batch)} order${load === null ? '' : `, ${loadText(load)}`}`;
}

function cyclesText(clock: Hertz | null, cycles: number | null): string {
  if (clock === null) return 'the clock is not known here';
  const rate = withPrefix(clock, 'Hz', 3);
  return cycles === null
    ? `not known: no launch tells how long its thread had a CPU (stolen, throttled or preempted), of a clock of ${rate}`
    : `${significant(cycles, 3)} a load, of a clock of ${rate}`;
}

/** What the page of one batch says first: who asks for a latency asks for a time. */
export function latencyRows(batch: RecordBatch, style: Style): Row[] {
  const time = batch.case.indicator === 'latency' ? loadTime(batch) : null;
  if (time === null) return [];
  const { value, ci } = time;
  const between =
    ci === null
      ? ''
      : `  ${Math.round(ci.level * 100)} % between ${formatSeconds(ci.low)} and ${formatSeconds(ci.high)}`;
  const [clock, cycles] = [effectiveFrequency(batch), cyclesOfLoad(batch)];
  const traffic = trafficText(batch);
  return [
    ['latency', `${style.bold(`${formatSeconds(value)} a load`)}${between}`],
    ['cycles', cyclesText(clock, cycles)],
    ...(traffic === null ? [] : ([['beside', traffic]] as Row[])),
  ];
}

function cellsOf(batch: RecordBatch | undefined, style: Style): readonly string[] {
  if (batch === undefined) return ['', '', ''];
  if (batch.verified === 'failed') return [style.bad('WRONG'), '', ''];
  const [time, cycles] = [loadTime(batch), cyclesOfLoad(batch)];
  const nano = (seconds: number): string => significant(seconds / NANO);
  return [
    time === null ? style.warn('-') : style.bold(nano(time.value)),
    time?.ci == null ? '-' : `${nano(time.ci.low)}–${nano(time.ci.high)}`,
    cycles === null ? '-' : significant(cycles, 3),
  ];
}

function table(batches: readonly RecordBatch[], orders: readonly string[], style: Style): string {
  const right = (head: string): Column => ({ head, align: 'right' });
  const sizes = [...new Set(batches.map(bytesOf))].sort((a, b) => a - b);
  const rows = sizes.map((size) => [
    formatBytes(size),
    ...orders.flatMap((order) =>
      cellsOf(
        batches.find((batch) => bytesOf(batch) === size && orderOf(batch) === order),
        style,
      ),
    ),
  ]);
  const columns = orders.flatMap((order) => [right(`${order}, ns`), right('95 %'), right('cycles')]);
  return renderColumns([right(''), ...columns], rows, style);
}

function curveLines({ kpis }: PiBenchRecord, style: Style): readonly string[] {
  return kpis
    .filter(isCurve)
    .filter(({ points }) => points.length >= LEAST_CURVE)
    .flatMap(({ points, labels }) => [
      '',
      ...drawCurve(
        points,
        {
          divisor: NANO,
          title: `${labels.order} order${labels.load == null ? '' : `, ${loadText(Number(labels.load))}`}, ns a load`,
        },
        style,
      ),
    ]);
}

/** @param record of latency batches only, more than one */
export function renderLatency(record: PiBenchRecord, style: Style): string {
  const { batches } = record;
  const [first] = batches;
  if (first === undefined) return '';
  const { stride, pin } = first.case.parameters;
  const orders = [...new Set(batches.map(orderOf))];
  const loaded = batches.some((batch) => loadOf(batch) !== null);
  const how = `1 thread${pin === true ? ', pinned' : ''}, lines of ${stride} B`;
  const by = loaded ? 'by working set and threads that read memory' : 'by working set';
  const head = `${style.bold(`latency, ${how}, ${by}`)}  ${style.dim(`${first.stack.provider}, ${first.device}`)}`;
  const tables = loaded
    ? orders.map((order) =>
        loadedTable(
          order,
          batches.filter((batch) => orderOf(batch) === order),
          style,
        ),
      )
    : [table(batches, orders, style)];
  const paragraphs = [
    verifiedText(batches, loaded ? VERIFIED_LOADED : VERIFIED, style),
    ...failedText(batches, style),
    ...precisionText(batches, style),
    ...shortText(record).map(style.warn),
    ...uncertaintyText(batches),
    ...hugePagesTexts(batches, howOf, style),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ];
  const counted = loaded ? loadedNotes(batches) : COUNTED;
  const notes = [counted, ...orders.flatMap((order) => ORDERS[order] ?? [])].join(' ');
  return workingSetPage({ head, table: tables, curves: curveLines(record, style), paragraphs, notes }, style);
}

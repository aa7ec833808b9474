/** A sweep of the memory indicator for a person: one table, the curve of reading, what to know of it. */
import { isGpu } from '../../devices/device.js';
import { machineOn } from '../../devices/machine-on-part.js';
import { shortOfMain } from '../../indicators/memory-sizes.js';
import { availableMemory } from '../../machine/capacity.js';
import { impliedCaches } from '../../machine/implied-caches.js';
import type { MachineDescription } from '../../machine/types.js';
import { formatBytes, formatShare, plural, significant } from '../../quantities/format.js';
import { executedByAll, executedTexts } from '../../record/executed.js';
import { readCurves } from '../../record/read-curves.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { median } from '../../statistics/quantile.js';
import { hugePagesOf, lackingText } from '../huge-pages.js';
import { intervalsText } from './basis.js';
import { drawCurve } from './curve.js';
import { impliedText } from './implied-caches.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, verifiedText } from './sweep.js';

const GIGA = 1e9;
const DIGITS = 4;
const CURVE_ROWS = 6;
/** A curve of fewer points shows nothing that the table does not. */
const LEAST_CURVE = 6;
/** Of an operation's columns; a column holds four digits and a point. */
const COLUMN = 6;
const SHORT: Readonly<Record<string, string>> = {
  none: '',
  cached: 'cache',
  streaming: 'strm',
  auto: 'auto',
};

interface Column {
  readonly operation: string;
  readonly stores: string;
}

const parameter = (batch: RecordBatch, name: string): string => String(batch.case.parameters[name]);
const bytesOf = (batch: RecordBatch): number => Number(batch.case.parameters.bytes);
const isIn = (batch: RecordBatch, { operation, stores }: Column): boolean =>
  parameter(batch, 'operation') === operation && parameter(batch, 'stores') === stores;

/** In the order of the campaign. */
function columnsOf(batches: readonly RecordBatch[]): readonly Column[] {
  const columns: Column[] = [];
  for (const batch of batches) {
    if (columns.some((column) => isIn(batch, column))) continue;
    columns.push({ operation: parameter(batch, 'operation'), stores: parameter(batch, 'stores') });
  }
  return columns;
}

function cell(batch: RecordBatch | undefined, style: Style): string {
  if (batch === undefined) return ' '.repeat(COLUMN);
  if (batch.verified === 'failed') return style.bad('WRONG'.padStart(COLUMN));
  if (batch.rate === null) return style.warn('-'.padStart(COLUMN));
  const rate = batch.rate.median / GIGA;
  return significant(rate, rate >= 100 ? DIGITS : DIGITS - 1).padStart(COLUMN);
}

/** Operations above their ways to store. */
function headLines(columns: readonly Column[], first: string, style: Style): readonly string[] {
  const operations = columns.map(({ operation }, i) =>
    columns[i - 1]?.operation === operation ? '' : operation,
  );
  const line = (texts: readonly string[]): string => texts.map((text) => text.padStart(COLUMN)).join('');
  return [
    `${' '.repeat(first.length)}${line(operations)}`,
    `${first}${line(columns.map(({ stores }) => SHORT[stores] ?? stores))}`,
  ].map((text) => `  ${style.dim(text.trimEnd())}`);
}

function tableLines(batches: readonly RecordBatch[], style: Style): readonly string[] {
  const columns = columnsOf(batches);
  const sizes = [...new Set(batches.map(bytesOf))].sort((a, b) => a - b);
  const labels = sizes.map(formatBytes);
  const width = Math.max(...labels.map(({ length }) => length));
  const rows = sizes.map((size, i) => {
    const cells = columns.map((column) =>
      cell(
        batches.find((batch) => bytesOf(batch) === size && isIn(batch, column)),
        style,
      ),
    );
    return `  ${(labels[i] ?? '').padStart(width)}${cells.join('')}`.trimEnd();
  });
  return [...headLines(columns, 'GB/s'.padEnd(width), style), ...rows];
}

function curveLines(record: PiBenchRecord, style: Style): readonly string[] {
  return readCurves(record).flatMap((curve) => {
    const { points } = curve;
    if (points.length < LEAST_CURVE) return [];
    const { cpu } = record.machine as unknown as MachineDescription;
    const implied = impliedCaches(points, curve, cpu);
    const text =
      implied.length === 0
        ? 'implies no cache: its rate has no steps'
        : `implies ${implied.map(impliedText).join('; ')}`;
    return [
      '',
      ...drawCurve(points, style.width, CURVE_ROWS, style),
      ...wrap(`reading ${text}`, style.width - 2).map((line) => `  ${line}`),
    ];
  });
}

/** Where the sweep's largest size was to be memory's, and free memory did not allow it. */
export function shortText({ batches, machine }: PiBenchRecord): readonly string[] {
  const description = machine as unknown as MachineDescription;
  const device = batches[0]?.device ?? 'cpu';
  // Records that were not written here may tell less of their machine.
  if (isGpu(device) || !('limits' in machine)) return [];
  const largest = Math.max(...batches.map(bytesOf));
  const here = machineOn(device, description);
  const short = shortOfMain(largest, here.cpu, availableMemory(here));
  if (short === null) return [];
  const { last, times } = short;
  const reached = times <= 1 ? 'memory was not reached' : 'a part of it is read from caches';
  return [
    `${formatBytes(largest)} is ${significant(times, 2)} times the last caches (${formatBytes(last)} together): ${reached}; half of the free memory allowed no more`,
  ];
}

/** Half the width of the intervals, as shares of their rates. */
function uncertaintyText(batches: readonly RecordBatch[]): string {
  const widths = batches.flatMap(({ rate, title }) =>
    rate?.interval == null
      ? []
      : [{ title, width: (rate.interval.high - rate.interval.low) / 2 / rate.median }],
  );
  const worst = [...widths].sort((a, b) => b.width - a.width)[0];
  if (worst === undefined) return 'no intervals: too few launches of each case; use --inspections 3 or more';
  const middle = median(widths.map(({ width }) => width));
  return `${intervalsText(batches).join('')}: half of the cases are within ± ${formatShare(middle)}; the widest is ± ${formatShare(worst.width)} (${worst.title})`;
}

/** Of working sets that take whole huge pages. */
function hugePagesTexts(batches: readonly RecordBatch[], style: Style): readonly string[] {
  const large = batches.flatMap((batch) => {
    const pages = hugePagesOf(batch);
    return pages === null ? [] : [{ batch, pages }];
  });
  if (large.length === 0) return [];
  const lacking = lackingText(
    large.map(({ batch }) => batch),
    large.map(({ batch }) => `${parameter(batch, 'operation')} ${formatBytes(bytesOf(batch))}`),
  );
  if (lacking.length > 0) return lacking.map((text) => style.warn(`huge pages are missing: ${text}`));
  const least = Math.min(...large.map(({ batch }) => bytesOf(batch)));
  const launches = batches
    .filter((batch) => bytesOf(batch) >= least)
    .reduce(
      (sum, { inspections }) => sum + inspections.filter(({ status }) => status === 'measured').length,
      0,
    );
  const telling = large.reduce((sum, { pages }) => sum + pages.telling, 0);
  const where = telling === launches ? 'every launch' : `the ${telling} of ${launches} launches that tell`;
  return [`huge pages wherever arrays from ${formatBytes(least)} on have room for one, in ${where}`];
}

const VERIFIED = 'every element compared, exactly; reading by the sum of all words';
/** As the addon names streaming stores to several pages in turns. */
const PAGED = 'paged streaming';
const CHOSEN =
  'Each launch took the instruction set, and for streaming the order, that was fastest over its arrays, by trial; the record names both.';
const COUNTED =
  'cache: plain stores; strm: streaming (non-temporal) stores. Bytes are those that loads and stores move: write-allocate, the line that a plain store reads first where no cache has it, is not counted (past the caches it adds up to 1/1 to write, 1/2 to copy and scale, 1/3 to add and triad, unless the CPU avoids it).';

/** Of all cases, the most frequent first. */
function instructionSets(batches: readonly RecordBatch[]): readonly string[] {
  const all = batches.flatMap(({ stack }) => executedTexts(stack.implementation));
  return executedTexts(executedByAll(all.map((text) => text.split(',')[0] ?? null)));
}

/** @param record of memory batches only, more than one */
export function renderMemory(record: PiBenchRecord, style: Style): string {
  const { batches } = record;
  const [first] = batches;
  if (first === undefined) return '';
  const { stack, case: sample } = first;
  const { threads, pin } = sample.parameters;
  const how = `${plural(Number(threads), 'thread')}${pin === true ? ', pinned' : ''}`;
  const sets = instructionSets(batches);
  const variant = sets.length === 0 ? stack.variant : sets.join('/');
  const head = `${style.bold(`memory, ${how}, by working set`)}  ${style.dim(`${stack.provider}${variant === null ? '' : ` ${variant}`}, ${first.device}`)}`;
  const chose =
    sets.length > 1 || batches.some(({ stack }) => stack.implementation?.includes(PAGED) === true);
  const notes = chose ? `${CHOSEN} ${COUNTED}` : COUNTED;
  const paragraphs = [
    verifiedText(batches, VERIFIED, style),
    ...failedText(batches, style),
    ...shortText(record).map(style.warn),
    uncertaintyText(batches),
    ...hugePagesTexts(batches, style),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ];
  return [
    ...wrap(head, style.width),
    '',
    ...tableLines(batches, style),
    ...curveLines(record, style),
    '',
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
    '',
    ...wrap(notes, style.width - 2).map((line) => `  ${style.dim(line)}`),
  ].join('\n');
}

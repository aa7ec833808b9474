/** A sweep of the memory indicator for a person: one table, the curve of reading, what to know of it. */
import { impliedCaches } from '../../machine/implied-caches.js';
import type { MachineDescription } from '../../machine/types.js';
import { formatBytes, plural, significant } from '../../quantities/format.js';
import { executedByAll, executedTexts } from '../../record/executed.js';
import { readCurves } from '../../record/read-curves.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { uncertaintyText } from './basis.js';
import { drawCurve, LEAST_CURVE } from './curve.js';
import { impliedText } from './implied-caches.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
import { bytesOf, hugePagesTexts, shortText, workingSetPage } from './working-sets.js';

const GIGA = 1e9;
const DIGITS = 4;
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
      ...drawCurve(points, { divisor: GIGA, title: 'read, GB/s' }, style),
      ...wrap(`reading ${text}`, style.width - 2).map((line) => `  ${line}`),
    ];
  });
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
    ...precisionText(batches, style),
    ...shortText(record).map(style.warn),
    ...uncertaintyText(batches),
    ...hugePagesTexts(batches, (batch) => parameter(batch, 'operation'), style),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ];
  return workingSetPage(
    { head, table: tableLines(batches, style), curves: curveLines(record, style), paragraphs, notes },
    style,
  );
}

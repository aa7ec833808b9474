/** Batches of the peak indicator for a person: one table by data type; rows of the clock for a page of one. */
import { plural, significant, withPrefix } from '../../quantities/format.js';
import { effectiveFrequency, operationsPerCycle } from '../../record/clock.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { noCeilingTexts } from '../no-ceiling.js';
import { basisText, intervalsText } from './basis.js';
import { intervalText, outputText } from './rate-cells.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
import { type Column, type Row, renderColumns } from './table.js';

const GIGA = 1e9;
const COLUMNS: readonly Column[] = [
  { head: '', align: 'left' },
  { head: 'executed by', align: 'left' },
  { head: 'rate', align: 'right' },
  { head: '95 %', align: 'right' },
  { head: 'op/cycle', align: 'right' },
  { head: 'GHz', align: 'right' },
  { head: 'output', align: 'left' },
];
const VERIFIED = 'the sums in the registers of every thread, exactly';
const COUNTED =
  'op/cycle: operations that one thread executes in a cycle of the effective clock (GHz), which is that of the first thread, measured before and after the repetitions; of those in which no thread lost its CPU, so that under other load it is no quotient of the two columns. A multiply-add counts as two operations; nothing is read or written.';

function cellsOf(batch: RecordBatch, style: Style): readonly string[] {
  const { rate, rateUnit, stack } = batch;
  const [clock, perCycle] = [effectiveFrequency(batch), operationsPerCycle(batch)];
  return [
    String(batch.case.parameters.dtype),
    stack.implementation ?? stack.variant ?? '-',
    rate === null ? '-' : style.bold(withPrefix(rate.median, rateUnit)),
    intervalText(batch),
    perCycle === null ? '-' : significant(perCycle, 3),
    clock === null ? '-' : significant(clock / GIGA, 3),
    outputText(batch, style),
  ];
}

/** The clock of a batch and what it means for the rate. */
export function clockRows(batch: RecordBatch): Row[] {
  const [clock, perCycle] = [effectiveFrequency(batch), operationsPerCycle(batch)];
  if (clock === null) return [['clock', 'not known here']];
  const rows: Row[] = [['clock', `${withPrefix(clock, 'Hz', 3)} on the first thread`]];
  if (perCycle !== null) rows.push(['a cycle', `${significant(perCycle, 3)} operations of one thread`]);
  return rows;
}

/** @param record of peak batches only, more than one */
export function renderPeak({ batches }: PiBenchRecord, style: Style): string {
  const [first] = batches;
  if (first === undefined) return '';
  const { threads, pin } = first.case.parameters;
  const how = `${plural(Number(threads), 'thread')}${pin === true ? ', pinned' : ''}`;
  const head = `${style.bold(`peak, ${how}, by data type`)}  ${style.dim(`${first.stack.provider}, ${first.device}`)}`;
  const based = batches.find(({ elapsed }) => elapsed !== null);
  const intervals = intervalsText(batches);
  const paragraphs = [
    verifiedText(batches, VERIFIED, style),
    ...failedText(batches, style),
    ...precisionText(batches, style),
    ...noCeilingTexts(batches).map(style.warn),
    ...(intervals.length > 0 || based === undefined ? intervals : [basisText(based)]),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ];
  return [
    ...wrap(head, style.width),
    '',
    renderColumns(
      COLUMNS,
      batches.map((batch) => cellsOf(batch, style)),
      style,
    ),
    '',
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
    '',
    ...wrap(COUNTED, style.width - 2).map((line) => `  ${style.dim(line)}`),
  ].join('\n');
}

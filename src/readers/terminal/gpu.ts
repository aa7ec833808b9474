/** Several batches on GPUs for a person: one table, whatever their indicator. */
import { formatSeconds, formatShare, withPrefix } from '../../quantities/format.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { noCeilingTexts } from '../no-ceiling.js';
import { intervalsText } from './basis.js';
import { intervalText, outputText } from './rate-cells.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, verifiedText } from './sweep.js';
import { type Column, renderColumns } from './table.js';

const COLUMNS: readonly Column[] = [
  { head: '', align: 'left' },
  { head: 'executed by', align: 'left' },
  { head: 'rate', align: 'right' },
  { head: '95 %', align: 'right' },
  { head: 'elapsed', align: 'right' },
  { head: 'of datasheet', align: 'right' },
  { head: 'output', align: 'left' },
];
const VERIFIED = 'exactly, or within what rounding may cause, as each record says';

function cellsOf(batch: RecordBatch, several: boolean, style: Style): readonly string[] {
  const { rate, rateUnit, stack, elapsed, datasheet, title, device } = batch;
  return [
    several ? `${title} (${device})` : title,
    `${stack.provider} ${stack.implementation ?? stack.variant ?? ''}`.trim(),
    rate === null ? '-' : style.bold(withPrefix(rate.median, rateUnit)),
    intervalText(batch),
    elapsed === null ? '-' : formatSeconds(elapsed.median),
    datasheet == null ? '-' : formatShare(datasheet.share, 3),
    outputText(batch, style),
  ];
}

/** @param record of batches on GPUs only, more than one */
export function renderGpuTable({ batches }: PiBenchRecord, style: Style): string {
  const devices = [...new Set(batches.map(({ device }) => device))];
  const indicators = [...new Set(batches.map((batch) => batch.case.indicator))];
  const several = devices.length > 1;
  const paragraphs = [
    verifiedText(batches, VERIFIED, style),
    ...failedText(batches, style),
    ...noCeilingTexts(batches).map(style.warn),
    ...intervalsText(batches),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ];
  return [
    `${style.bold(indicators.join(', '))}  ${style.dim(devices.join(', '))}`,
    '',
    renderColumns(
      COLUMNS,
      batches.map((batch) => cellsOf(batch, several, style)),
      style,
    ),
    '',
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
  ].join('\n');
}

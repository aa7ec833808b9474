/** Several batches on GPUs for a person: one table, whatever their indicator. */
import { formatSeconds, formatShare, withPrefix } from '../../quantities/format.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { nameBatches } from '../batch-names.js';
import { noCeilingTexts, noPeakTexts } from '../no-ceiling.js';
import { intervalsText } from './basis.js';
import { intervalText, outputText } from './rate-cells.js';
import { type Style, wrap } from './style.js';
import { failedText, flagsText, notCheckedText, precisionText, verifiedText } from './sweep.js';
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

/** By its case and, where that is not enough, by what else it differs in from the others. */
function titlesOf(batches: readonly RecordBatch[]): readonly string[] {
  const { names } = nameBatches(batches);
  const several = new Set(batches.map(({ device }) => device)).size > 1;
  const titles = batches.map(({ title, device }) => (several ? `${title} (${device})` : title));
  const executed = batches.map(({ stack }, i) => `${titles[i]} ${executedBy(stack)}`);
  return titles.map((title, i) =>
    executed.filter((one) => one === executed[i]).length > 1 ? `${title}, ${names[i] ?? ''}` : title,
  );
}

const executedBy = ({ provider, implementation, variant }: RecordBatch['stack']): string =>
  `${provider} ${implementation ?? variant ?? ''}`.trim();

function cellsOf(batch: RecordBatch, title: string, style: Style): readonly string[] {
  const { rate, rateUnit, stack, elapsed, datasheet } = batch;
  return [
    title,
    executedBy(stack),
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
  const titles = titlesOf(batches);
  const paragraphs = [
    verifiedText(batches, VERIFIED, style),
    ...failedText(batches, style),
    ...precisionText(batches, style, titles),
    ...noCeilingTexts(batches).map(style.warn),
    ...noPeakTexts(batches).map((text) => `efficiency not known: ${text}`),
    ...intervalsText(batches),
    flagsText(batches, style),
    ...notCheckedText(batches).map(style.dim),
  ];
  return [
    `${style.bold(indicators.join(', '))}  ${style.dim(devices.join(', '))}`,
    '',
    renderColumns(
      COLUMNS,
      batches.map((batch, i) => cellsOf(batch, titles[i] ?? batch.title, style)),
      style,
    ),
    '',
    ...paragraphs.flatMap((text) => wrap(text, style.width - 2)).map((line) => `  ${line}`),
  ].join('\n');
}

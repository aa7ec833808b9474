/** The stability table: several batches of a campaign, one row each, over their launch medians; of several stacks their rates first. */
import { formatShare, plural, prefixOf, significant, withPrefix } from '../../quantities/format.js';
import { commandName } from '../../record/command-name.js';
import { launchStatisticsOf } from '../../record/launch-statistics.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { medianRate } from '../../record/work.js';
import { nameBatches } from '../batch-names.js';
import { lackingText } from '../huge-pages.js';
import { noCeilingTexts, noPeakTexts } from '../no-ceiling.js';
import { ran } from '../not-checked.js';
import { missedPrecision } from '../precision.js';
import { recommendationTexts } from '../recommendation.js';
import { intervalsText } from './basis.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { importedNotes, remarksOf } from './imported.js';
import { noScoreCell } from './rate-cells.js';
import { RATES_CAPTION, RATES_FITTING, ratesCells, severalStacks } from './rates-first.js';
import { sparkline } from './sparkline.js';
import { type Style, wrap } from './style.js';
import { flagsText, notCheckedText, verifiedText } from './sweep.js';
import { renderRows } from './table.js';
import { shortText } from './working-sets.js';

const NONE = '–';
const SPARK_WIDTH = 12;
/** Batches of which it is said why launches were not measured, or why they ended. */
const MOST_TOLD = 10;
/** Left out from the last to the first where a terminal is too narrow for all. */
const OPTIONAL = ['over time', 'rate', 'IQR', 'std error'];

/** Letters for the flags, so that a row stays a row; the legend says what they mean. */
function lettersOf(batches: readonly RecordBatch[]): ReadonlyMap<string, string> {
  const names = [...new Set(batches.flatMap(({ flags }) => flags.map(({ name }) => name)))].sort();
  return new Map(names.map((name, i) => [name, String.fromCharCode('a'.charCodeAt(0) + i)]));
}

function launchesText({ measured, planned }: RecordBatch, style: Style): string {
  return measured === planned ? String(measured) : style.bad(`${measured} of ${planned}`);
}

function flagLetters(batch: RecordBatch, letters: ReadonlyMap<string, string>, style: Style): string {
  const flags = batch.flags
    .map(({ name }) => letters.get(name) ?? '?')
    .sort()
    .join('');
  return flags === '' ? (ran(batch) ? '' : NONE) : style.warn(flags);
}

function cellsOf(
  batch: RecordBatch,
  name: string,
  letters: ReadonlyMap<string, string>,
  style: Style,
): readonly Cell[] {
  const launches = launchStatisticsOf(batch);
  const { median } = launches;
  const [factor, prefix] = prefixOf(median ?? 1);
  const time = (value: number | null | undefined, digits = 3): string =>
    typeof value === 'number' ? significant(value / factor, digits) : NONE;
  const rate = medianRate(batch);
  const right = (head: string, text: string): Cell => ({ head, align: 'right', text });
  return [
    { head: 'batch', align: 'left', text: name },
    right('n', launchesText(batch, style)),
    right(
      'median',
      median === undefined ? noScoreCell(batch, style) : style.bold(`${time(median, 4)} ${prefix}s`),
    ),
    right('std', time(launches.std)),
    right('std error', time(launches.stdError)),
    right('CV', typeof launches.cv === 'number' ? formatShare(launches.cv) : NONE),
    // Of one launch there is no spread to tell.
    right('IQR', typeof launches.std !== 'number' ? NONE : time(launches.iqr)),
    right('min–max', median === undefined ? NONE : `${time(launches.min, 4)}–${time(launches.max, 4)}`),
    right('rate', rate === null ? NONE : withPrefix(rate, batch.rateUnit)),
    { head: 'over time', align: 'left', text: sparkline(launches.medians ?? [], SPARK_WIDTH) },
    { head: 'flags', align: 'left', text: flagLetters(batch, letters, style) },
  ];
}

function legend(letters: ReadonlyMap<string, string>, style: Style): readonly string[] {
  if (letters.size === 0) return [];
  return [[...letters].map(([name, letter]) => `${style.warn(letter)} ${name}`).join(', ')];
}

/** Of each batch that lost launches why: stacks of one command fail each for a reason of its own. */
function failedTexts(
  batches: readonly RecordBatch[],
  names: readonly string[],
  style: Style,
): readonly string[] {
  const texts = batches.flatMap(({ inspections }, i) => {
    const [first, ...others] = inspections.filter(({ status }) => status !== 'measured');
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : `; ${plural(others.length, 'launch', 'launches')} more`;
    return [style.bad(`${names[i]}: launch ${first.index + 1} ${first.status}: ${first.reason}${more}`)];
  });
  const unsaid = texts.length - MOST_TOLD;
  if (unsaid <= 0) return texts;
  return [
    ...texts.slice(0, MOST_TOLD),
    style.bad(`and in ${plural(unsaid, 'batch', 'batches')} more; the record says why`),
  ];
}

/** A sweep asks how steady each batch is; who names several stacks asks which is the fastest. */
function tableText(
  record: PiBenchRecord,
  names: readonly string[],
  letters: ReadonlyMap<string, string>,
  style: Style,
): readonly string[] {
  const { batches } = record;
  const rates = isOfRates(record);
  const cells = batches.map((batch, i) => {
    const name = names[i] ?? '';
    if (!rates) return cellsOf(batch, name, letters, style);
    const flags = flagLetters(batch, letters, style);
    return ratesCells(batch, { name, launches: launchesText(batch, style), flags }, style);
  });
  const caption = rates
    ? `n launches each; ${RATES_CAPTION}`
    : 'n launches each; all else over their medians: one repetition’s time, in the unit of the row';
  return [
    ...wrap(caption, style.width - 2).map((line) => `  ${style.dim(line)}`),
    '',
    renderFitting(cells, rates ? RATES_FITTING : { optional: OPTIONAL, shortened: 'batch' }, style),
  ];
}

const isOfRates = ({ batches, campaign, imported }: PiBenchRecord): boolean =>
  imported === undefined && commandName(campaign) !== 'sweep' && severalStacks(batches);

export function renderStability(record: PiBenchRecord, style: Style): string {
  const { batches } = record;
  const { names } = nameBatches(batches);
  const shown = batches.map(({ title }, i) => names[i] ?? title);
  const letters = lettersOf(batches);
  const [first] = batches;
  const same = new Set(batches.map(({ case: one }) => one.indicator)).size === 1;
  const sameTitle = new Set(batches.map(({ title }) => title)).size === 1;
  const what = record.imported !== undefined && sameTitle ? first?.title : first?.case.indicator;
  return [
    style.bold(
      same
        ? `${what} over ${plural(batches.length, 'batch', 'batches')}`
        : plural(batches.length, 'batch', 'batches'),
    ),
    ...tableText(record, shown, letters, style),
    '',
    renderRows(
      [
        ...(isOfRates(record) ? intervalsText(batches) : []).map((line) => ['rate', line] as const),
        ...(record.imported === undefined
          ? ([
              ['output', verifiedText(batches, 'each launch', style)],
              ['flags', flagsText(batches, style)],
            ] as const)
          : importedNotes(batches, letters, style)),
        ...(record.imported === undefined ? legend(letters, style) : []).map((line) => ['', line] as const),
        ...failedTexts(batches, shown, style).map((line) => ['failed', line] as const),
        ...noCeilingTexts(batches).map((line) => ['ceiling', style.warn(line)] as const),
        ...noPeakTexts(batches).map((line) => ['efficiency', `not known: ${line}`] as const),
        ...shortText(record).map((line) => ['working set', style.warn(line)] as const),
        ...lackingText(batches, shown).map((line) => ['huge pages', style.warn(line)] as const),
        ...missedPrecision(
          batches.map(({ precision = null }, i) => ({ name: shown[i] ?? '', precision })),
          MOST_TOLD,
        ).map((line) => ['precision', style.warn(line)] as const),
        ...notCheckedText(batches).map((line) => ['', style.dim(line)] as const),
        ...remarksOf(batches).map((line) => ['remark', style.warn(line)] as const),
        ...recommendationTexts(record).map((text) => ['repetitions', text] as const),
      ],
      style,
    ),
  ].join('\n');
}

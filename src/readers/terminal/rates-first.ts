/** The table of several stacks: what each reaches and how far that can be trusted first, how steady it was where there is room. Pure. */
import { formatSeconds, formatShare, prefixOf, significant, withPrefix } from '../../quantities/format.js';
import { type LaunchStatistics, launchStatisticsOf } from '../../record/launch-statistics.js';
import type { RecordBatch } from '../../record/schema.js';
import { medianRate } from '../../record/work.js';
import { passesPeak } from '../../statistics/roofline.js';
import { stackKey } from '../comparison/sides.js';
import type { Cell, Fitting } from './fitting-table.js';
import { intervalText, noScoreCell } from './rate-cells.js';
import { sparkline } from './sparkline.js';
import type { Style } from './style.js';

const NONE = '–';
const SPARK_WIDTH = 12;

export const RATES_CAPTION =
  'rate and median over the launches’ medians; efficiency: of the peak that the same threads reach in registers; CV: of the launches’ medians';

export const RATES_FITTING: Fitting = {
  optional: ['over time', 'min–max', 'CV', 'median', 'n', 'efficiency'],
  shortened: 'batch',
  atLast: ['95 %'],
};

export const severalStacks = (batches: readonly RecordBatch[]): boolean =>
  new Set(batches.map(({ stack }) => stackKey(stack))).size > 1;

const right = (head: string, text: string): Cell => ({ head, align: 'right', text });

function rangeText({ median, min, max }: LaunchStatistics): string {
  if (median === undefined || min === undefined || max === undefined) return NONE;
  const [factor] = prefixOf(median);
  return `${significant(min / factor)}–${significant(max / factor)}`;
}

function efficiencyText({ roofline }: RecordBatch, style: Style): string {
  if (roofline == null) return NONE;
  const text = formatShare(roofline.efficiency, 3);
  return passesPeak(roofline) ? style.warn(text) : text;
}

export function ratesCells(
  batch: RecordBatch,
  { name, launches, flags }: { readonly name: string; readonly launches: string; readonly flags: string },
  style: Style,
): readonly Cell[] {
  const own = launchStatisticsOf(batch);
  const rate = medianRate(batch);
  return [
    { head: 'batch', align: 'left', text: name },
    right('n', launches),
    right(
      'rate',
      rate !== null
        ? style.bold(withPrefix(rate, batch.rateUnit))
        : own.median === undefined
          ? noScoreCell(batch, style)
          : NONE,
    ),
    right('95 %', rate === null ? NONE : intervalText(batch)),
    right('efficiency', efficiencyText(batch, style)),
    right('median', own.median === undefined ? NONE : formatSeconds(own.median)),
    right('CV', typeof own.cv === 'number' ? formatShare(own.cv) : NONE),
    right('min–max', rangeText(own)),
    { head: 'over time', align: 'left', text: sparkline(own.medians ?? [], SPARK_WIDTH) },
    { head: 'flags', align: 'left', text: flags },
  ];
}

/** What of a communication hides behind products, for a headline, a table and a program. Pure. */
import { formatSeconds, formatShare, significant } from '../quantities/format.js';
import { gainOf, mostHiddenOf, slowedOf } from '../record/overlap-kpis.js';
import { isResult } from '../record/result.js';
import type { RecordBatch } from '../record/schema.js';
import type { Ratio, Seconds } from '../units.js';
import type { Cell } from './figures/figure.js';
import type { BatchModel, ReportModel } from './model.js';

export interface OverlapModel {
  /** Share of the communication; below 0: at once takes longer than one after the other. */
  readonly hidden: Ratio;
  readonly interval: NonNullable<RecordBatch['overlap']>['interval'];
  readonly mostHidden: Ratio;
  readonly gain: Ratio | null;
  readonly slowed: { readonly compute: Ratio; readonly communicate: Ratio } | null;
  readonly computeAlone: Seconds;
  readonly communicateAlone: Seconds;
}

/** null: it is of something else, or there is no result of it. */
export function overlapOf(batch: RecordBatch): OverlapModel | null {
  const { overlap } = batch;
  if (overlap === undefined || !isResult(batch)) return null;
  return {
    hidden: overlap.hidden,
    interval: overlap.interval,
    mostHidden: mostHiddenOf(overlap),
    gain: gainOf(batch),
    slowed: slowedOf(batch),
    computeAlone: overlap.compute,
    communicateAlone: overlap.communicate,
  };
}

const NONE = '–';
const percent = (value: Ratio): string => formatShare(value, 3);
const times = (value: Ratio | null | undefined): string =>
  value == null ? NONE : `${significant(value, 3)}x`;

export const hiddenText = ({ hidden }: OverlapModel): string =>
  `${percent(hidden)} of the communication hidden`;

/** The interval, or that there is none, and what could have hidden at all. */
export function hiddenUncertaintyText(
  { interval, mostHidden, gain }: OverlapModel,
  measured: number,
): string {
  const between =
    interval === null
      ? `no interval: ${measured === 1 ? 'one launch is' : `${measured} launches are`} too few`
      : `${Math.round(interval.level * 100)} % interval ${percent(interval.low)} to ${percent(interval.high)}, over ${measured} launches`;
  const faster = gain === null ? '' : `; at once ${times(gain)} as fast as one after the other`;
  return `${between}; at most ${percent(mostHidden)} could hide${faster}`;
}

export const OVERLAP_CAPTION =
  'Hidden: (matmul alone + collective alone - both at once) / collective alone, at most what matmul alone / collective alone allows; below 0: at once takes longer than one after the other. Gain: how many times as fast at once. Slowed: time beside the other / alone. The shares are medians of what each repetition says by its own times, so those of the times beside them need not be the same.';

export const OVERLAP_COLUMNS = [
  'batch',
  'hidden',
  '95 %',
  'at most',
  'gain',
  'matmul slowed',
  'collective slowed',
  'matmul alone',
  'collective alone',
  'at once',
] as const;

/** A row of texts for each batch that has it, one text for each of `OVERLAP_COLUMNS`. */
export function overlapRows({ batches }: Pick<ReportModel, 'batches'>): readonly (readonly string[])[] {
  return batches.flatMap(({ label, overlap, elapsed }) =>
    overlap === null
      ? []
      : [
          [
            label,
            percent(overlap.hidden),
            overlap.interval === null
              ? NONE
              : `${percent(overlap.interval.low)} to ${percent(overlap.interval.high)}`,
            percent(overlap.mostHidden),
            times(overlap.gain),
            times(overlap.slowed?.compute),
            times(overlap.slowed?.communicate),
            formatSeconds(overlap.computeAlone, 3),
            formatSeconds(overlap.communicateAlone, 3),
            elapsed === null ? NONE : formatSeconds(elapsed.median, 3),
          ],
        ],
  );
}

/** For a program, in base units. */
export const OVERLAP_FIELDS = [
  'overlap_hidden_ratio',
  'overlap_hidden_ratio_low',
  'overlap_hidden_ratio_high',
  'overlap_most_hidden_ratio',
  'overlap_gain_ratio',
  'overlap_matmul_slowed_ratio',
  'overlap_collective_slowed_ratio',
  'overlap_matmul_alone_seconds',
  'overlap_collective_alone_seconds',
] as const;

/** One cell for each of `OVERLAP_FIELDS`. */
export const overlapCells = ({ overlap }: Pick<BatchModel, 'overlap'>): readonly Cell[] => [
  overlap?.hidden ?? null,
  overlap?.interval?.low ?? null,
  overlap?.interval?.high ?? null,
  overlap?.mostHidden ?? null,
  overlap?.gain ?? null,
  overlap?.slowed?.compute ?? null,
  overlap?.slowed?.communicate ?? null,
  overlap?.computeAlone ?? null,
  overlap?.communicateAlone ?? null,
];

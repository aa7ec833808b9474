/** What bounds a batch, and what its ranks and other threads did beside it, over the launches that tell. Pure. */
import { isGpu } from '../devices/device.js';
import type { MachineDescription } from '../machine/types.js';
import { mergeOverlap } from '../statistics/merge-overlap.js';
import { median } from '../statistics/quantile.js';
import { mergeRanks } from '../statistics/rank-times.js';
import { roofline } from '../statistics/roofline.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import { intervalFor, medianOf } from './batch-headline.js';
import { datasheetShare } from './datasheet.js';
import type { RecordBatch } from './schema.js';
import type { Work } from './work.js';

/** Which launches measured a ceiling, where not all of them did. */
const measuredBy = (measuring: readonly AnalysedInspection[], resting: readonly AnalysedInspection[]) =>
  measuring.length === resting.length
    ? {}
    : { measuredBy: { launches: measuring.length, of: resting.length } };

/**
 * Ceilings move with the machine's mood: the median over the launches, as the rate is. Beside them stands the rate of those launches
 * only: those that measured no peak had moods of their own.
 */
export function rooflineOf(
  { flop, bytes }: Work,
  resting: readonly AnalysedInspection[],
): RecordBatch['roofline'] {
  const measuring = resting.filter(({ entry }) => entry.ceilings?.arithmetic != null);
  const arithmetic = measuring.flatMap(({ entry }) => entry.ceilings?.arithmetic ?? []);
  const memory = measuring.flatMap(({ entry }) => entry.ceilings?.memory ?? []);
  const [first] = arithmetic;
  if (first === undefined) return null;
  const elapsed = median(measuring.map(medianOf));
  const rates = arithmetic.map(({ rate }) => rate);
  const peak = median(rates);
  const bandwidth = memory.length === 0 ? null : median(memory.map(({ rate }) => rate));
  const looks = arithmetic.flatMap(({ inTurns }) => inTurns ?? []);
  return {
    ...roofline({ flop, bytes, elapsed, peak, bandwidth }),
    peakIsa: first.isa,
    ...(rates.length < 2
      ? {}
      : { peaks: { launches: rates.length, least: Math.min(...rates), most: Math.max(...rates) } }),
    ...measuredBy(measuring, resting),
    ...(memory.length === 0 ? {} : { bytes: median(memory.map((one) => one.bytes)) }),
    ...(looks.length === 0
      ? {}
      : {
          inTurns: {
            share: median(looks.map(({ share }) => share)),
            turns: looks.reduce((sum, { turns }) => sum + turns, 0),
          },
        }),
  };
}

type MovingCeiling = NonNullable<RecordBatch['ranks']>['ceiling'];

/** Of the launches that measured it, as `rooflineOf`. What has nothing to move has no ceiling of moving it. */
function movingOf(work: number, resting: readonly AnalysedInspection[]): MovingCeiling {
  const measuring = work === 0 ? [] : resting.filter(({ entry }) => entry.ceilings?.moving != null);
  const moving = measuring.flatMap(({ entry }) => entry.ceilings?.moving ?? []);
  const [first] = moving;
  if (first === undefined) return null;
  const rate = median(moving.map((one) => one.rate));
  return {
    ...first,
    rate,
    share: first.bytes / rate / median(measuring.map(medianOf)),
    ...measuredBy(measuring, resting),
  };
}

/** All launches as one; nothing where no ranks took part. */
export function ranksOf(work: number, resting: readonly AnalysedInspection[]): Pick<RecordBatch, 'ranks'> {
  const told = resting.flatMap(({ entry }) => entry.ranks ?? []);
  const merged = mergeRanks(told);
  if (merged === null) return {};
  const watched = told.flatMap(({ useful, runtime }) =>
    useful === null || runtime === null ? [] : [{ useful, runtime }],
  );
  return {
    ranks: {
      ...merged,
      ranks: [...merged.ranks],
      late: told.reduce((sum, { late }) => sum + late, 0),
      useful:
        watched.length === 0
          ? null
          : merged.ranks.map((_, rank) => median(watched.map(({ useful }) => useful[rank] ?? 0))),
      runtime: watched.length === 0 ? null : median(watched.map(({ runtime }) => runtime)),
      ceiling: movingOf(work, resting),
    },
  };
}

/** All launches as one; nothing where they measured no overlap. */
export function overlapOf(
  resting: readonly AnalysedInspection[],
  target: number | undefined,
): Pick<RecordBatch, 'overlap'> {
  const told = resting.flatMap(({ entry }) => entry.overlap ?? []);
  const merged = mergeOverlap(told, intervalFor(target));
  return merged === null ? {} : { overlap: { ...merged } };
}

/** Nothing where no other threads read. */
export function trafficOf(resting: readonly AnalysedInspection[]): Pick<RecordBatch, 'traffic'> {
  const told = resting.flatMap(({ entry }) => entry.traffic ?? []);
  const [first] = told;
  if (first === undefined) return {};
  return { traffic: { threads: first.threads, rate: median(told.map(({ rate }) => rate)) } };
}

/** Of a GPU; nothing of the CPU, of which no datasheet is asked. */
export const datasheetOf = (
  batch: Parameters<typeof datasheetShare>[0],
  machine: MachineDescription | null,
): Pick<RecordBatch, 'datasheet'> =>
  machine === null || !isGpu(batch.device) ? {} : { datasheet: datasheetShare(batch, machine) };

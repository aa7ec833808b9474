/** A batch of the record from its inspections: the headline rests on the launches, never on repetitions as if independent. */
import { isGpu } from '../devices/device.js';
import { findIndicator } from '../indicators/index.js';
import type { MachineDescription } from '../machine/types.js';
import { headlineOf as headlineOfLaunches, pool } from '../statistics/batch.js';
import { describeSamples } from '../statistics/describe.js';
import { type Interval, LEVEL, launchInterval } from '../statistics/interval.js';
import { mergeOverlap } from '../statistics/merge-overlap.js';
import { median, quantileSorted } from '../statistics/quantile.js';
import { quantileInterval } from '../statistics/quantile-interval.js';
import { mergeRanks } from '../statistics/rank-times.js';
import { roofline } from '../statistics/roofline.js';
import { lookedInterval, precisionReached } from '../statistics/stopping.js';
import type { Summary } from '../statistics/summary.js';
import {
  aboveCeiling,
  aboveDatasheet,
  aboveMostHidden,
  aboveMoving,
  together,
} from '../statistics/validity/above-ceiling.js';
import { launchesNotIndependent } from '../statistics/validity/launches-not-independent.js';
import { peakMoved } from '../statistics/validity/peak-moved.js';
import type { Flag } from '../statistics/validity/types.js';
import type { Seconds } from '../units.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import { datasheetShare } from './datasheet.js';
import { executedByAll } from './executed.js';
import { ofOneBuild } from './one-build.js';
import { NO_FIGURES, verifiedOf } from './result.js';
import type { BatchSpec, RecordBatch, StackIdentity } from './schema.js';
import { varianceOf } from './variance.js';
import { countedWork, type Work } from './work.js';

/** The violin spans the middle of the samples: a single stall would squeeze all of it to a line. */
const SHOWN = 0.98;

const plain = <T>(value: object): T => JSON.parse(JSON.stringify(value)) as T;

/** Launches on which the numbers rest: those that ran to their end. */
const restingOn = (inspections: readonly AnalysedInspection[]): readonly AnalysedInspection[] =>
  inspections.filter(
    ({ entry, samples }) => samples.length > 0 && entry.rate !== null && entry.status === 'measured',
  );

/** In the order in which they began: launches that were repeated later are not where their number puts them. */
function byTime(inspections: readonly AnalysedInspection[]): readonly AnalysedInspection[] {
  const began = ({ document }: AnalysedInspection): number => Date.parse(document?.startedAt ?? '') || 0;
  return inspections.toSorted((a, b) => began(a) - began(b));
}

const medianOf = ({ sorted }: AnalysedInspection): Seconds => quantileSorted(sorted, 0.5);

/** What bounds a batch, beside what it reached of it. */
type Bounds = Pick<RecordBatch, 'roofline' | 'ranks' | 'overlap' | 'datasheet'>;

const boundsPassed = ({ roofline, ranks, overlap, datasheet }: Bounds): Flag | null =>
  together([
    aboveCeiling(roofline ?? null),
    aboveMoving(ranks?.ceiling ?? null),
    aboveMostHidden(overlap ?? null),
    aboveDatasheet(datasheet ?? null),
  ]);

/** What no launch can say of itself; it holds for all on which the numbers rest. */
function batchFlags(
  resting: readonly AnalysedInspection[],
  bounds: Bounds,
  { precision, device, case: { indicator, parameters } }: BatchSpec,
): RecordBatch['flags'] {
  const inspections = resting.map(({ entry }) => entry.index);
  const dependent = launchesNotIndependent(byTime(resting).map(medianOf), precision !== undefined);
  const peaks = resting.flatMap(({ entry: { ceilings, frequency = null } }) =>
    ceilings?.arithmetic == null || isGpu(device) ? [] : [{ peak: ceilings.arithmetic.rate, frequency }],
  );
  const moved = peakMoved(peaks, findIndicator(indicator).rateUnit(parameters));
  return [dependent, boundsPassed(bounds), moved].flatMap((flag) =>
    flag === null ? [] : [{ ...flag, evidence: { ...flag.evidence }, inspections }],
  );
}

/** Each flag once, with the launches that raised it; the reason is that of the first. */
export function flagsOf(inspections: readonly Pick<AnalysedInspection, 'entry'>[]): RecordBatch['flags'] {
  const flags = new Map<string, RecordBatch['flags'][number]>();
  for (const { entry } of inspections) {
    for (const flag of entry.flags) {
      const known = flags.get(flag.name);
      if (known === undefined) flags.set(flag.name, { ...flag, inspections: [entry.index] });
      // Of several GPUs each may raise it.
      else if (!known.inspections.includes(entry.index)) known.inspections.push(entry.index);
    }
  }
  return [...flags.values()];
}

function disturbedShare(inspections: readonly AnalysedInspection[]): number | null {
  const shares = inspections.flatMap(({ entry: { disturbedShare: share, statistics } }) =>
    share === null ? [] : [{ share, n: Number(statistics?.n ?? 0) }],
  );
  const all = shares.reduce((sum, { n }) => sum + n, 0);
  return all === 0 ? null : shares.reduce((sum, { share, n }) => sum + share * n, 0) / all;
}

interface Headline {
  readonly elapsed: NonNullable<RecordBatch['elapsed']>;
  readonly launches: Record<string, unknown>;
  readonly precision: RecordBatch['precision'];
}

/** The interval as the record has it. */
export function recordedInterval(interval: Interval): NonNullable<RecordBatch['elapsed']>['interval'] {
  if (interval.ci === null) return null;
  const { level, method, basis } = interval;
  return { level, low: interval.ci.low, high: interval.ci.high, method, basis };
}

type RecordInterval = NonNullable<RecordBatch['elapsed']>['interval'];

/** Of whichever figure of the launches. @param target the precision that decided their number */
const intervalFor = (target: number | undefined): typeof launchInterval =>
  target === undefined ? launchInterval : lookedInterval;

/**
 * The time that a share of the repetitions stays below. Each launch has its own: of their quantile too the launches say how far it
 * can be trusted. Where a launch has no repetitions beyond it, its slowest stands for it, which many launches agree on without its
 * being that.
 * @param target the precision that decided the number of launches, whichever of their figures is looked at
 */
function lateOf(
  resting: readonly AnalysedInspection[],
  share: number,
  target: number | undefined,
): { readonly estimate: Seconds; readonly interval: RecordInterval } {
  const { estimate, interval, tooFewRepetitions } = quantileInterval(
    resting.map(({ sorted }) => sorted),
    share,
    LEVEL,
    intervalFor(target),
  );
  return { estimate, interval: resting.length < 2 || tooFewRepetitions ? null : recordedInterval(interval) };
}

/** @param target the precision that decided the number of launches: such launches have an interval of their own */
function headlineOf(resting: readonly AnalysedInspection[], target: number | undefined): Headline {
  const headline = headlineOfLaunches(
    resting.map(({ samples }) => samples),
    LEVEL,
    resting.map(medianOf),
  );
  const { launchMedians, betweenLaunches, estimate } = headline;
  const precision = target === undefined ? null : precisionReached(launchMedians, target);
  const { interval } = precision !== null && launchMedians.length > 1 ? precision : headline;
  const p99 = lateOf(resting, 0.99, target);
  return {
    precision:
      precision === null || target === undefined
        ? undefined
        : {
            target,
            reached: precision.reached,
            halfWidth: precision.halfWidth,
            ...(precision.worth === null ? {} : { worth: precision.worth }),
            reason: precision.reason,
          },
    elapsed: {
      median: estimate,
      interval: recordedInterval(interval),
      range: [betweenLaunches.min, betweenLaunches.max],
      basis: interval.basis,
      p99: p99.estimate,
      p99Interval: p99.interval,
    },
    launches: plain({ medians: launchMedians, ...betweenLaunches }),
  };
}

/** The interval of a rate from that of its time: low and high change places. */
const turned = (work: number, interval: RecordInterval): RecordInterval =>
  interval === null ? null : { ...interval, low: work / interval.high, high: work / interval.low };

/** A rate is the work divided by an elapsed time, so that rate x elapsed is the work, exactly. */
function rateOf(
  work: number,
  { elapsed }: Headline,
  resting: readonly AnalysedInspection[],
  target: number | undefined,
): RecordBatch['rate'] {
  const { interval } = elapsed;
  const p95 = lateOf(resting, 0.95, target);
  return {
    median: work / elapsed.median,
    p05: work / p95.estimate,
    p05Interval: turned(work, p95.interval),
    // As the others by the median of times: of an even number of launches the median of rates is another one.
    sustained: work === 0 ? 0 : 1 / median(resting.map(({ entry }) => 1 / (entry.rate?.sustained ?? 0))),
    interval: turned(work, interval),
  };
}

/** Which launches measured a ceiling, where not all of them did. */
const measuredBy = (measuring: readonly AnalysedInspection[], resting: readonly AnalysedInspection[]) =>
  measuring.length === resting.length
    ? {}
    : { measuredBy: { launches: measuring.length, of: resting.length } };

/**
 * Ceilings move with the machine's mood: the median over the launches, as the rate is. Beside them stands the rate of those launches
 * only: those that measured no peak had moods of their own.
 */
function rooflineOf({ flop, bytes }: Work, resting: readonly AnalysedInspection[]): RecordBatch['roofline'] {
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
function ranksOf(work: number, resting: readonly AnalysedInspection[]): Pick<RecordBatch, 'ranks'> {
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
function overlapOf(
  resting: readonly AnalysedInspection[],
  target: number | undefined,
): Pick<RecordBatch, 'overlap'> {
  const told = resting.flatMap(({ entry }) => entry.overlap ?? []);
  const merged = mergeOverlap(told, intervalFor(target));
  return merged === null ? {} : { overlap: { ...merged } };
}

/** Nothing where no other threads read. */
function trafficOf(resting: readonly AnalysedInspection[]): Pick<RecordBatch, 'traffic'> {
  const told = resting.flatMap(({ entry }) => entry.traffic ?? []);
  const [first] = told;
  if (first === undefined) return {};
  return { traffic: { threads: first.threads, rate: median(told.map(({ rate }) => rate)) } };
}

/**
 * Launches put one after the other are no series: how much a repetition depends on those before it, and whether they become slower,
 * each launch says of its own.
 */
const pooledOf = (summary: Summary, launches: number): Summary =>
  launches > 1 ? { ...summary, lag1: null, effectiveSampleSize: null, drift: null } : summary;

/** Of a GPU; nothing of the CPU, of which no datasheet is asked. */
const datasheetOf = (
  batch: Parameters<typeof datasheetShare>[0],
  machine: MachineDescription | null,
): Pick<RecordBatch, 'datasheet'> =>
  machine === null || !isGpu(batch.device) ? {} : { datasheet: datasheetShare(batch, machine) };

/** @param machine that it was measured on, for what the datasheets of its GPUs promise; null: not asked */
export function buildBatch(
  asked: BatchSpec,
  stack: Omit<StackIdentity, 'implementation'>,
  planned: number,
  analysed: readonly AnalysedInspection[],
  machine: MachineDescription | null = null,
): RecordBatch {
  const inspections = ofOneBuild(analysed, asked);
  const indicator = findIndicator(asked.case.indicator);
  const { parameters } = asked.case;
  const work = indicator.work(parameters);
  const resting = restingOn(inspections);
  const entries = inspections.map(({ entry }) => entry);
  const verified = verifiedOf(entries);
  const documents = inspections.flatMap(({ document }) => document ?? []);
  // A wrong answer anywhere in the batch: the stack has no score for this case.
  const scored =
    resting.length > 0 && verified === 'passed' && !entries.some(({ status }) => status === 'wrong');
  // What spoiled a launch that has no part in the numbers says nothing of them; it keeps that for itself.
  const telling = scored ? resting : inspections;
  const base = {
    case: asked.case,
    title: `${indicator.title(parameters)}${asked.atOnce === true ? ', at once' : ''}`,
    work,
    rateCounts: indicator.rateCounts,
    rateUnit: indicator.rateUnit(parameters),
    // A launch knows what it ran on; without one there is what the file says.
    stack: {
      ...(documents[0]?.stack ?? stack),
      implementation: executedByAll(documents.map((document) => document.stack.implementation)),
    },
    device: asked.device,
    asked,
    planned,
    measured: entries.filter(({ status }) => status === 'measured').length,
    verified,
    disturbedShare: disturbedShare(telling),
    flags: [...flagsOf(telling), ...batchFlags(resting, {}, asked)],
    inspections: entries,
  };
  if (!scored)
    return {
      ...base,
      ...NO_FIGURES,
      ...datasheetOf({ ...base, rate: null }, machine),
    };

  const { summary, violin, box } = describeSamples(pool(resting.map(({ samples }) => samples)), SHOWN);
  const headline = headlineOf(resting, asked.precision);
  const rate = rateOf(countedWork(base), headline, resting, asked.precision);
  const bounds = {
    roofline: rooflineOf(work, resting),
    ...ranksOf(countedWork(base), resting),
    ...overlapOf(resting, asked.precision),
    ...datasheetOf({ ...base, rate }, machine),
  };
  return {
    ...base,
    flags: [...flagsOf(telling), ...batchFlags(resting, bounds, asked)],
    elapsed: headline.elapsed,
    ...(headline.precision === undefined ? {} : { precision: headline.precision }),
    rate,
    ...bounds,
    ...trafficOf(resting),
    launches: plain(headline.launches),
    variance: varianceOf(resting),
    pooled: plain(pooledOf(summary, resting.length)),
    violin: plain(violin),
    box: plain(box),
  };
}

/** A batch of the record from its inspections: the headline rests on the launches, never on repetitions as if independent. */
import { findIndicator } from '../indicators/index.js';
import type { MachineDescription } from '../machine/types.js';
import { pool } from '../statistics/batch.js';
import { describeSamples } from '../statistics/describe.js';
import type { Summary } from '../statistics/summary.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import { datasheetOf, overlapOf, ranksOf, rooflineOf, trafficOf } from './batch-bounds.js';
import { batchFlags, flagsOf } from './batch-flags.js';
import { headlineOf, rateOf } from './batch-headline.js';
import { executedByAll } from './executed.js';
import { ofOneBuild } from './one-build.js';
import { NO_FIGURES, verifiedOf } from './result.js';
import type { BatchSpec, RecordBatch, StackIdentity } from './schema.js';
import { varianceOf } from './variance.js';
import { countedWork } from './work.js';

/** The violin spans the middle of the samples: a single stall would squeeze all of it to a line. */
const SHOWN = 0.98;

const plain = <T>(value: object): T => JSON.parse(JSON.stringify(value)) as T;

/** Launches on which the numbers rest: those that ran to their end. */
const restingOn = (inspections: readonly AnalysedInspection[]): readonly AnalysedInspection[] =>
  inspections.filter(
    ({ entry, samples }) => samples.length > 0 && entry.rate !== null && entry.status === 'measured',
  );

function disturbedShare(inspections: readonly AnalysedInspection[]): number | null {
  const shares = inspections.flatMap(({ entry: { disturbedShare: share, statistics } }) =>
    share === null ? [] : [{ share, n: Number(statistics?.n ?? 0) }],
  );
  const all = shares.reduce((sum, { n }) => sum + n, 0);
  return all === 0 ? null : shares.reduce((sum, { share, n }) => sum + share * n, 0) / all;
}

/**
 * Launches put one after the other are no series: how much a repetition depends on those before it, and whether they become slower,
 * each launch says of its own.
 */
const pooledOf = (summary: Summary, launches: number): Summary =>
  launches > 1 ? { ...summary, lag1: null, effectiveSampleSize: null, drift: null } : summary;

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

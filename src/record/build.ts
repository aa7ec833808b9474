/**
 * From a campaign's inspections, analysed, to its record. Pure: the same documents give the same record, so a resumed campaign ends like one that was never disturbed.
 */
import { findIndicator } from '../indicators/index.js';
import type { MachineDescription } from '../machine/types.js';
import type { PiBenchIdentity } from '../package.js';
import { identifyStack } from '../stacks/own/own-stack.js';
import type { Seconds } from '../units.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import { withAtOnce } from './at-once.js';
import { buildBatch } from './build-batch.js';
import { brokenRules } from './check.js';
import { curvesOf } from './curves.js';
import { digestOf } from './digest.js';
import type { BatchEnd, Lost } from './inspection-end.js';
import { kpisOf, withSameLabels } from './kpis-of.js';
import { faultLabels, givenLabels, machineLabels } from './labels.js';
import { recommended } from './recommendations.js';
import {
  type BatchSpec,
  type Campaign,
  type PiBenchRecord,
  RECORD_SCHEMA,
  type RecordBatch,
  SCHEMA_VERSION,
  type Span,
  written,
} from './schema.js';

export interface RecordInput {
  readonly campaign: Campaign;
  readonly machine: MachineDescription;
  readonly piBench: PiBenchIdentity;
  /** Of the inspections that ended, in the order in which they were asked for. */
  readonly ends: readonly BatchEnd[];
  readonly stoppedBy: NonNullable<PiBenchRecord['stoppedBy']>;
  /** Whether all comparisons that the launches were to settle are; also where there is none. */
  readonly settled: boolean;
  readonly contendedBy: string | null;
  /** One for each end, in their order. */
  readonly analysed: readonly AnalysedInspection[];
  /** Seconds that were worked on the campaign, earlier processes included. */
  readonly wall: Seconds;
  /** By earlier processes. */
  readonly lostEarlier: Lost;
}

/** Launches at once share the time in which they all ran. */
const shareOf = ({ analysed }: RecordInput, at: number): number =>
  1 / (analysed[at]?.document?.atOnce?.of ?? 1);

/**
 * Of the wall time, the part of each batch: by the time of its launches, so that what lies between them is shared out likewise, and all
 * parts are the wall time together.
 */
function timesToResult(input: RecordInput): readonly Seconds[] {
  const { ends, wall, campaign } = input;
  const own = campaign.batches.map(() => 0);
  ends.forEach((end, at) => {
    own[end.batch] = (own[end.batch] ?? 0) + end.wall * shareOf(input, at);
  });
  const all = own.reduce((sum, seconds) => sum + seconds, 0);
  return own.map((seconds) => (all === 0 ? wall / own.length : (wall * seconds) / all));
}

/** Where the wall time went: the spans of the same name summed over the inspections. */
function accountingOf(
  input: RecordInput,
  batches: readonly RecordBatch[],
): NonNullable<PiBenchRecord['accounting']> {
  const sums = new Map<string, Seconds>();
  const share = (at: number): number => shareOf(input, at);
  // By what became of each launch in its batch: one that is above its peak, or ran another build, ended as measured, too.
  const inspections = batches.flatMap((batch) => batch.inspections);
  const counting = new Set(inspections.flatMap(({ index, status }) => (status === 'measured' ? index : [])));
  const isMeasured = (at: number): boolean => counting.has(input.ends[at]?.index ?? -1);
  input.analysed.forEach(({ entry: { spans } }, at) => {
    if (!isMeasured(at)) return;
    for (const { name, seconds } of spans) sums.set(name, (sums.get(name) ?? 0) + seconds * share(at));
  });
  const failed = input.ends.reduce((sum, { wall }, at) => (isMeasured(at) ? sum : sum + wall * share(at)), 0);
  const { seconds, unended } = input.lostEarlier;
  const lost = failed + seconds;
  const inLaunches = [...sums.values()].reduce((sum, value) => sum + value, 0);
  const measured = sums.get('measure') ?? 0;
  const between = Math.max(0, input.wall - inLaunches - lost);
  const spans: Span[] = [...sums].map(([name, seconds]) => ({ name, seconds }));
  return {
    wall: input.wall,
    measured,
    share: input.wall > 0 ? measured / input.wall : 0,
    spans: [...spans, { name: 'between launches', seconds: between }],
    lost,
    ...(unended === 0 ? {} : { unended }),
  };
}

/** Where launches decide how many there are, no count was promised. */
function plannedOf(
  { ends }: RecordInput,
  { precision, settle, inspections }: BatchSpec,
  batch: number,
): number {
  return precision === undefined && settle === undefined
    ? inspections
    : ends.filter((end) => end.batch === batch).length;
}

function statusOf({ stoppedBy }: RecordInput, batches: readonly RecordBatch[]): PiBenchRecord['status'] {
  if (stoppedBy === 'signal') return 'interrupted';
  return batches.every(({ planned, measured }) => planned > 0 && planned === measured)
    ? 'complete'
    : 'incomplete';
}

/** @throws Error when the record would contradict itself: that is a bug of pi-bench, and nothing must be published then. */
export function buildRecord(input: RecordInput): PiBenchRecord {
  const { campaign, machine, piBench } = input;
  const { analysed } = input;
  const timestamp = campaign.createdAt;
  const labels = {
    ...machineLabels(machine, piBench, campaign.id),
    ...givenLabels(campaign),
    ...faultLabels(campaign),
  };
  const launches = campaign.batches.map((_, i) => analysed.filter((__, at) => input.ends[at]?.batch === i));
  const built = campaign.batches.map((asked, i) => {
    const stack = identifyStack(campaign, asked.stack, asked.device);
    return buildBatch(asked, stack, plannedOf(input, asked, i), launches[i] ?? [], machine);
  });
  const times = timesToResult(input);
  const batches = [...withAtOnce(built, campaign.batches, launches)];
  const record: PiBenchRecord = {
    $schema: RECORD_SCHEMA,
    kind: 'pi-bench record',
    schemaVersion: SCHEMA_VERSION,
    piBench: { ...piBench },
    campaign,
    contendedBy: input.contendedBy,
    status: statusOf(input, batches),
    stoppedBy: input.stoppedBy,
    ...(campaign.batches.some(({ settle }) => settle !== undefined) ? { settled: input.settled } : {}),
    machine: JSON.parse(JSON.stringify(machine)) as PiBenchRecord['machine'],
    labels,
    batches,
    kpis: withSameLabels([
      ...batches.flatMap((batch, index) => {
        const { kpis } = findIndicator(batch.case.indicator);
        return kpisOf(kpis, batch, labels, { timeToResult: times[index] ?? input.wall, timestamp, index });
      }),
      ...curvesOf(batches, labels, timestamp),
    ]),
    ...recommended(batches),
    accounting: accountingOf(input, batches),
    digest: '',
  };
  const checked = written.record.parse(record);
  const broken = brokenRules(checked);
  if (broken.length > 0) throw new Error(`the record contradicts itself: ${broken.join('; ')}`);
  return { ...checked, digest: digestOf(checked) };
}

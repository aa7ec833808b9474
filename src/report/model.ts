/**
 * The report of a campaign as data: what the page says and what its figures draw, with every number in base units. Pure:
 * the record and the details that were read of some launches go in, nothing else.
 */

import { OUTCOME_TEXT } from '../qualify/wording.js';
import { askedStack, nameBatches, type SweptAxis } from '../readers/batch-names.js';
import { atOnceText, datasheetText, trafficText } from '../readers/beside.js';
import { lackingText } from '../readers/huge-pages.js';
import { choiceText, choiceTexts } from '../readers/library-choice.js';
import { noCeilingText, noPeakText } from '../readers/no-ceiling.js';
import { notCheckedOf } from '../readers/not-checked.js';
import { notSettledText } from '../readers/not-settled.js';
import { recommendationTexts } from '../readers/recommendation.js';
import { basisText } from '../readers/terminal/basis.js';
import { slowestText } from '../readers/terminal/leaning.js';
import { shortText } from '../readers/terminal/working-sets.js';
import { verificationOf } from '../readers/verification.js';
import { timesRanks } from '../record/rate-kpis.js';
import { isCurve } from '../record/read-curves.js';
import { isResult } from '../record/result.js';
import type {
  CurveKpi,
  PiBenchRecord,
  Qualification,
  RecordBatch,
  RecordInspection,
} from '../record/schema.js';
import { countedWork, doesNoWork, rate2mnkLessMn } from '../record/work.js';
import type { Box } from '../statistics/box.js';
import type { Summary } from '../statistics/summary.js';
import type { Violin } from '../statistics/violin.js';
import { ceilingsOfBatch } from './ceilings.js';
import { comparisonOf, type ReportComparison } from './comparison.js';
import type { BatchDetails } from './details.js';
import { type Headline, headlineOf } from './headline.js';
import { type MachineRow, machineOf, textLabel } from './machine.js';
import { type OverlapModel, overlapOf } from './overlap.js';
import { labelBatches, type StackLetter, stackLetters } from './stack-letters.js';

export interface LaunchModel {
  /** Number of the launch in the campaign, from 1. */
  readonly number: number;
  readonly status: RecordInspection['status'];
  readonly reason: string | null;
  /** Of the elapsed seconds; null where nothing was measured. Of an imported launch the median is all that is known. */
  readonly statistics: (Pick<Summary, 'median'> & Partial<Summary>) | null;
  readonly rate: RecordInspection['rate'];
  readonly disturbedShare: number | null;
  readonly flags: readonly string[];
}

/** A published table does not tell which values its box's whiskers leave out. */
export interface Shape extends Omit<Box, 'outliersBelow' | 'outliersAbove'> {
  readonly outliersBelow: number | null;
  readonly outliersAbove: number | null;
}

/** What its rate is of another one; null: nothing is known of that. */
export type BesideModel<T> = (NonNullable<T> & { readonly text: string }) | null;

export interface BatchModel {
  readonly name: string;
  /** The same where room is short: with the letter of its stack, where stacks have letters. */
  readonly label: string;
  readonly indicator: string;
  readonly title: string;
  readonly stack: string;
  readonly stackVersion: string | null;
  /** Of its file. */
  readonly stackSha256: string | null;
  /** That its library chose code below what the CPU has, in words; null: it did not, or nothing is known of it. */
  readonly stackChoice: string | null;
  /** As it was asked for. */
  readonly askedStack: string;
  readonly device: string;
  readonly parameters: RecordBatch['case']['parameters'];
  /** null: others did not publish it. */
  readonly sampling: RecordBatch['asked']['sampling'];
  /** By who measured: the campaign's and those of the batch. */
  readonly labels: Readonly<Record<string, string>>;
  readonly planned: number;
  readonly measured: number;
  readonly verified: RecordBatch['verified'];
  /** Who checked what, in words. */
  readonly verification: string;
  readonly rateUnit: string;
  /** Of one repetition, in what the rate counts; null: not known. */
  readonly work: number | null;
  /** The same, all of it, whatever the rate counts. */
  readonly flop: number | null;
  readonly bytes: number | null;
  /** It does no work, as a barrier: its times say how fast it is, and it has no rate. */
  readonly idle: boolean;
  /** Of products: the rate if they were counted as 2mnk - mn, as older figures have them; null: not meant or not known. */
  readonly rate2mnkLessMn: number | null;
  readonly elapsed: RecordBatch['elapsed'];
  /** null: no output was right, it does no work, or no launch ran to its end; the times of what was cut short are kept. */
  readonly rate: RecordBatch['rate'];
  /** What its sustained rate is over: what lies between the repetitions of ranks is pi-bench’s own. */
  readonly sustainedOver: 'wall clock' | 'repetitions';
  /** What the interval rests on, in words. */
  readonly basis: string;
  /** null: the number of launches was fixed. */
  readonly precision: NonNullable<RecordBatch['precision']> | null;
  /** With who measured it, also where an earlier record does not say it. */
  readonly roofline: NonNullable<RecordBatch['roofline']> | null;
  /** null: it is of something else, or there is no result of it. */
  readonly overlap: OverlapModel | null;
  readonly atOnce: BesideModel<RecordBatch['atOnce']>;
  /** Of peak: why its rate is no ceiling; null: it is one, or nobody looked. */
  readonly noCeiling: string | null;
  /** Why no peak is known to hold its rate against; null: one is, or that is not the reason. */
  readonly noPeak: string | null;
  /** Why the rate that 95 % of its repetitions reach is none; null: it is one, or there is none. */
  readonly slowest: string | null;
  readonly datasheet: BesideModel<RecordBatch['datasheet']>;
  readonly traffic: BesideModel<RecordBatch['traffic']>;
  /** Of the launch medians, in seconds. */
  readonly between: (Summary & { readonly medians?: readonly number[] }) | null;
  /** Of all repetitions together, in seconds. */
  readonly pooled: Summary | null;
  readonly violin: Violin | null;
  readonly box: Shape | null;
  /** Of what violin and box are: of launches where others published no more than a value of each, or a table of these. */
  readonly shapeOf: 'repetitions' | 'launches';
  /** Faults of figures that others published, and what was done about them. */
  readonly remarks: readonly string[];
  readonly disturbedShare: number | null;
  readonly flags: RecordBatch['flags'];
  readonly notChecked: readonly { readonly flag: string; readonly why: string }[];
  readonly launches: readonly LaunchModel[];
  /** null: its samples were not read for this report. */
  readonly details: BatchDetails | null;
}

export interface ReportModel {
  readonly kind: 'pi-bench report';
  readonly id: string;
  readonly createdAt: string;
  readonly command: readonly string[];
  /** null: not known, of imported records. */
  readonly seed: number | null;
  readonly piBench: { readonly version: string; readonly commit: string | null };
  readonly status: PiBenchRecord['status'];
  /** Why its comparisons are open; null: they are not, or there is none. */
  readonly notSettled: string | null;
  readonly contendedBy: string | null;
  /** What of its working sets is not what it was to be: short of main memory, without huge pages. */
  readonly limits: readonly string[];
  /** Of each stack whose library chose code below what the CPU has: that, and what to do. */
  readonly choices: readonly string[];
  readonly fault: string | null;
  readonly headline: Headline;
  /** null: nobody asked for a verdict. */
  readonly qualification: Qualification | null;
  readonly identity: { readonly machine: string | null; readonly hostname: string | null };
  readonly machine: readonly MachineRow[];
  /** The same. */
  readonly wall: number | null;
  readonly measuredShare: number | null;
  /** Launches that were lost when pi-bench was killed with them: in neither of these. */
  readonly unended: number;
  /** null: measured by pi-bench. */
  readonly imported: NonNullable<PiBenchRecord['imported']> | null;
  readonly axis: SweptAxis | null;
  /** Of each batch the series of `axis` where room is short. */
  readonly seriesLabels: readonly string[];
  /** Of stacks with long names: what labels call them. */
  readonly stackLetters: readonly StackLetter[];
  readonly batches: readonly BatchModel[];
  /** Of the record's stacks. */
  readonly comparison: ReportComparison;
  /** What a sweep of repetitions answers, a sentence each. */
  readonly recommendations: readonly string[];
  /** Over a working set. Of others the figure of the sweep tells more: quartiles, and what bounds them. */
  readonly curves: readonly CurveKpi[];
}

/** Statistics stand in the record as plain JSON of this very shape. */
const typed = <T>(json: RecordBatch['pooled']): T | null => json as T | null;

const launchOf = (inspection: RecordInspection, idle: boolean): LaunchModel => ({
  number: inspection.index + 1,
  status: inspection.status,
  reason: inspection.reason,
  statistics: typed<NonNullable<LaunchModel['statistics']>>(inspection.statistics),
  rate: idle ? null : inspection.rate,
  disturbedShare: inspection.disturbedShare,
  flags: inspection.flags.map(({ name }) => name),
});

interface BatchCalled {
  readonly name: string | null;
  readonly label: string | null;
}

function batchOf(
  batch: RecordBatch,
  { machine, campaign }: PiBenchRecord,
  { name, label }: BatchCalled,
  details: BatchDetails | null,
): BatchModel {
  const { stack } = batch;
  const idle = doesNoWork(batch);
  // What was cut short is no result of its case: it has no figure that anybody could take for one.
  const result = isResult(batch);
  const rate = result && !idle ? batch.rate : null;
  return {
    name: name ?? batch.case.indicator,
    label: label ?? batch.case.indicator,
    indicator: batch.case.indicator,
    title: batch.title,
    stack: [
      stack.own === undefined ? null : `${stack.own.name}:`,
      stack.provider,
      stack.implementation ?? stack.variant,
      batch.device === 'not known' ? null : `on ${batch.device}`,
    ]
      .filter((part) => part !== null)
      .join(' '),
    stackVersion: stack.version,
    stackSha256: stack.sha256,
    stackChoice: choiceText(batch, machine),
    askedStack: askedStack(batch),
    device: batch.device,
    parameters: batch.case.parameters,
    sampling: batch.asked.sampling,
    labels: { ...campaign.labels, ...batch.asked.labels },
    planned: batch.planned,
    measured: batch.measured,
    verified: batch.verified,
    verification: verificationOf(batch),
    rateUnit: batch.rateUnit,
    work: countedWork(batch),
    flop: batch.work?.flop ?? null,
    bytes: batch.work?.bytes ?? null,
    idle,
    rate2mnkLessMn: result ? rate2mnkLessMn(batch) : null,
    elapsed: batch.elapsed,
    rate,
    sustainedOver: timesRanks(batch) ? 'repetitions' : 'wall clock',
    basis: basisText(batch),
    precision: batch.precision ?? null,
    roofline: result ? ceilingsOfBatch(batch) : null,
    overlap: overlapOf(batch),
    atOnce: batch.atOnce === undefined ? null : { ...batch.atOnce, text: atOnceText(batch) ?? '' },
    noCeiling: result ? noCeilingText(batch) : null,
    noPeak: rate === null || batch.roofline != null ? null : noPeakText(batch),
    slowest: rate?.p05 == null ? null : slowestText(batch),
    datasheet:
      !result || batch.datasheet == null ? null : { ...batch.datasheet, text: datasheetText(batch) ?? '' },
    traffic: batch.traffic === undefined ? null : { ...batch.traffic, text: trafficText(batch) ?? '' },
    between: typed(batch.launches),
    pooled: typed(batch.pooled),
    violin: typed(batch.violin),
    box: typed(batch.box),
    shapeOf: batch.imported === undefined ? 'repetitions' : 'launches',
    remarks: batch.imported?.remarks ?? [],
    disturbedShare: batch.disturbedShare,
    flags: batch.flags,
    notChecked: notCheckedOf(batch).map(([flag, why]) => ({ flag, why })),
    launches: batch.inspections.map((inspection) => launchOf(inspection, idle)),
    details,
  };
}

const limitsOf = (record: PiBenchRecord, batches: readonly BatchModel[]): readonly string[] => [
  ...shortText(record),
  ...lackingText(
    record.batches,
    batches.map(({ name }) => name),
  ).map((text) => `huge pages are missing: ${text}`),
];

/** A verdict on a node is about the node, and not about the fastest of its batches. */
function headlineFor(record: PiBenchRecord, batches: readonly BatchModel[]): Headline {
  const { qualification } = record;
  const [indicator = '', ...others] = new Set(record.batches.map((batch) => batch.case.indicator));
  const headline = headlineOf(batches, others.length === 0 ? indicator : '', record.imported !== undefined);
  if (qualification === undefined) return headline;
  const { outcome, identity, suite } = qualification;
  const node = identity.hostname ?? identity.machine ?? 'this machine';
  return { ...headline, title: `${OUTCOME_TEXT[outcome]}: ${node}, suite ${suite.name}` };
}

/** @param details of each of the record's batches; null for those of which none were read */
export function buildReport(record: PiBenchRecord, details: readonly (BatchDetails | null)[]): ReportModel {
  const { campaign, piBench, accounting } = record;
  const { names, axis } = nameBatches(record.batches);
  const letters = stackLetters(record.batches);
  const short = labelBatches(record.batches, letters);
  const batches = record.batches.map((batch, i) =>
    batchOf(batch, record, { name: names[i] ?? null, label: short.names[i] ?? null }, details[i] ?? null),
  );
  return {
    kind: 'pi-bench report',
    id: campaign.id,
    createdAt: campaign.createdAt,
    command: campaign.command,
    seed: campaign.seed,
    piBench,
    status: record.status,
    notSettled: notSettledText(record),
    contendedBy: record.contendedBy,
    limits: limitsOf(record, batches),
    choices: choiceTexts(record),
    fault: campaign.fault?.kind ?? null,
    headline: headlineFor(record, batches),
    qualification: record.qualification ?? null,
    identity: { machine: textLabel(record, 'machine'), hostname: textLabel(record, 'hostname') },
    machine: machineOf(record),
    wall: accounting?.wall ?? null,
    measuredShare: accounting?.share ?? null,
    unended: accounting?.unended ?? 0,
    imported: record.imported ?? null,
    axis,
    seriesLabels: short.axis?.series ?? [],
    stackLetters: letters,
    batches,
    comparison: comparisonOf(record),
    recommendations: recommendationTexts(record),
    curves: record.kpis.filter(isCurve).filter(({ xUnit }) => xUnit === 'B'),
  };
}

/** A node's line from its record, and from the samples of its launches. Pure: the samples are passed in. */
import { baselineDevice, keyedBatch, machineOf } from '../qualify/baseline-key.js';
import { throttledByHeat, throttledByQuota } from '../qualify/causes.js';
import { rateKpi } from '../qualify/rates.js';
import { isResult } from '../record/result.js';
import type { PiBenchRecord, RecordBatch, RecordInspection } from '../record/schema.js';
import { countedWork, doesNoWork } from '../record/work.js';
import { drift } from '../statistics/drift.js';
import { median } from '../statistics/quantile.js';
import { sortInPlace } from '../statistics/sort.js';
import { variationOfSorted } from '../statistics/summary.js';
import { keyText } from './case-key.js';
import { identityOf } from './identity.js';
import { type NodeKpi, type NodeLine, type NodeProblem, shapeOf } from './node-line.js';
import { sketchOf } from './sketch.js';

/** The seconds of the repetitions of a launch, in their order; null: its samples are not at hand. */
export type ReadSamples = (inspection: RecordInspection) => Float64Array | null;

function peakOf({ roofline, datasheet }: RecordBatch): NodeKpi['peak'] {
  if (datasheet != null) return { value: datasheet.rate, source: datasheet.source, measured: false };
  if (roofline?.attainable != null) {
    return { value: roofline.attainable, source: 'ceilings of the same launches', measured: true };
  }
  return roofline == null
    ? null
    : { value: roofline.peak, source: 'the peak in registers of the same launches', measured: true };
}

/** A rate of 0 is none that anybody measured. */
const aboveOrNull = (value: number | null): number | null => (value !== null && value > 0 ? value : null);

const medianOrNull = (values: readonly number[]): number | null =>
  values.length === 0 ? null : median(values);

type Shape = Pick<NodeKpi, 'n' | 'cv' | 'drift' | 'shape'>;

/**
 * Of all repetitions: what the fleet compares are rates, so that a stall is a low value and no stall can be more than one.
 * @param rates of the repetitions of each launch, in their order; at least one launch
 */
export function shapeOfRates(rates: readonly Float64Array[]): Shape {
  const all = new Float64Array(rates.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const values of rates) {
    all.set(values, at);
    at += values.length;
  }
  sortInPlace(all);
  return {
    n: all.length,
    cv: variationOfSorted(all),
    drift: medianOrNull(rates.flatMap((values) => drift(values)?.overall ?? [])),
    shape: shapeOf(sketchOf(all)),
  };
}

function shapeOfLaunches(batch: RecordBatch, launches: readonly Float64Array[]): Shape {
  const work = countedWork(batch);
  if (launches.length > 0 && work !== null) {
    return shapeOfRates(launches.map((seconds) => seconds.map((value) => work / value)));
  }
  const { n } = batch.pooled ?? {};
  // A record has the spread of times, in which one stall may be the most of it, and nodes are compared by that of rates.
  return { n: typeof n === 'number' ? n : Math.max(1, batch.measured), cv: null, drift: null, shape: null };
}

const spent = ({ spans }: RecordInspection): number => spans.reduce((sum, { seconds }) => sum + seconds, 0);

/** All launches of a batch; null: not known. */
function secondsOf(batch: RecordBatch | undefined): number | null {
  const seconds = (batch?.inspections ?? []).reduce((sum, inspection) => sum + spent(inspection), 0);
  return seconds > 0 ? seconds : null;
}

/**
 * Names alone go into a line, and `throttled` has two reasons: of heat it is told as `thermal`, as that of a GPU is, so that nobody is
 * sent to lift a quota. Each launch is asked, as the batch keeps the evidence of the first.
 */
function flagNames({ flags, inspections }: RecordBatch): readonly string[] {
  const all = [...flags, ...inspections.flatMap((inspection) => inspection.flags)];
  const throttled = all.filter(({ name }) => name === 'throttled');
  const names = new Set(flags.map(({ name }) => name));
  if (throttled.some(throttledByHeat)) names.add('thermal');
  if (throttled.every((flag) => throttledByHeat(flag) && !throttledByQuota(flag))) names.delete('throttled');
  return [...names];
}

/** null: no launch ran to its end, or it has no rate, which is what nodes are held against each other by. */
function kpiOf(record: PiBenchRecord, batch: RecordBatch, read: ReadSamples): NodeKpi | null {
  const name = rateKpi(batch.case.indicator);
  if (!isResult(batch) || batch.rate === null || batch.work === null || doesNoWork(batch) || name === null)
    return null;
  const resting = batch.inspections.filter(({ status }) => status === 'measured');
  const launches = resting.flatMap((inspection) => read(inspection) ?? []);
  return {
    key: keyText(keyedBatch(machineOf(record), batch, name)),
    on: batch.device,
    unit: batch.rateUnit,
    better: 'higher',
    launches: resting.length,
    median: batch.rate.median,
    p05: aboveOrNull(batch.rate.p05),
    sustained: aboveOrNull(batch.rate.sustained),
    ...shapeOfLaunches(batch, launches),
    peak: peakOf(batch),
    hertz: medianOrNull(resting.flatMap(({ frequency }) => frequency ?? [])),
    seconds: secondsOf(batch),
    flags: flagNames(batch),
  };
}

function problemsOf({ batches, status, qualification, campaign }: PiBenchRecord): readonly NodeProblem[] {
  if (campaign.fault !== null)
    return [
      {
        kind: 'lost',
        what: 'campaign',
        why: `a fault was injected (${campaign.fault.kind}): it is no measurement of the machine`,
      },
    ];
  const problems = batches.flatMap((batch): NodeProblem[] => {
    const { title, verified, inspections, measured, planned, precision, asked } = batch;
    const wrong = inspections.find((one) => one.status === 'wrong' || one.verification?.passed === false);
    if (verified === 'failed' || wrong !== undefined) {
      const why = wrong?.verification?.firstWrong ?? wrong?.reason ?? 'its output was not what it has to be';
      return [{ kind: 'wrong', what: title, why }];
    }
    const failed = inspections.find((one) => one.status !== 'measured');
    // Where a rule decides on the number of launches, fewer than the most are no loss.
    const open = precision !== undefined || asked.settle !== undefined;
    if (failed === undefined && (open || measured >= planned) && batch.rate !== null) return [];
    const why =
      failed === undefined
        ? `${measured} of ${planned} launches were measured`
        : `launch ${failed.index + 1} ${failed.status}${failed.reason === null ? '' : `: ${failed.reason}`}`;
    return [{ kind: 'lost', what: title, why }];
  });
  // To qualify that is inconclusive; the node has no check that could say so.
  if (qualification?.checks.length === 0)
    problems.push({ kind: 'lost', what: qualification.suite.name, why: 'nothing was judged by it' });
  if (problems.length > 0 || status === 'complete') return problems;
  return [{ kind: 'lost', what: 'campaign', why: `it is ${status}` }];
}

/** The label of a campaign by which who measures says what a node is called. `node` is the version of Node.js. */
export const NAME_LABEL = 'node_name';

/**
 * What a record's node is called; null: nobody says.
 * @param known by its submission, if there was one: in a pod the host name is the pod's
 */
export function nameIn(
  { campaign, labels }: Pick<PiBenchRecord, 'campaign' | 'labels'>,
  known: string | null = null,
): string | null {
  const name = campaign.labels?.[NAME_LABEL] ?? known ?? labels.hostname;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** @param node what it is called in its fleet */
export function nodeOf(record: PiBenchRecord, node: string, read: ReadSamples): NodeLine {
  const machine = machineOf(record);
  const { labels, piBench, campaign, batches, qualification } = record;
  // A baseline of what was spoiled on purpose would let everything pass.
  const kpis = campaign.fault === null ? batches.flatMap((batch) => kpiOf(record, batch, read) ?? []) : [];
  const devices = [...new Set(batches.map(({ device }) => device))];
  return {
    node,
    machine: typeof labels.machine === 'string' ? labels.machine : null,
    hostname: typeof labels.hostname === 'string' ? labels.hostname : null,
    campaign: campaign.id,
    digest: record.digest,
    at: campaign.createdAt,
    tool: { name: 'pi-bench', ...piBench },
    ...identityOf(labels, machine),
    devices: Object.fromEntries(devices.map((device) => [device, baselineDevice(machine, device)])),
    checks: (qualification?.checks ?? []).map(({ id, verdict, required, cause, reason, batch }) => ({
      name: id,
      verdict,
      required,
      cause,
      reason,
      seconds: batch === null ? null : secondsOf(batches[batch]),
      ...(batch !== null && batches[batch]?.asked.atOnce === true ? { atOnce: true } : {}),
    })),
    problems: problemsOf(record),
    kpis,
  };
}

/** How fast and how steady a batch is by itself: against its own peak, over time, between repetitions and launches. Pure. */
import { isGpu } from '../../devices/device.js';
import { noPeakText } from '../../readers/no-ceiling.js';
import { whysOf } from '../../readers/not-checked.js';
import { timesRanks } from '../../record/rate-kpis.js';
import type { Finding, RecordBatch, RecordInspection } from '../../record/schema.js';
import { doesNoWork } from '../../record/work.js';
import { type Drift, LEAST_FOR_DRIFT } from '../../statistics/drift.js';
import { median } from '../../statistics/quantile.js';
import { MOST_OF_CEILING, passesPeak } from '../../statistics/roofline.js';
import { baselineDevice } from '../baseline-key.js';
import { atLeast, atMost, notSeen, skipped } from '../findings.js';
import type { CheckOf } from '../suite-file.js';
import { type Context, type Criterion, judgeBatches, seenLaunches, speedOf } from './criterion.js';

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const evidenceOf = ({ flags }: RecordInspection, flag: string, name: string): number | null =>
  numberOr(flags.find((one) => one.name === flag)?.evidence[name]);

/** What bounds the batch, and what share of it was reached. */
function ceilingOf({ datasheet, roofline, ranks }: RecordBatch): { share: number; source: string } | null {
  if (datasheet != null) return { share: datasheet.share, source: datasheet.source };
  if (ranks?.ceiling != null) return { share: ranks.ceiling.share, source: 'own passes over memory' };
  if (roofline == null) return null;
  const { share, bound, efficiency, inTurns } = roofline;
  if (bound === 'memory' && share !== null) return { share, source: 'own rate of reading' };
  // A host may give its CPUs more at one moment than at the next, and that is no matter of how well they are used.
  return inTurns === undefined
    ? { share: efficiency, source: 'own peak in registers' }
    : { share: inTurns.share, source: 'own peak in registers, in turns with it' };
}

/**
 * Whether each launch measures its own peak: one that has none then has lost it, as where a thread computed it wrongly. No loop is a peak
 * where the CPU has instructions that none uses.
 */
const measuresPeak = (batch: RecordBatch): boolean =>
  !isGpu(batch.device) && (batch.rateCounts ?? 'flop') === 'flop' && noPeakText(batch) === null;

function shareFinding(batch: RecordBatch, limit: number, from: string): Finding {
  const { share = null, source = 'own peak in registers' } = ceilingOf(batch) ?? {};
  const looked = { quantity: 'share_of_peak', measured: share, unit: '1', source: `${from}; ${source}` };
  if (share === null)
    return atLeast({ ...looked, note: 'the peak could not be measured in these launches' }, limit);
  const finding = atLeast(looked, limit);
  // Against a peak that is too low, a slow node looks fast.
  const { roofline } = batch;
  const passes = roofline != null && share === roofline.efficiency && passesPeak(roofline);
  return share > MOST_OF_CEILING || passes
    ? { ...finding, verdict: 'inconclusive', note: 'nothing passes a peak, so that one is wrong' }
    : finding;
}

/** Whether its limit is for a device. */
export function isForDevice(
  { models }: CheckOf<'efficiency'>,
  device: string,
  machine: Context['machine'],
): boolean {
  const { kind, name } = baselineDevice(machine, device);
  return models === undefined || (kind === 'gpu' && models.includes(name));
}

/** Why a limit is not for the device of a batch; null: it is. */
function whyNotFor(
  check: CheckOf<'efficiency'>,
  { device }: RecordBatch,
  { machine, source }: Context,
): string | null {
  if (isForDevice(check, device, machine)) return null;
  const { name } = baselineDevice(machine, device);
  return `${source} has a limit for ${check.models?.join(', ')} only, and this is ${name}`;
}

export const efficiency: Criterion<'efficiency'> = {
  kind: 'efficiency',
  repeats: true,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const whyNot = whyNotFor(check, batch, context);
      if (whyNot !== null) {
        const none = skipped('share_of_peak', whyNot, context.source);
        return { possible: false, findings: [none], cause: null };
      }
      if (ceilingOf(batch) === null && batch.rate !== null && !measuresPeak(batch)) {
        const why = noPeakText(batch);
        const known = `no peak of this case is known${why === null ? '' : `: ${why}`}`;
        const none = skipped('share_of_peak', known, context.source);
        return { possible: false, findings: [none], cause: null };
      }
      return speedOf(batch, [shareFinding(batch, check.atLeast, context.source)], 'slow');
    }),
};

/** How long the control group stood still. What was seen counts; that nothing was seen counts only where it could be. */
function stoodStill(batch: RecordBatch, limit: number, { source, machine }: Context): Finding {
  const quantity = 'throttled_periods';
  const stood = seenLaunches(batch).map((one) => evidenceOf(one, 'throttled', 'throttledPeriodsShare') ?? 0);
  const measured = stood.length === 0 ? null : median(stood);
  const finding = atMost({ quantity, measured, unit: '1', source }, limit);
  if (finding.verdict !== 'pass') return finding;
  if (machine.limits.cgroup?.visible !== true)
    return notSeen(finding, 'the control group’s counters are not visible here');
  const why = whysOf(batch, 'throttled').find((text) => text.includes('CPU quota'));
  return why === undefined ? finding : notSeen(finding, why);
}

export const sustained: Criterion<'sustained'> = {
  kind: 'sustained',
  repeats: true,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const { source } = context;
      const { rate } = batch;
      const quantity = 'sustained_of_burst';
      const lasting = rate?.sustained == null ? null : rate.sustained / rate.median;
      const idle = rate !== null && doesNoWork(batch);
      const note = timesRanks(batch)
        ? 'of the repetitions alone: what ranks do between them is not seen'
        : null;
      const findings: readonly Finding[] = [
        idle
          ? skipped(quantity, 'it does no work, so it has no rate that could last', source)
          : atLeast({ quantity, measured: lasting, unit: '1', source, note }, check.atLeast),
        ...(check.throttledAtMost === undefined ? [] : [stoodStill(batch, check.throttledAtMost, context)]),
      ];
      return { possible: !idle || findings.length > 1, ...speedOf(batch, findings, 'stopped') };
    }),
};

/** The rate that 95 % of the repetitions reach over the median one; of what does no work the same quotient of times. */
function lowOfMedian(batch: RecordBatch): number | null {
  const { rate, pooled } = batch;
  if (rate === null || rate.p05 === null) return null;
  if (!doesNoWork(batch)) return rate.p05 / rate.median;
  const [middle, late] = [numberOr(pooled?.median), numberOr(pooled?.p95)];
  return middle === null || late === null ? null : middle / late;
}

/** Slow-down over a launch that is there surely; 0 where there is none. */
function slowing({ statistics }: RecordInspection): number | null {
  const drift = statistics?.drift as Drift | null | undefined;
  return drift == null ? null : Math.max(0, drift.overallLow);
}

/** By how much what lasts is slower than the beginning; 0 where it is not. */
function fading({ statistics }: RecordInspection): number | null {
  const fade = (statistics?.drift as Partial<Drift> | null | undefined)?.fade;
  return fade === undefined ? null : Math.max(0, fade);
}

function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

const mediansOf = (batch: RecordBatch | null): readonly number[] =>
  Array.isArray(batch?.launches?.medians) ? batch.launches.medians.map(Number) : [];

/** Between the launches' medians; of one launch alone, from the median of those of the first attempt. */
function spreadOf(batch: RecordBatch, first: RecordBatch | null): number | null {
  const own = mediansOf(batch);
  const before = mediansOf(first);
  const all = own.length === 1 && before.length > 0 ? [...own, median(before)] : own;
  return all.length < 2 ? null : (Math.max(...all) - Math.min(...all)) / median(all);
}

/** What tells of several launches, and takes as many of them to be seen again. */
export const SPREAD = 'spread_of_launches';

/** Why nobody can tell, however often it is measured: of a machine that is no fault of the suite, nor of the node. */
function blindTo(quantity: string, batch: RecordBatch): string | null {
  if (quantity === 'disturbed') return 'this system does not tell which repetitions lost their CPU';
  const few = seenLaunches(batch).every(({ statistics }) => Number(statistics?.n ?? 0) < LEAST_FOR_DRIFT);
  return few && (quantity === 'slowing' || quantity === 'fading')
    ? `fewer than ${LEAST_FOR_DRIFT} repetitions, as each takes long`
    : null;
}

const LOOKS = [
  ['cvAtMost', 'cv', 'at-most', (batch) => numberOr(batch.pooled?.cv), '1'],
  ['p05AtLeast', 'p05_of_median', 'at-least', lowOfMedian, '1'],
  ['driftAtMost', 'slowing', 'at-most', ({ inspections }) => medianOf(inspections.map(slowing)), '1'],
  ['fadeAtMost', 'fading', 'at-most', ({ inspections }) => medianOf(inspections.map(fading)), '1'],
  ['spreadAtMost', SPREAD, 'at-most', spreadOf, '1'],
  ['disturbedAtMost', 'disturbed', 'at-most', ({ disturbedShare }) => disturbedShare, '1'],
  [
    'modesAtMost',
    'modes',
    'at-most',
    (batch) =>
      whysOf(batch, 'multimodal').length === 0
        ? medianOf(seenLaunches(batch).map((one) => evidenceOf(one, 'multimodal', 'modes') ?? 1))
        : null,
    null,
  ],
] as const satisfies readonly (readonly [
  limit: string,
  quantity: string,
  bound: 'at-least' | 'at-most',
  read: (batch: RecordBatch, first: RecordBatch | null) => number | null,
  unit: string | null,
])[];

export const stability: Criterion<'stability'> = {
  kind: 'stability',
  repeats: true,
  judge: (check, context) =>
    judgeBatches(check, context, (batch, first) => {
      const findings = LOOKS.flatMap(([name, quantity, bound, read, unit]): readonly Finding[] => {
        const limit = check[name];
        if (limit === undefined) return [];
        const measured = read(batch, first);
        const note = measured === null ? { note: 'it takes more launches, or repetitions' } : {};
        const looked = { quantity, measured, unit, source: context.source, ...note };
        const finding = (bound === 'at-least' ? atLeast : atMost)(looked, limit);
        const why = measured === null ? blindTo(quantity, batch) : null;
        return [why === null ? finding : notSeen(finding, why)];
      });
      if (findings.length === 0) {
        const none = skipped('stability', 'this check names no limit', context.source);
        return { possible: false, findings: [none], cause: null };
      }
      return speedOf(batch, findings, 'unsteady');
    }),
};

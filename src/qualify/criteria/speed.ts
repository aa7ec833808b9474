/** How fast and how steady a batch is by itself: against its own peak, over time, between repetitions and launches. Pure. */
import type { Finding, RecordBatch, RecordInspection } from '../../record/schema.js';
import { median } from '../../statistics/quantile.js';
import { atLeast, atMost, skipped } from '../findings.js';
import { type Context, type Criterion, judgeBatches, partOf, speedOf } from './criterion.js';

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const evidenceOf = ({ flags }: RecordInspection, flag: string, name: string): number | null =>
  numberOr(flags.find((one) => one.name === flag)?.evidence[name]);

/** What bounds the batch, and what share of it was reached. */
function ceilingOf({ datasheet, roofline, ranks }: RecordBatch): { share: number; source: string } | null {
  if (datasheet != null) return { share: datasheet.share, source: datasheet.source };
  if (ranks?.ceiling != null) return { share: ranks.ceiling.share, source: 'own passes over memory' };
  if (roofline == null) return null;
  const { share, bound, efficiency } = roofline;
  return bound === 'memory' && share !== null
    ? { share, source: 'own rate of reading' }
    : { share: efficiency, source: 'own peak in registers' };
}

export const efficiency: Criterion<'efficiency'> = {
  kind: 'efficiency',
  repeats: true,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const ceiling = ceilingOf(batch);
      if (ceiling === null && batch.rate !== null) {
        const none = skipped('share_of_peak', 'no peak of this case is known', context.source);
        return { possible: false, findings: [none], cause: null };
      }
      const { share = null, source = '' } = ceiling ?? {};
      const looked = {
        quantity: 'share_of_peak',
        measured: share,
        unit: '1',
        source: `${context.source}; ${source}`,
      };
      return speedOf(batch, [atLeast(looked, check.atLeast)], 'slow');
    }),
};

export const sustained: Criterion<'sustained'> = {
  kind: 'sustained',
  repeats: true,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const { source, machine } = context;
      const { rate, inspections } = batch;
      const lasting = rate?.sustained == null ? null : rate.sustained / rate.median;
      const visible = machine.limits.cgroup?.visible === true;
      const stood = inspections.map((one) => evidenceOf(one, 'throttled', 'throttledPeriodsShare') ?? 0);
      const findings: readonly Finding[] = [
        atLeast({ quantity: 'sustained_of_burst', measured: lasting, unit: '1', source }, check.atLeast),
        ...(check.throttledAtMost === undefined
          ? []
          : visible && stood.length > 0
            ? [
                atMost(
                  { quantity: 'throttled_periods', measured: median(stood), unit: '1', source },
                  check.throttledAtMost,
                ),
              ]
            : [skipped('throttled_periods', 'the control group’s counters are not visible here', source)]),
      ];
      return speedOf(batch, findings, 'stopped');
    }),
};

interface Drift {
  readonly overallLow: number;
}

/** Slow-down over a launch that is there surely; 0 where there is none. */
function slowing({ statistics }: RecordInspection): number | null {
  const drift = statistics?.drift as Drift | null | undefined;
  return drift == null ? null : Math.max(0, drift.overallLow);
}

function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

const mediansOf = (batch: RecordBatch | undefined): readonly number[] =>
  Array.isArray(batch?.launches?.medians) ? batch.launches.medians.map(Number) : [];

/** Between the launches' medians; of one launch alone, from the median of those of the first attempt. */
function spreadOf(batch: RecordBatch, first: RecordBatch | undefined): number | null {
  const own = mediansOf(batch);
  const before = mediansOf(first);
  const all = own.length === 1 && before.length > 0 ? [...own, median(before)] : own;
  return all.length < 2 ? null : (Math.max(...all) - Math.min(...all)) / median(all);
}

/** The same batch in the first attempt. */
const firstOf = (batch: RecordBatch, { reference }: Context): RecordBatch | undefined =>
  reference?.batches.find(
    (one) => one.title === batch.title && one.device === batch.device && partOf(one) === partOf(batch),
  );

const LOOKS = [
  ['cvAtMost', 'cv', 'at-most', (batch) => numberOr(batch.pooled?.cv), '1'],
  [
    'p05AtLeast',
    'p05_of_median',
    'at-least',
    ({ rate }) => (rate?.p05 == null ? null : rate.p05 / rate.median),
    '1',
  ],
  ['driftAtMost', 'slowing', 'at-most', ({ inspections }) => medianOf(inspections.map(slowing)), '1'],
  ['spreadAtMost', 'spread_of_launches', 'at-most', spreadOf, '1'],
  ['disturbedAtMost', 'disturbed', 'at-most', ({ disturbedShare }) => disturbedShare, '1'],
  [
    'modesAtMost',
    'modes',
    'at-most',
    ({ inspections }) => medianOf(inspections.map((one) => evidenceOf(one, 'multimodal', 'modes') ?? 1)),
    null,
  ],
] as const satisfies readonly (readonly [
  limit: string,
  quantity: string,
  bound: 'at-least' | 'at-most',
  read: (batch: RecordBatch, first: RecordBatch | undefined) => number | null,
  unit: string | null,
])[];

export const stability: Criterion<'stability'> = {
  kind: 'stability',
  repeats: true,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const findings = LOOKS.flatMap(([name, quantity, bound, read, unit]): readonly Finding[] => {
        const limit = check[name];
        if (limit === undefined) return [];
        const measured = read(batch, firstOf(batch, context));
        const looked = { quantity, measured, unit, source: context.source };
        const note = measured === null ? { note: 'it takes more launches, or repetitions' } : {};
        return [(bound === 'at-least' ? atLeast : atMost)({ ...looked, ...note }, limit)];
      });
      if (findings.length === 0) {
        const none = skipped('stability', 'this check names no limit', context.source);
        return { possible: false, findings: [none], cause: null };
      }
      return speedOf(batch, findings, 'unsteady');
    }),
};

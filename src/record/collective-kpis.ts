/** The KPIs and curves of the collective indicator: beside those of any rate, what ranks and sizes add. Pure. */
import { busFactor, ELEMENTS, readCollective } from '../indicators/collective-cases.js';
import { popEfficiencies } from '../statistics/pop.js';
import type { Ratio } from '../units.js';
import type { CurveDeclaration, KpiDeclaration, KpiValue } from './kpi.js';
import { ciOf, rateCurve, rateKpis } from './rate-kpis.js';
import type { RecordBatch } from './schema.js';

const PREFIX = 'pibench_collective';
const along = { along: ['bytes'], x: ({ bytes }: { bytes?: unknown }) => Number(bytes), xUnit: 'B' } as const;
const scalar = (value: number | null | undefined, launches?: number): KpiValue | null =>
  typeof value === 'number' ? { value, ci: null, launches } : null;

/** Bus bandwidth is the rate times a factor of operation and ranks; null for one rank, and for a barrier. */
export function busRateOf({ rate, case: one }: RecordBatch): KpiValue | null {
  const { operation, ranks } = readCollective(one.parameters);
  const factor = busFactor(operation, ranks);
  if (rate === null || factor === null) return null;
  return { value: rate.median * factor, ci: ciOf(rate.interval, factor) };
}

/** Elements of the size, as nccl-tests' readers know the column. */
export const elementsOf = ({ case: one }: RecordBatch): number => {
  const { bytes, dtype } = readCollective(one.parameters);
  return bytes / ELEMENTS[dtype];
};

export function shareOfCeiling({ ranks }: RecordBatch): Ratio | null {
  return ranks?.ceiling?.share ?? null;
}

/** Records from before it was written have that of all repetitions together. */
export function p99Of({ elapsed, pooled }: Pick<RecordBatch, 'elapsed' | 'pooled'>): KpiValue | null {
  if (elapsed?.p99 !== undefined) return { value: elapsed.p99, ci: ciOf(elapsed.p99Interval ?? null) };
  return typeof pooled?.p99 === 'number' ? { value: pooled.p99, ci: null } : null;
}

/** POP's, of the repetitions in which waiting was observed. */
export const efficienciesOf = ({ ranks }: RecordBatch) =>
  ranks?.useful == null || ranks.runtime === null
    ? null
    : popEfficiencies({ useful: ranks.useful, runtime: ranks.runtime });

/** In which waiting was observed. */
const launchesOfEfficiencies = ({ inspections }: RecordBatch): number =>
  inspections.filter(({ status, ranks }) => status === 'measured' && ranks?.useful != null).length;

const micro = () => ({ divisor: 1e-6, unit: 'µs', digits: 4 });
const giga = () => ({ divisor: 1e9, unit: 'GB/s', digits: 4 });
const share = () => ({ divisor: 0.01, unit: '%', digits: 3 });
const IN_SECONDS = { unit: () => 's', direction: 'lower', display: micro } as const;
const AS_SHARE = { unit: () => '1', direction: 'higher', display: share, regression: false } as const;

const own: readonly KpiDeclaration[] = [
  {
    name: `${PREFIX}_bus_rate_bytes_per_second`,
    unit: () => 'B/s',
    direction: 'higher',
    help: 'Rate times the factor of operation and ranks that nccl-tests defines, comparable to the rate of the hardware',
    statistic: 'median',
    display: giga,
    regression: true,
    value: busRateOf,
  },
  {
    ...IN_SECONDS,
    name: `${PREFIX}_elapsed_p99_seconds`,
    help: 'Seconds of the slowest rank that 99 % of the repetitions stay below: median over launches of the launch’s p99 (type 8 of Hyndman & Fan); of a launch of fewer than 100 repetitions it leans on the slowest',
    statistic: 'p99',
    regression: false,
    value: p99Of,
  },
  {
    ...IN_SECONDS,
    name: `${PREFIX}_skew_in_seconds`,
    help: 'From the first to the last rank that came: median of a launch, median over launches',
    statistic: 'median',
    regression: false,
    value: ({ ranks }) => scalar(ranks?.skewIn.p50),
  },
  {
    ...IN_SECONDS,
    name: `${PREFIX}_skew_out_seconds`,
    help: 'From the first to the last rank that left: median of a launch, median over launches',
    statistic: 'median',
    regression: false,
    value: ({ ranks }) => scalar(ranks?.skewOut.p50),
  },
  {
    ...AS_SHARE,
    name: `${PREFIX}_ceiling_share_ratio`,
    help: 'Time that passes over memory take for the bytes that the algorithm moves, measured in the same launches / median time, each of the launches that measured it',
    statistic: 'median',
    value: (batch) => scalar(shareOfCeiling(batch), batch.ranks?.ceiling?.measuredBy?.launches),
  },
  {
    ...AS_SHARE,
    name: `${PREFIX}_load_balance_ratio`,
    help: 'Mean / largest time that a rank does not spend waiting (POP)',
    statistic: 'median',
    value: (batch) => scalar(efficienciesOf(batch)?.loadBalance, launchesOfEfficiencies(batch)),
  },
  {
    ...AS_SHARE,
    name: `${PREFIX}_communication_efficiency_ratio`,
    help: 'Largest time that a rank does not spend waiting / time of the slowest (POP)',
    statistic: 'median',
    value: (batch) => scalar(efficienciesOf(batch)?.communication, launchesOfEfficiencies(batch)),
  },
];

export const collectiveKpis: readonly KpiDeclaration[] = [
  ...rateKpis('collective', 'a collective, its bytes as nccl-tests counts them', 'bytes', true),
  ...own,
];

/** The statistics of a size that make a curve over sizes. */
const CURVES = ['bus_rate', 'elapsed_p99', 'skew_in', 'skew_out', 'ceiling_share'] as const;

const curveOf = (kpi: KpiDeclaration): CurveDeclaration => {
  const { name, unit, direction, help, statistic, display } = kpi;
  return {
    ...along,
    name: name.replace(/_(bytes_per_second|seconds|ratio)$/, '_curve_$1'),
    yUnit: unit,
    direction,
    help,
    statistic,
    display,
    regression: kpi.regression,
    point: (batch) => kpi.value(batch, { timeToResult: 0 }),
  };
};

const elapsedCurve: CurveDeclaration = {
  ...along,
  name: `${PREFIX}_elapsed_curve_seconds`,
  yUnit: () => 's',
  direction: 'lower',
  help: 'Seconds of the slowest rank: median over launches of the launch medians',
  statistic: 'median',
  display: micro,
  regression: true,
  point: ({ elapsed }) => (elapsed === null ? null : { value: elapsed.median, ci: ciOf(elapsed.interval) }),
};

export const collectiveCurves: readonly CurveDeclaration[] = [
  elapsedCurve,
  rateCurve('collective', 'a collective over its size', 'bytes', along),
  ...own.filter(({ name }) => CURVES.some((part) => name.startsWith(`${PREFIX}_${part}_`))).map(curveOf),
];

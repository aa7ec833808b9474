/** The KPIs and curves of the overlap indicator: beside those of any rate, what hides of the communication. Pure. */
import { mostHidden, overlapGain } from '../statistics/overlap.js';
import type { Ratio } from '../units.js';
import type { CurveDeclaration, KpiDeclaration, KpiValue } from './kpi.js';
import { rateKpis } from './rate-kpis.js';
import type { RecordBatch } from './schema.js';

const PREFIX = 'pibench_overlap';
const scalar = (value: number | null | undefined): KpiValue | null =>
  typeof value === 'number' ? { value, ci: null } : null;

/** How many times faster both at once are than one after the other; null where nothing is known. */
export const gainOf = ({ overlap, elapsed }: RecordBatch): Ratio | null =>
  overlap === undefined || elapsed === null
    ? null
    : (overlap.gain ?? overlapGain({ ...overlap, both: elapsed.median }));

/** Of the communication, what the product has room for. */
export const mostHiddenOf = (overlap: NonNullable<RecordBatch['overlap']>): Ratio =>
  overlap.mostHidden ?? mostHidden(overlap);

/** Time beside the other / alone. */
export const slowedOf = ({ overlap }: RecordBatch): { compute: Ratio; communicate: Ratio } | null =>
  overlap === undefined
    ? null
    : {
        compute: overlap.computeSlowed ?? overlap.computeBeside / overlap.compute,
        communicate: overlap.communicateSlowed ?? overlap.communicateBeside / overlap.communicate,
      };

const milli = () => ({ divisor: 1e-3, unit: 'ms', digits: 4 });
const share = () => ({ divisor: 0.01, unit: '%', digits: 3 });
const times = () => ({ divisor: 1, unit: 'x', digits: 3 });
const IN_SECONDS = {
  unit: () => 's',
  direction: 'lower',
  statistic: 'median',
  display: milli,
  regression: true,
} as const;
/** How the ratios are made: so that none contradicts another, as those of medians of each time may. */
const PAIRED = 'of each repetition, median of a launch, median over launches';
const AS_RATIO = { unit: () => '1', statistic: 'median', regression: false } as const;

const hiddenKpi: KpiDeclaration = {
  ...AS_RATIO,
  name: `${PREFIX}_hidden_ratio`,
  direction: 'higher',
  help: `(Time of the products alone + of the communication alone - of both at once) / of the communication alone: ${PAIRED}; below 0: at once takes longer than one after the other`,
  display: share,
  regression: true,
  value: ({ overlap }) => (overlap === undefined ? null : { value: overlap.hidden, ci: overlap.interval }),
};

export const overlapKpis: readonly KpiDeclaration[] = [
  ...rateKpis('overlap', 'matrix products on every rank while the ranks exchange data', 'flops', true),
  hiddenKpi,
  {
    ...AS_RATIO,
    name: `${PREFIX}_most_hidden_ratio`,
    direction: 'higher',
    help: `What could hide at most: time of the products alone / of the communication alone, where that is below 1: ${PAIRED}`,
    display: share,
    value: ({ overlap }) => scalar(overlap === undefined ? null : mostHiddenOf(overlap)),
  },
  {
    ...AS_RATIO,
    name: `${PREFIX}_gain_ratio`,
    direction: 'higher',
    help: `How many times faster both at once are than one after the other, (products alone + communication alone) / both at once: ${PAIRED}`,
    display: times,
    value: (batch) => scalar(gainOf(batch)),
  },
  {
    ...IN_SECONDS,
    name: `${PREFIX}_matmul_alone_seconds`,
    help: 'Seconds of the product alone, of the slowest rank: median of a launch, median over launches',
    value: ({ overlap }) => scalar(overlap?.compute),
  },
  {
    ...IN_SECONDS,
    name: `${PREFIX}_collective_alone_seconds`,
    help: 'Seconds of the collective alone, of the slowest rank: median of a launch, median over launches',
    value: ({ overlap }) => scalar(overlap?.communicate),
  },
  {
    ...AS_RATIO,
    name: `${PREFIX}_matmul_slowed_ratio`,
    direction: 'lower',
    help: `Time of the product while the ranks communicate / alone: ${PAIRED}`,
    display: times,
    value: (batch) => scalar(slowedOf(batch)?.compute),
  },
  {
    ...AS_RATIO,
    name: `${PREFIX}_collective_slowed_ratio`,
    direction: 'lower',
    help: `Time of the collective while the ranks compute / alone: ${PAIRED}`,
    display: times,
    value: (batch) => scalar(slowedOf(batch)?.communicate),
  },
];

export const overlapCurves: readonly CurveDeclaration[] = [
  {
    along: ['bytes'],
    x: ({ bytes }) => Number(bytes),
    xUnit: 'B',
    yUnit: () => '1',
    name: `${PREFIX}_hidden_curve_ratio`,
    direction: 'higher',
    help: `${hiddenKpi.help}, over the size of the collective`,
    statistic: 'median',
    display: share,
    regression: true,
    point: (batch) => hiddenKpi.value(batch, { timeToResult: 0 }),
  },
];

/**
 * The KPIs and the curve of the latency indicator: beside those of any rate, the time of one load, and what other threads read
 * meanwhile. Pure.
 */
import type { Seconds } from '../units.js';
import { cyclesOfRepetition, launchesOfCycles } from './clock.js';
import type { CurveDeclaration, KpiDeclaration, KpiValue } from './kpi.js';
import { ciOf, rateKpis } from './rate-kpis.js';
import type { RecordBatch } from './schema.js';
import { countedWork } from './work.js';

/** The unit of its rates. */
export const LOADS = 'loads/s';

type Timed = Pick<RecordBatch, 'elapsed' | 'work' | 'rateCounts'>;

/** Seconds of one load, with its interval; null where nothing was measured right. */
export function loadTime({ elapsed, ...batch }: Timed): (KpiValue & { readonly value: Seconds }) | null {
  const loads = countedWork(batch);
  if (elapsed === null || loads === null) return null;
  return { value: elapsed.median / loads, ci: ciOf(elapsed.interval, 1 / loads) };
}

/** Cycles of the thread's clock in one load, of repetitions in which it did not lose its CPU; null where nothing tells. */
export function cyclesOfLoad(batch: Timed & Pick<RecordBatch, 'inspections'>): number | null {
  const [loads, cycles] = [countedWork(batch), cyclesOfRepetition(batch)];
  return loads === null || cycles === null || batch.elapsed === null ? null : cycles / loads;
}

const loadKpi: KpiDeclaration = {
  name: 'pibench_latency_load_seconds',
  unit: () => 's',
  direction: 'lower',
  help: 'Seconds of one load that needs the one before: those of a repetition / its loads, median over launches of the launch medians',
  statistic: 'median',
  display: () => ({ divisor: 1e-9, unit: 'ns', digits: 4 }),
  regression: true,
  value: loadTime,
};

const cyclesKpi: KpiDeclaration = {
  name: 'pibench_latency_cycles_per_load_ratio',
  unit: () => '1',
  direction: 'lower',
  help: 'Cycles of the thread’s effective frequency in one load, of repetitions in which it did not lose its CPU, median over launches',
  statistic: 'median',
  display: () => ({ divisor: 1, unit: 'cycles', digits: 3 }),
  regression: false,
  value: (batch) => {
    const cycles = cyclesOfLoad(batch);
    return cycles === null ? null : { value: cycles, ci: null, launches: launchesOfCycles(batch) };
  },
};

const trafficKpi: KpiDeclaration = {
  name: 'pibench_latency_traffic_bytes_per_second',
  unit: () => 'B/s',
  direction: 'higher',
  help: 'Bytes per second that the loading threads together read of main memory during the repetitions, counted by each of them, median over launches',
  statistic: 'median',
  display: () => ({ divisor: 1e9, unit: 'GB/s', digits: 4 }),
  regression: false,
  value: ({ traffic }) => (traffic === undefined ? null : { value: traffic.rate, ci: null }),
};

export const latencyKpis: readonly KpiDeclaration[] = [
  ...rateKpis('latency', 'loads that each need the one before', 'loads'),
  loadKpi,
  cyclesKpi,
  trafficKpi,
];

const { unit: yUnit, direction, help, statistic, display, regression } = loadKpi;

/** No curve of the rate beside it, which is the same turned over. */
export const latencyCurves: readonly CurveDeclaration[] = [
  {
    name: 'pibench_latency_load_curve_seconds',
    along: ['bytes'],
    x: ({ bytes }) => Number(bytes),
    xUnit: 'B',
    yUnit,
    direction,
    help,
    statistic,
    display,
    regression,
    point: loadTime,
  },
];

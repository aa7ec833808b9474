/** Fleets that a test describes: nodes with rates of repetitions, as `fleet nodes` would have written them. */
import { shapeOfRates } from '../../src/fleet/from-record.js';
import type { NodeKpi, NodeLine } from '../../src/fleet/node-line.js';
import type { BaselineDevice } from '../../src/qualify/baseline-schema.js';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { quantileSorted, sortedCopy } from '../../src/statistics/quantile.js';

export const CPU: BaselineDevice = {
  kind: 'cpu',
  name: 'made-up',
  cpus: 4,
  pciDevice: null,
  pciSubsystem: null,
  powerLimitWatts: null,
};

export const KEY =
  'matmul?batch=1&cache=hot&dtype=float32&k=512&m=512&n=512&pin=true&prepack=false&threads=2&transpose=NN@embedded#pibench_matmul_rate_flops_per_second';

export function kpiOf(rates: ArrayLike<number>, more: Partial<NodeKpi> = {}): NodeKpi {
  const sorted = sortedCopy(rates);
  const values = Float64Array.from(rates);
  return {
    key: KEY,
    on: 'cpu',
    unit: 'FLOP/s',
    better: 'higher',
    launches: 3,
    median: quantileSorted(sorted, 0.5),
    p05: quantileSorted(sorted, 0.05),
    sustained: values.length / values.reduce((sum, rate) => sum + 1 / rate, 0),
    ...shapeOfRates([values]),
    peak: null,
    hertz: null,
    seconds: 2,
    flags: [],
    ...more,
  };
}

export function nodeOf(node: string, kpis: readonly NodeKpi[], more: Partial<NodeLine> = {}): NodeLine {
  return {
    node,
    machine: `hash-of-${node}`,
    hostname: node,
    campaign: `campaign-${node}`,
    digest: null,
    at: '2026-01-02T03:04:05.000Z',
    tool: { name: 'pi-bench', version: '0.0.0', commit: null },
    hardware: { cpu_model: 'made-up', pibench_version: '0.0.0' },
    settings: { governor: 'performance' },
    devices: { cpu: CPU },
    checks: [],
    problems: [],
    kpis,
    ...more,
  };
}

/** Rates around `level` with 0.4 % of noise, changed by what is wrong with them. */
export function ratesOf(
  seed: number,
  { level = 1e11, n = 2000, noise = 0.004 } = {},
  wrong: (rate: number, i: number, uniform: () => number) => number = (rate) => rate,
): Float64Array {
  const uniform = uniformOf(randomBits(seed));
  const normal = normalOf(uniform);
  return Float64Array.from({ length: n }, (_, i) => wrong(level * (1 + noise * normal()), i, uniform));
}

/** So many healthy nodes whose levels differ by 0.3 %. */
export function healthyNodes(count: number, kpis = 1, seed = 1): NodeLine[] {
  const normal = normalOf(uniformOf(randomBits(seed)));
  return Array.from({ length: count }, (_, i) =>
    nodeOf(
      `n${i}`,
      Array.from({ length: kpis }, (_, k) =>
        kpiOf(ratesOf(1000 * seed + 97 * i + k, { level: 1e11 * (1 + 0.003 * normal()) }), {
          key: KEY.replace('k=512', `k=${512 + k}`),
        }),
      ),
    ),
  );
}

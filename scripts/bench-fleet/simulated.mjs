// Nodes whose truth is known: healthy noise of several kinds, and defects of the kinds that are known from real fleets.

import { shapeOfRates } from '../../dist/fleet/from-record.js';
import { unknownNode } from '../../dist/fleet/node-line.js';
import { normalOf, randomBits, uniformOf } from '../../dist/random.js';
import { quantileSorted, sortedCopy } from '../../dist/statistics/quantile.js';

export const REPETITIONS = 2000;
export const KPIS = 8;

/** Student's t of 3 degrees, of the standard deviation `node`. */
export const HEAVY = {
  name: 'nodes 0.5 % with heavy tails (t, 3 degrees)',
  node: 0.005,
  repetition: 0.004,
  heavy: true,
};

/** Standard deviations in shares: `node`, of a node's level at a KPI; `repetition`, of one repetition. */
export const NOISES = [
  { name: 'repetitions 0.4 %', node: 0, repetition: 0.004 },
  { name: 'and nodes 0.5 %', node: 0.005, repetition: 0.004 },
  { name: 'and nodes 1 %', node: 0.01, repetition: 0.004 },
  { name: 'nodes 0.5 %, repetitions 1 %, up to 3 stalls', node: 0.005, repetition: 0.01, stalls: 3 },
  HEAVY,
];

/** What a defect does to the rates of a series. */
export const DEFECTS = [
  { name: 'slower by 6 %', apply: (rates) => scaled(rates, () => 0.94) },
  {
    name: '10 % of repetitions 30 % slower',
    apply: (rates, uniform) => scaled(rates, () => (uniform() < 0.1 ? 0.7 : 1)),
  },
  {
    name: '1 % of repetitions 60 % slower',
    apply: (rates, uniform) => scaled(rates, () => (uniform() < 0.01 ? 0.4 : 1)),
  },
  { name: 'drifts by 8 %', apply: (rates) => scaled(rates, (i) => 1 - (0.08 * i) / rates.length) },
  {
    name: 'spread ten times as large',
    apply(rates) {
      const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      for (let i = 0; i < rates.length; i++) rates[i] = Math.max(0.01 * mean, mean + 10 * (rates[i] - mean));
    },
  },
];

function scaled(rates, factor) {
  for (let i = 0; i < rates.length; i++) rates[i] *= factor(i);
}

export function source(seed) {
  const uniform = uniformOf(randomBits(seed));
  const normal = normalOf(uniform);
  // Of variance 1, now and then far off.
  const heavy = () => normal() / Math.sqrt(normal() ** 2 + normal() ** 2 + normal() ** 2);
  return { uniform, normal, heavy };
}

/** Rates of one KPI on one node, around 1. */
function healthy({ node, repetition, stalls = 0, heavy = false }, draw) {
  const level = Math.exp(node * (heavy ? draw.heavy() : draw.normal()));
  const rates = new Float64Array(REPETITIONS);
  for (let i = 0; i < REPETITIONS; i++) rates[i] = level * (1 + repetition * draw.normal());
  const stalled = Math.floor(draw.uniform() * (stalls + 1));
  for (let k = 0; k < stalled; k++) {
    rates[Math.floor(draw.uniform() * REPETITIONS)] *= 0.2 + 0.6 * draw.uniform();
  }
  return rates;
}

/** @returns {{ mean: number, kpi: import('../../dist/fleet/node-line.js').NodeKpi }} */
function kpiOf(index, rates) {
  const sorted = sortedCopy(rates);
  const unit = 1e11 * (index + 1);
  return {
    mean: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
    kpi: {
      key: `kpi-${index}`,
      on: 'cpu',
      unit: 'FLOP/s',
      better: 'higher',
      launches: 1,
      median: unit * quantileSorted(sorted, 0.5),
      p05: unit * quantileSorted(sorted, 0.05),
      sustained: (unit * rates.length) / rates.reduce((sum, rate) => sum + 1 / rate, 0),
      ...shapeOfRates([rates]),
      peak: null,
      hertz: null,
      seconds: 1,
      flags: [],
    },
  };
}

/** @type {import('../../dist/fleet/node-line.js').NodeLine['devices'][string]} */
const DEVICE = {
  kind: 'cpu',
  name: 'simulated',
  cpus: 2,
  pciDevice: null,
  pciSubsystem: null,
  powerLimitWatts: null,
};

/** @param {string} node */
export const head = (node) => ({ ...unknownNode(node, 'pi-bench'), devices: { cpu: DEVICE } });

/**
 * @param defect null: healthy
 * @param where the KPI that has it; null: all of them
 * @returns the node's line, and the means that SuperBench would keep
 */
export function simulatedNode(name, noise, defect, where, draw, kpis = KPIS) {
  const made = Array.from({ length: kpis }, (_, index) => {
    const rates = healthy(noise, draw);
    if (defect !== null && (where === null || where === index)) defect.apply(rates, draw.uniform);
    return kpiOf(index, rates);
  });
  return { line: { ...head(name), kpis: made.map(({ kpi }) => kpi) }, means: made.map(({ mean }) => mean) };
}

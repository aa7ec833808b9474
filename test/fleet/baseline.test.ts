/** A baseline from a fleet, and nodes that are held against it. */
import { describe, expect, it } from 'vitest';
import { cvOfSketch, makeBaseline, sketchOfEntry } from '../../src/fleet/baseline.js';
import { baselineCentres } from '../../src/fleet/baseline-centres.js';
import { checkFleet } from '../../src/fleet/check.js';
import type { NodeLine } from '../../src/fleet/node-line.js';
import { sketchOf } from '../../src/fleet/sketch.js';
import { fleetOf } from '../../src/fleet/table.js';
import { parseBaseline } from '../../src/qualify/baseline.js';
import { type Baseline, writtenBaseline } from '../../src/qualify/baseline-schema.js';
import { versionsOf } from '../../src/qualify/versions.js';
import { renderFleetCheck } from '../../src/readers/terminal/fleet.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { sortedCopy } from '../../src/statistics/quantile.js';
import { CPU, healthyNodes, KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const ABOUT = {
  name: 'made-up',
  createdAt: '2026-01-02T03:04:05.000Z',
  piBench: { version: '0.0.0', commit: null },
};

const baselineOf = (nodes: readonly NodeLine[]): Baseline => makeBaseline(fleetOf(nodes), ABOUT, 1).baseline;

const against = (baseline: Baseline, nodes: readonly NodeLine[]) => {
  const fleet = fleetOf(nodes);
  return checkFleet(fleet, {
    scale: 1,
    baseline: { name: 'b', nodes: 3, versions: versionsOf(baseline), of: baselineCentres(baseline, fleet) },
  });
};

const withPeak = (nodes: readonly NodeLine[], value: number, measured = false): NodeLine[] =>
  nodes.map((node) => ({
    ...node,
    kpis: node.kpis.map((kpi) => ({ ...kpi, peak: { value, source: 'a datasheet', measured } })),
  }));

const by =
  (version: string, name = 'pi-bench') =>
  (node: NodeLine): NodeLine => ({
    ...node,
    tool: { name, version, commit: null },
  });

describe('a baseline that another version measured', () => {
  const baseline = baselineOf(healthyNodes(3).map(by('0.0.9')));

  it('says which, whoever wrote it; one of an older pi-bench is taken for its writer’s', () => {
    expect(versionsOf(writtenBaseline.parse(baseline))).toEqual(['0.0.9']);
    expect(versionsOf(baselineOf(healthyNodes(3).map(by('1.2', 'other'))))).toEqual([]);
    const older = { ...baseline, nodes: baseline.nodes.map(({ piBench: _, ...node }) => node) };
    expect(versionsOf(writtenBaseline.parse(older))).toEqual(['0.0.0']);
  });

  it('is named as such beside the check, and its own is not', () => {
    const versions = (version: string) =>
      against(baseline, healthyNodes(3).map(by(version))).baseline?.otherVersions;
    expect(versions('0.0.9')).toEqual([]);
    expect(versions('0.1.0')).toEqual(['0.0.9']);
    const shown = renderFleetCheck(against(baseline, healthyNodes(3).map(by('0.1.0'))), terminalStyle({}));
    expect(shown.replaceAll(/\s+/g, ' ')).toContain('measured by pi-bench 0.0.9');
  });
});

describe('fleet baseline', () => {
  it('fits its schema, says what it rests on, and leaves outliers out', () => {
    const nodes = [...healthyNodes(10), nodeOf('slow', [kpiOf(ratesOf(50, { level: 0.7e11 }))])];
    const baseline = writtenBaseline.parse(baselineOf(withPeak(nodes, 1.5e11)));
    const [rate, sustained] = baseline.entries;
    expect(baseline.nodes).toHaveLength(11);
    const lost = nodeOf('lost', [], { devices: {}, problems: [{ kind: 'lost', what: 'x', why: 'killed' }] });
    expect(baselineOf([...healthyNodes(3), lost]).nodes).toHaveLength(3);
    expect(rate).toMatchObject({ indicator: 'matmul', nodes: 10, dropped: 1, unit: 'FLOP/s', device: CPU });
    expect(rate?.parameters).toMatchObject({ m: 512, dtype: 'float32', pin: true });
    expect(rate?.median).toBeGreaterThan(0.99e11);
    expect(rate?.spread.low).toBeGreaterThan(0.95e11);
    expect(sustained?.kpi).toBe('pibench_matmul_sustained_rate_flops_per_second');
  });

  it.each([
    ['slower than any healthy node', 1e12, /10\.0 % of the peak .* only 20 % to 100 % can be/],
    ['faster than its peak', 0.9e11, /111\.\d % of the peak/],
  ])('refuses an entry that is %s', (_, peak, why) => {
    expect(() => baselineOf(withPeak(healthyNodes(4), peak))).toThrow(why);
    const mixed = healthyNodes(4, 2).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi, k) => ({
        ...kpi,
        peak: { value: k === 0 ? peak : 1.2e11, source: 'a datasheet', measured: false },
      })),
    }));
    const { baseline, refused } = makeBaseline(fleetOf(mixed), ABOUT, 1);
    expect(refused.map((one) => one.why).join()).toMatch(why);
    expect(new Set(baseline.entries.map(({ parameters }) => parameters.k))).toEqual(new Set([513]));
  });

  it('leaves out a sustained rate that its own reader would refuse, says so, and keeps the rate', () => {
    const nodes = withPeak(healthyNodes(4), 1.5e11).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, sustained: 0.2e11 })),
    }));
    const { baseline, refused } = makeBaseline(fleetOf(nodes), ABOUT, 1);
    expect(baseline.entries.map(({ kpi }) => kpi)).toEqual(['pibench_matmul_rate_flops_per_second']);
    expect(refused).toEqual([
      {
        title: expect.stringMatching(/^the sustained rate of matmul /),
        why: expect.stringMatching(/13\.3 % of the peak .* only 20 % to 100 % can be/),
      },
    ]);
    expect(parseBaseline(JSON.stringify(baseline), 'b').entries).toHaveLength(1);
    const { outcome } = against(baseline, withPeak(healthyNodes(1, 1, 9), 1.5e11));
    expect(outcome).toBe('pass');
  });

  it('refuses fewer than three nodes, and GPUs with different power limits', () => {
    expect(() => baselineOf(healthyNodes(2))).toThrow(/2 of the nodes have it; a baseline needs 3/);
    const gpusOf = (limit: (i: number) => number) =>
      healthyNodes(4).map((node, i) => ({
        ...node,
        devices: { cpu: { ...CPU, kind: 'gpu' as const, name: 'H200', powerLimitWatts: limit(i) } },
      }));
    expect(() => baselineOf(gpusOf((i) => (i === 1 ? 500 : 700)))).toThrow(
      /^mixed power limits: H200 has power limits of 700 W \(3 nodes, such as n0\), 500 W \(n1\); a baseline is of one limit: set the same everywhere/,
    );
    expect(() =>
      against(
        baselineOf(gpusOf(() => 700)),
        gpusOf((i) => (i === 1 ? 500 : 700)),
      ),
    ).toThrow(/^mixed power limits: H200 has/);
    expect(() =>
      against(
        baselineOf(gpusOf(() => 700)),
        gpusOf(() => 500),
      ),
    ).toThrow(
      /^made-up is a baseline of H200 with a power limit of 700 W, and these nodes are H200 with a power limit of 500 W: set it/,
    );
  });

  it('does not take a node that computed wrong results for an example, nor for the reference', () => {
    const wrong = healthyNodes(4).map((node, i) => ({
      ...node,
      problems: i < 2 ? [{ kind: 'wrong' as const, what: 'matmul', why: 'C[0] is 1' }] : [],
    }));
    expect(() => baselineOf(wrong)).toThrow(/2 of the nodes that have it computed only right results/);
  });

  it('keeps the reference node’s distribution, which is read back', () => {
    const [entry] = baselineOf(healthyNodes(6)).entries;
    const sketch = sketchOfEntry(entry as NonNullable<typeof entry>);
    const rates = sortedCopy(ratesOf(60));
    expect(sketch?.[12]).toBeCloseTo(entry?.median ?? 0, -3);
    expect(sketch?.[0]).toBeLessThan(0.995e11);
    expect(cvOfSketch(sketchOf(rates))).toBeCloseTo(0.004, 3);
  });
});

describe('fleet check against a baseline', () => {
  const baseline = baselineOf(healthyNodes(12));

  it('passes one healthy node and names one bad one of each kind', () => {
    const node = (seed: number, wrong?: (rate: number, i: number) => number) => [
      nodeOf('one', [kpiOf(ratesOf(seed, {}, wrong))]),
    ];
    expect(against(baseline, node(70)).outcome).toBe('pass');
    const causeOf = (wrong: (rate: number, i: number) => number) =>
      against(baseline, node(71, wrong)).named[0]?.cause;
    expect(causeOf((rate) => 0.93 * rate)).toBe('slow');
    expect(causeOf((rate, i) => (i % 10 === 0 ? 0.7 : 1) * rate)).toBe('stalling');
    expect(causeOf((rate, i) => (i % 100 === 0 ? 0.4 : 1) * rate)).toBe('stalling');
    expect(causeOf((rate, i) => rate * (1 - (0.08 * i) / 2000))).toBe('drifting');
    expect(causeOf((rate) => 1e11 + 10 * (rate - 1e11))).toBe('scattered');
  });

  it('refuses other hardware, and does not judge what it has no entry for', () => {
    const other = healthyNodes(1).map((node) => ({ ...node, devices: { cpu: { ...CPU, name: 'another' } } }));
    expect(() => against(baseline, other)).toThrow(
      /made-up is a baseline of other hardware: it is of made-up \(4 CPUs\), and these nodes are another \(4 CPUs\)/,
    );
    const more = nodeOf('one', [
      kpiOf(ratesOf(72)),
      kpiOf(ratesOf(73), { key: KEY.replace('float32', 'float64') }),
    ]);
    const found = against(baseline, [more]);
    expect(found.outcome).toBe('inconclusive');
    expect(found.notJudged.map(({ why }) => why)).toEqual(['the baseline has no entry for it']);
    const otherUnit = nodeOf('one', [kpiOf(ratesOf(72), { unit: 'GFLOP/s' })]);
    expect(against(baseline, [otherUnit]).outcome).toBe('inconclusive');
  });
});

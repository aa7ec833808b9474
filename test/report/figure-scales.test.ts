/** What a figure draws lies where its axis says, as high as its axis makes it, and within the picture. */
import type { Data, Spec } from 'vega';
import { describe, expect, it } from 'vitest';
import type { NamedNode } from '../../src/fleet/check.js';
import { fleetOf } from '../../src/fleet/table.js';
import { distribution } from '../../src/report/figures/distribution.js';
import { type Absent, type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { drawNode } from '../../src/report/figures/fleet.js';
import { axisLabel } from '../../src/report/figures/parts.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { violins } from '../../src/report/figures/violins.js';
import { buildReport } from '../../src/report/model.js';
import { CPU, KEY, kpiOf, nodeOf, ratesOf } from '../fleet/support.js';
import type { Launch } from '../support/batch.js';
import { recordOf } from '../support/records.js';

function specOf(figure: Figure | Absent): Spec {
  if (!isDrawn(figure)) throw new Error(figure.why);
  return figure.spec(LIGHT);
}

function valuesOf<T>(spec: Spec, name: string): readonly T[] {
  const data = (spec.data as readonly Data[]).find((one) => one.name === name);
  return (data as { values?: readonly T[] } | undefined)?.values ?? [];
}

const domainOf = (spec: Spec): readonly number[] =>
  spec.scales?.find(({ name }) => name === 'x')?.domain as readonly number[];

/** Two modes with as many repetitions each, whose spread in shares is the same. */
const twoModes = (far: number, low = 1): number[] =>
  Array.from({ length: 400 }, (_, i) => low * (i % 2 === 0 ? 1 : far) * (1 + 0.04 * Math.sin(i * 1.7)));

const reportOf = (launches: readonly Launch[]) => buildReport(recordOf({ batches: [{ launches }] }), []);

describe('a label of an axis', () => {
  it.each([
    [512, '512'],
    [2000, '2k'],
    [12_300, '12.3k'],
    [16_384, '16384'],
    [123_400, '123.4k'],
    [1_048_576, '1048576'],
    [1_234_500, '1234500'],
    [2_000_000, '2M'],
    [0.5, '0.5'],
  ])('never rounds a count: %d', (value, label) => {
    expect(axisLabel(value, 'count')).toBe(label);
  });
});

describe('a density', () => {
  const highest = (points: readonly { readonly v: number; readonly d: number }[], from: number, to: number) =>
    Math.max(...points.filter(({ v }) => v >= from && v <= to).map(({ d }) => d));

  it('of a batch is that of its axis: a mode that is four times as wide is a quarter as high', () => {
    const report = reportOf([{ seconds: 1, samples: twoModes(4) }]);
    const [batch] = report.batches;
    if (batch === undefined) throw new Error('no batch');
    expect(batch.violin?.scale).toBe('log');
    const spec = specOf(distribution.draw(batch, report));
    const points = valuesOf<{ v: number; d: number }>(spec, 'grid');
    expect(highest(points, 0.9, 1.1)).toBe(1);
    expect(highest(points, 3.6, 4.4)).toBeGreaterThan(0.2);
    expect(highest(points, 3.6, 4.4)).toBeLessThan(0.32);
  });

  it('of a node beside its fleet likewise', () => {
    const nodes = ['bad', 'a', 'b'].map((name, i) =>
      nodeOf(name, [kpiOf(name === 'bad' ? twoModes(4, 2.5e10) : ratesOf(i))]),
    );
    const named = { node: 'bad', cause: 'slow', findings: [findingOn('cpu')] } as unknown as NamedNode;
    const spec = specOf(drawNode(fleetOf(nodes), named));
    const points = valuesOf<{ name: string; v: number; d: number }>(spec, 'shape').filter(
      ({ name }) => name === 'bad',
    );
    expect(highest(points, 22, 28)).toBe(1);
    expect(highest(points, 90, 110)).toBeLessThan(0.35);
  });
});

const findingOn = (on: string) => ({
  key: KEY,
  on,
  rule: 'median',
  title: 'matmul',
  worse: 0.1,
  limit: 0.05,
  usual: false,
});

describe('a node beside its fleet', () => {
  const devices = ['cuda:0', 'cuda:1', 'cuda:2'];
  const withDevices = (node: string, seed: number) =>
    nodeOf(
      node,
      devices.map((on, i) => kpiOf(ratesOf(seed + i), { on })),
      { devices: Object.fromEntries(devices.map((on) => [on, CPU])) },
    );
  const drawnOf = (count: number) => {
    const nodes = Array.from({ length: count }, (_, i) => withDevices(`n${i}`, 10 * i));
    const named = { node: 'n0', cause: 'slow', findings: [findingOn('cuda:1')] } as unknown as NamedNode;
    return drawNode(fleetOf(nodes), named);
  };

  it('stands beside other nodes, and counts these and not their devices', () => {
    const figure = drawnOf(5);
    expect(isDrawn(figure) && figure.alternative).toMatch(/12 devices of 4 other nodes: median/);
  });

  it('says that some of many were chosen', () => {
    const figure = drawnOf(101);
    expect(isDrawn(figure) && figure.caption).toMatch(
      /Beside it are 200 devices of \d+ other nodes, evenly chosen of 300\./,
    );
  });

  it('has the figures that nodes are judged by, and not those of the shapes', () => {
    const nodes = ['n0', 'n1', 'n2', 'n3', 'n4'].map((name, i) =>
      nodeOf(name, [kpiOf(ratesOf(i), { median: (i + 1) * 1e10, p05: i === 3 ? null : (i + 1) * 0.9e10 })]),
    );
    const named = { node: 'n0', cause: 'slow', findings: [findingOn('cpu')] } as unknown as NamedNode;
    const figure = drawNode(fleetOf(nodes), named);
    expect(isDrawn(figure) && figure.alternative).toBe(
      'n0: median 10.00 GFLOP/s, 95 % of the repetitions reach 9.000 GFLOP/s. 4 other nodes: median 35.00 GFLOP/s, 95 % of the repetitions reach 27.00 GFLOP/s',
    );
    const marks = valuesOf<{ name: string; v: number }>(specOf(figure), 'marks');
    expect(marks.map(({ name, v }) => [name, v])).toEqual([
      ['n0', 10],
      ['n0', 9],
      ['4 other nodes', 35],
      ['4 other nodes', 27],
    ]);
    const [low = 0, high = 0] = domainOf(specOf(figure));
    expect([low <= 9, high >= 35]).toEqual([true, true]);
    const unknown = nodes.map((line) => ({ ...line, kpis: line.kpis.map((kpi) => ({ ...kpi, p05: null })) }));
    const without = drawNode(fleetOf(unknown), named);
    expect(isDrawn(without) && without.alternative).toBe(
      'n0: median 10.00 GFLOP/s. 4 other nodes: median 35.00 GFLOP/s',
    );
  });

  it('has nothing to stand beside where it is alone', () => {
    expect(drawnOf(1)).toMatchObject({ why: 'no other node has a distribution to stand beside' });
  });
});

describe('violins', () => {
  it('show slow launches and whiskers, however far these are from the middle of the repetitions', () => {
    const steady = { seconds: 1, samples: Array.from({ length: 300 }, (_, i) => 1 + 0.01 * Math.sin(i)) };
    // Fewer than a hundredth of the repetitions: the shape does not span them.
    const slow = { seconds: 2.5, samples: [2.5] };
    const report = reportOf([steady, steady, slow]);
    const spec = specOf(violins.draw(report));
    const [low = 0, high = 0] = domainOf(spec);
    const drawn = [
      ...valuesOf<{ v: number }>(spec, 'medians').map(({ v }) => v),
      ...valuesOf<{ low: number; high: number }>(spec, 'boxes').flatMap((box) => [box.low, box.high]),
    ];
    expect(Math.max(...drawn)).toBe(2.5);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(high);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(low);
  });
});

/** Each series of a fleet's check, as a collector reads it. */
import { expect, it } from 'vitest';
import { checkFleet } from '../../src/fleet/check.js';
import type { NodeCheck, NodeLine } from '../../src/fleet/node-line.js';
import { openMetrics } from '../../src/fleet/open-metrics.js';
import { fleetOf } from '../../src/fleet/table.js';
import { CPU, healthyNodes, KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const CHECKED = '2026-01-03T00:00:00.500Z';

const written = (nodes: readonly NodeLine[]) => {
  const fleet = fleetOf(nodes);
  const found = checkFleet(fleet, { scale: 1, baseline: null });
  const lines = openMetrics(fleet, found, Date.parse(CHECKED)).split('\n');
  const of = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`pi_bench_fleet_${name}`));
  return { found, lines, of };
};

it('says how many nodes there are, who is named for what, and how much worse that is', () => {
  const odd = 'a "b"\\c';
  const { found, lines, of } = written([
    ...healthyNodes(6),
    nodeOf(odd, [kpiOf(ratesOf(77, { level: 0.8e11 }))]),
    nodeOf('lost', [], { problems: [{ kind: 'lost', what: 'campaign', why: 'killed' }] }),
  ]);
  const [first] = found.named.find(({ node }) => node === odd)?.findings ?? [];
  const escaped = 'a \\"b\\"\\\\c';
  expect(of('nodes ')).toEqual(['pi_bench_fleet_nodes 8']);
  expect(of('not_judged')).toEqual(['pi_bench_fleet_not_judged 0']);
  expect(of('node_cause').toSorted()).toEqual([
    `pi_bench_fleet_node_cause{node="${escaped}",cause="slow",severity="triage",verdict="fail"} 1`,
    'pi_bench_fleet_node_cause{node="lost",cause="lost",severity="triage",verdict="inconclusive"} 1',
  ]);
  // Of who is lost there is no KPI that is worse.
  expect(of('node_worse_ratio')).toEqual([
    `pi_bench_fleet_node_worse_ratio{node="${escaped}",kpi="${first?.title}",rule="${first?.rule}"} ${Number(first?.worse.toPrecision(6))}`,
  ]);
  expect(first?.worse).toBeCloseTo(0.2, 1);
  expect(lines.filter((line) => line.startsWith('# TYPE')).every((line) => line.endsWith(' gauge'))).toBe(
    true,
  );
});

it('counts the KPIs that could not be judged, and leaves out series without a value', () => {
  const rare = kpiOf(ratesOf(3), { key: KEY.replace('k=512', 'k=7') });
  const nodes = healthyNodes(5).map((node, i) => (i < 2 ? { ...node, kpis: [...node.kpis, rare] } : node));
  const { lines, of } = written(nodes);
  expect(of('not_judged')).toEqual(['pi_bench_fleet_not_judged 1']);
  expect(lines.join('\n')).not.toMatch(/node_cause|node_worse_ratio/);
});

it('counts a KPI once that few nodes have and others lack', () => {
  const gpus = Array.from({ length: 4 }, (_, i) => `cuda:${i}`);
  const nodes = healthyNodes(5).map((node, i) => ({
    ...node,
    devices: Object.fromEntries(gpus.map((on) => [on, { ...CPU, kind: 'gpu' as const }])),
    kpis: gpus.flatMap((on, j) => [
      kpiOf(ratesOf(4 * i + j), { on }),
      ...(i === 0 ? [kpiOf(ratesOf(40 + j), { on, key: KEY.replace('k=512', 'k=7') })] : []),
    ]),
  }));
  const { found, of } = written(nodes);
  expect(found.notJudged).toHaveLength(2);
  expect(of('not_judged')).toEqual(['pi_bench_fleet_not_judged 1']);
});

it('says what the check came to, when that was, and when each node was measured, as far as that is known', () => {
  const [first, second, third] = healthyNodes(3) as [NodeLine, NodeLine, NodeLine];
  const { of } = written([first, { ...second, at: null }, { ...third, at: '2026-01-01T00:00:00.000Z' }]);
  expect(of('outcome')).toEqual([
    'pi_bench_fleet_outcome{outcome="pass"} 1',
    'pi_bench_fleet_outcome{outcome="fail"} 0',
    'pi_bench_fleet_outcome{outcome="inconclusive"} 0',
  ]);
  expect(of('last_run')).toEqual([`pi_bench_fleet_last_run_timestamp_seconds ${Date.parse(CHECKED) / 1000}`]);
  expect(of('node_measured')).toEqual([
    `pi_bench_fleet_node_measured_timestamp_seconds{node="${first.node}"} ${Date.parse(first.at ?? '') / 1000}`,
    `pi_bench_fleet_node_measured_timestamp_seconds{node="${third.node}"} ${Date.parse('2026-01-01') / 1000}`,
  ]);
});

it('calls no node ok whose KPIs could not be compared with any, however good its own checks are', () => {
  const checks: readonly NodeCheck[] = [
    { name: 'swap', verdict: 'pass', required: true, cause: null, reason: null, seconds: null },
  ];
  const good = (count: number) => healthyNodes(count).map((node) => ({ ...node, checks }));
  const two = written(good(2));
  expect(two.found.outcome).toBe('inconclusive');
  expect(two.of('outcome')).toContain('pi_bench_fleet_outcome{outcome="inconclusive"} 1');
  expect(two.of('node_ok').map((line) => line.at(-1))).toEqual(['0', '0']);
  expect(
    written(good(3))
      .of('node_ok')
      .map((line) => line.at(-1)),
  ).toEqual(['1', '1', '1']);
});

/** Each series of a fleet's check, as a collector reads it. */
import { expect, it } from 'vitest';
import { checkFleet } from '../../src/fleet/check.js';
import type { NodeLine } from '../../src/fleet/node-line.js';
import { openMetrics } from '../../src/fleet/open-metrics.js';
import { fleetOf } from '../../src/fleet/table.js';
import { healthyNodes, KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const written = (nodes: readonly NodeLine[]) => {
  const fleet = fleetOf(nodes);
  const found = checkFleet(fleet, { scale: 1, baseline: null });
  const lines = openMetrics(fleet, found).split('\n');
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

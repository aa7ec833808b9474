/**
 * A fleet's check as OpenMetrics, gauges without timestamps, a label for each node. To node_exporter's textfile collector, which takes
 * Prometheus' own format, its last line is a comment. Pure.
 */
import type { FleetCheck } from './check.js';
import type { Fleet } from './table.js';

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const labels = (all: Readonly<Record<string, string>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

const gauge = (name: string, help: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines];

export function openMetrics({ nodes }: Fleet, { named, notJudged, unjudged }: FleetCheck): string {
  const byNode = new Map(named.map((one) => [one.node, one]));
  const open = new Set(unjudged);
  const standing = nodes.map(
    ({ node }) => `pi_bench_fleet_node_ok{${labels({ node })}} ${byNode.has(node) || open.has(node) ? 0 : 1}`,
  );
  const causes = named.map(
    ({ node, cause, severity, verdict }) =>
      `pi_bench_fleet_node_cause{${labels({ node, cause, severity, verdict })}} 1`,
  );
  const worst = named.flatMap(({ node, findings: [first] }) =>
    first === undefined
      ? []
      : [
          `pi_bench_fleet_node_worse_ratio{${labels({ node, kpi: first.title, rule: first.rule })}} ${Number(first.worse.toPrecision(6))}`,
        ],
  );
  return [
    ...gauge('pi_bench_fleet_nodes', 'Nodes that were judged together', [
      `pi_bench_fleet_nodes ${nodes.length}`,
    ]),
    ...gauge('pi_bench_fleet_not_judged', 'KPIs that could not be judged', [
      `pi_bench_fleet_not_judged ${notJudged.length}`,
    ]),
    ...gauge(
      'pi_bench_fleet_node_ok',
      '1 where nothing stands out, 0 where the node is named or nothing of it was judged',
      standing,
    ),
    ...gauge('pi_bench_fleet_node_cause', 'Cause for which a node is named', causes),
    ...gauge('pi_bench_fleet_node_worse_ratio', 'How much worse its worst KPI is, as a share', worst),
    '# EOF',
    '',
  ].join('\n');
}

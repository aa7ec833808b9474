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

const OUTCOMES: readonly FleetCheck['outcome'][] = ['pass', 'fail', 'inconclusive'];

const inSeconds = (moment: number): number => moment / 1000;

/** @param checkedAt milliseconds since 1970 */
export function openMetrics(
  { nodes }: Fleet,
  { outcome, named, notJudged, unjudged, notCompared }: FleetCheck,
  checkedAt: number,
): string {
  // One that few nodes have and others lack is told of twice.
  const silent = new Set(notJudged.map(({ what }) => what)).size;
  const notOk = new Set([...named.map(({ node }) => node), ...unjudged, ...notCompared]);
  const standing = nodes.map(
    ({ node }) => `pi_bench_fleet_node_ok{${labels({ node })}} ${Number(!notOk.has(node))}`,
  );
  const measured = nodes.flatMap(({ node, at }) => {
    const moment = Date.parse(at ?? '');
    return Number.isNaN(moment)
      ? []
      : [`pi_bench_fleet_node_measured_timestamp_seconds{${labels({ node })}} ${inSeconds(moment)}`];
  });
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
    ...gauge(
      'pi_bench_fleet_outcome',
      '1 for what the check came to, 0 for what it did not',
      OUTCOMES.map((one) => `pi_bench_fleet_outcome{${labels({ outcome: one })}} ${Number(one === outcome)}`),
    ),
    ...gauge('pi_bench_fleet_not_judged', 'KPIs that could not be judged', [
      `pi_bench_fleet_not_judged ${silent}`,
    ]),
    ...gauge(
      'pi_bench_fleet_node_ok',
      '1 where the node was judged and nothing stands out, 0 where it is named, nothing of it was judged, or none of its KPIs could be compared, whatever its own checks say',
      standing,
    ),
    ...gauge('pi_bench_fleet_node_cause', 'Cause for which a node is named', causes),
    ...gauge('pi_bench_fleet_node_worse_ratio', 'How much worse its worst KPI is, as a share', worst),
    ...gauge(
      'pi_bench_fleet_node_measured_timestamp_seconds',
      'When the node began to be measured, in seconds since 1970',
      measured,
    ),
    ...gauge(
      'pi_bench_fleet_last_run_timestamp_seconds',
      'When the nodes were judged, in seconds since 1970',
      [`pi_bench_fleet_last_run_timestamp_seconds ${inSeconds(checkedAt)}`],
    ),
    '# EOF',
    '',
  ].join('\n');
}

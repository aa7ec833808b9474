/**
 * SuperBench's `results-summary.jsonl`: one flat JSON object a node, `benchmark[/run]/metric[:rank]` -> number. It has one value
 * of each metric, no unit, no direction and no version, so directions are taken from the metrics' names and what has none by its
 * name is left out, and counted; nothing can be said of distributions. A benchmark whose answer was wrong has no KPI. Read and
 * written. Pure.
 */
import { readKey } from '../fleet/case-key.js';
import {
  type NodeCheck,
  type NodeKpi,
  type NodeLine,
  type NodeProblem,
  unknownNode,
} from '../fleet/node-line.js';
import type { BaselineDevice } from '../qualify/baseline-schema.js';
import { plural } from '../quantities/format.js';
import { kpiOfOneValue } from './one-value.js';
import { benchmarkOf, verdictOf } from './superbench/verdicts.js';

/** Ours, as `toSuperbench` writes them. */
const OWN_RATE = /^pibench_\w+_per_second$/;
const LOWER = /(^|[_/-])(time|steptimes?|latency|lat|overhead|duration)([_/:-]|$)|_(us|ms)$/i;
/** How many times as slow or as little it is beside others, whatever of. */
const FACTOR = /(^|[_/-])x_|interference_factor/i;
const HIGHER =
  /flops([_/:-]|$)|(^|[_/-])(iops|iop|bw|busbw|algbw|bandwidth|throughput|ratio|ops|efficiency|score)([_/:-]|$)/i;
const RETURN_CODE = /^(.*)\/return_code(?::\d+)?$/;
/** Readings of the machine beside the benchmarks, and how long gpu-burn was asked to run: no performance. */
const NO_PERFORMANCE = /^(monitor\/|gpu-burn(:[^/]*)?(\/\d+)?\/time$)/;
const RANK = /^(.*):(\d+)$/;

const device = (kind: BaselineDevice['kind'], name: string): BaselineDevice => ({
  kind,
  name,
  cpus: null,
  pciDevice: null,
  pciSubsystem: null,
  powerLimitWatts: null,
});

const WHOLE = 'node';
const ranked = (rank: string): string => `rank:${rank}`;

/** null: its name does not tell which is better. */
function betterOf(name: string): NodeKpi['better'] | null {
  // Of `gemm-flops/fp16_time` the benchmark says nothing.
  const metric = name.slice(name.lastIndexOf('/') + 1);
  if (OWN_RATE.test(metric)) return 'higher';
  return FACTOR.test(metric) || LOWER.test(metric) ? 'lower' : HIGHER.test(metric) ? 'higher' : null;
}

function kpiOf(name: string, value: number): NodeKpi | null {
  const [, metric = name, rank] = RANK.exec(name) ?? [];
  const better = betterOf(metric);
  if (better === null || !(value > 0) || NO_PERFORMANCE.test(metric)) return null;
  return kpiOfOneValue({
    key: `superbench/${metric}`,
    on: rank === undefined ? WHOLE : ranked(rank),
    unit: '',
    better,
    median: value,
  });
}

/** @returns null where it is no line of such a summary */
export function superbenchNode(value: unknown): NodeLine | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { node, ...metrics } = value as Readonly<Record<string, unknown>>;
  if (typeof node !== 'string' || node === '') return null;
  const entries = Object.entries(metrics);
  if (!entries.some(([name]) => name.includes('/'))) return null;
  const measured: { readonly benchmark: string; readonly kpi: NodeKpi }[] = [];
  const leftOut: string[] = [];
  const problems: NodeProblem[] = [];
  const spoilt = new Set<string>();
  for (const [name, value] of entries) {
    const [, benchmark] = RETURN_CODE.exec(name) ?? [];
    const number = typeof value === 'number' && Number.isFinite(value) ? value : null;
    const verdict = number === null ? null : verdictOf(name, number);
    const kpi = number === null ? null : kpiOf(name, number);
    if (benchmark !== undefined) {
      if (value !== 0 && value !== null) {
        problems.push({
          kind: 'lost',
          what: benchmark,
          why: `SuperBench’s return code is ${String(value)}`,
        });
      }
    } else if (verdict !== null) {
      if (verdict.problem !== null) problems.push(verdict.problem);
      if (verdict.spoilt !== null) spoilt.add(verdict.spoilt);
    } else if (kpi === null) leftOut.push(name);
    else measured.push({ benchmark: benchmarkOf(name), kpi });
  }
  const kpis = measured.flatMap(({ benchmark, kpi }) => (spoilt.has(benchmark) ? [] : [kpi]));
  return {
    ...unknownNode(node, 'superbench'),
    hostname: node,
    hardware: { imported: 'superbench' },
    devices: Object.fromEntries(
      [...new Set(kpis.map(({ on }) => on))].map((on) => [
        on,
        on === WHOLE ? device('cpu', 'node of SuperBench') : device('gpu', 'rank of SuperBench'),
      ]),
    ),
    problems,
    ...(leftOut[0] === undefined ? {} : { leftOut: { metrics: leftOut.length, example: leftOut[0] } }),
    kpis,
  };
}

/** What became of metrics that are no KPI, in words; null: there is none. */
export function leftOutText(nodes: readonly Pick<NodeLine, 'leftOut'>[]): string | null {
  const all = nodes.flatMap(({ leftOut }) => leftOut ?? []);
  const [first] = all.toSorted((a, b) => b.metrics - a.metrics);
  if (first === undefined) return null;
  const of = all.length === 1 ? 'a node' : `each of ${all.length} nodes`;
  const most = `${all.some(({ metrics }) => metrics !== first.metrics) ? 'up to ' : ''}${plural(first.metrics, 'metric')}`;
  return `${most} of ${of} (such as ${first.example}): no name that tells what is better, no value above 0, or a reading of the machine`;
}

/** `/` and `:` mean something in SuperBench's names. */
const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9._=-]+/g, '_');

/** `pi-bench-matmul:dtype=float32_m=512_embedded/pibench_matmul_rate_flops_per_second`: the whole case, so that names stay apart. */
function metricOf({ key, on }: NodeKpi): string {
  const rank = /^[a-z]+:(\d+)$/.exec(on)?.[1];
  const suffix = rank === undefined ? '' : `:${rank}`;
  const known = readKey(key);
  if (known === null) return `${key.replace(/^superbench\//, '')}${suffix}`;
  const { indicator, parameters, stack, kpi } = known;
  const said = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const all = [...said, stack.provider, stack.variant ?? [], stack.own ?? []].flat();
  return `pi-bench-${plain(indicator)}:${plain(all.join(' '))}/${kpi}${suffix}`;
}

/** One that a node has twice is as bad as the worse, as `fleet check` counts it. */
function metricsOf(kpis: readonly NodeKpi[]): Readonly<Record<string, number>> {
  const metrics = new Map<string, number>();
  for (const kpi of kpis) {
    const name = metricOf(kpi);
    const worse = kpi.better === 'higher' ? Math.min : Math.max;
    metrics.set(name, worse(kpi.median, metrics.get(name) ?? kpi.median));
  }
  return Object.fromEntries(metrics);
}

/**
 * Its line for SuperBench's `sb result` and whoever reads that: medians in base units, a return code for what was lost, wrong or
 * failed. A check that could not judge is none of these: SuperBench takes a return code for a broken node.
 */
export function toSuperbench({ node, kpis, problems, checks }: NodeLine): string {
  const failed = checks.filter(({ verdict }: NodeCheck) => verdict === 'fail');
  return `${JSON.stringify({
    node,
    ...metricsOf(kpis),
    'pi-bench/return_code': problems.length + failed.length === 0 ? 0 : 1,
  })}\n`;
}

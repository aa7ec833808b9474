/**
 * A group of nodes that are faster than the middle by as much as a node is named for: being faster is no defect, but where most of a
 * fleet is slow its middle is, and nobody is named. Pure.
 */
import { formatShare, plural } from '../quantities/format.js';
import { median } from '../statistics/quantile.js';
import { keyTitle } from './case-key.js';
import { type JudgeTask, pick, type SeriesJudgement } from './judge-series.js';
import { centreOf, LEAST_NODES } from './limits.js';
import { worseness } from './rules.js';
import type { Series } from './table.js';

/** Fewer may be so by chance where nodes differ with heavy tails. */
const LEAST_SHARE = 0.1;

interface Group {
  readonly title: string;
  readonly nodes: number;
  readonly of: number;
  /** Their typical rate, above the middle. */
  readonly faster: number;
}

/** How far each node is above the middle: of one with several devices, how far its middle device is. */
function byNode(shares: Float64Array, nodes: Int32Array | null): Float64Array {
  if (nodes === null) return shares.filter((share) => !Number.isNaN(share));
  const all = new Map<number, number[]>();
  shares.forEach((share, row) => {
    if (Number.isNaN(share)) return;
    const node = nodes[row] as number;
    all.set(node, [...(all.get(node) ?? []), share]);
  });
  return Float64Array.from(all.values(), (own) => median(own));
}

/** @param nodes of which the rows are; null: each is of another */
function groupOf(
  series: Series,
  nodes: Int32Array | null,
  { kept, limits: { median: limit } }: SeriesJudgement,
): Group | null {
  if (limit === undefined) return null;
  const values = worseness(series, 'median');
  const centre = centreOf(pick(values, kept))?.centre ?? Number.NaN;
  const all = byNode(
    values.map((value) => Math.expm1(centre - value)),
    nodes,
  );
  const by = all.filter((share) => share > limit);
  return by.length < Math.max(LEAST_NODES, LEAST_SHARE * all.length)
    ? null
    : { title: keyTitle(series.key), nodes: by.length, of: all.length, faster: median(by) };
}

/** Of the KPI at which such a group is largest; nothing where there is none. */
export function fasterTexts(
  { series, nodes }: Pick<JudgeTask, 'series' | 'nodes'>,
  judgements: readonly SeriesJudgement[],
): readonly string[] {
  const groups = series.flatMap(
    (one, i) => groupOf(one, nodes[i] ?? null, judgements[i] as SeriesJudgement) ?? [],
  );
  const [first, ...more] = groups.toSorted((a, b) => b.nodes - a.nodes || b.faster - a.faster);
  if (first === undefined) return [];
  const { title, nodes: many, of, faster } = first;
  const others = more.length === 0 ? '' : `, and at ${plural(more.length, 'KPI')} more`;
  return [
    `${many} of ${plural(of, 'node')} are ${formatShare(faster)} faster than the middle at ${title}${others}: either these are unusual or the rest is slow; hold them against a baseline`,
  ];
}

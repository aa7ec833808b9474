/** What a check could not judge: KPIs that too few nodes have, and nodes of which nothing was, or nothing beside others. Pure. */
import { keyTitle } from './case-key.js';
import type { SeriesJudgement } from './judge-series.js';
import { LEAST_NODES } from './limits.js';
import { hasJudgedCheck } from './open-checks.js';
import type { Fleet, Series } from './table.js';

export interface NotJudged {
  readonly what: string;
  readonly why: string;
}

export const isJudged = (judgement: SeriesJudgement | undefined): boolean =>
  Object.keys(judgement?.limits ?? {}).length > 0;

/** Whether a node was held against others, or a baseline. @param nodes as `whyNotJudged` has them */
export const isCompared = (judgement: SeriesJudgement | undefined, nodes: number | null): boolean =>
  isJudged(judgement) && (nodes === null || nodes >= LEAST_NODES);

/** @param nodes that have it, counted as far as it matters; null: they were held against a baseline */
export function whyNotJudged(
  judgement: SeriesJudgement,
  { key, places }: Series,
  { nodes, lacked }: { readonly nodes: number | null; readonly lacked: string | null },
): NotJudged[] {
  const what = keyTitle(key);
  const isFew = nodes !== null && nodes < LEAST_NODES;
  const having = nodes === 1 ? 'one node has it' : `${nodes} nodes have it`;
  if (!isJudged(judgement)) {
    const why = isFew
      ? `${having}, and fewer than ${LEAST_NODES} cannot say which of them is off`
      : 'the baseline has no entry for it';
    return [{ what, why }];
  }
  // Eight GPUs of one node show which of them is off, and not whether all of them are; of two nodes each counts for itself (`centreOf`).
  const alike =
    nodes === 1
      ? ''
      : ', each as if it were a node, so that what those of a node have in common may name all of them';
  const among = `${having}: ${places.length} devices were compared among themselves only${alike}, and fewer than ${LEAST_NODES} nodes cannot say whether all of them are off`;
  return [...(isFew ? [among] : []), ...(lacked === null ? [] : [lacked])].map((why) => ({ what, why }));
}

export function nodesIn({ nodes, places }: Fleet, series: readonly Series[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const one of series) {
    // Most KPIs are of all nodes, and there may be two million rows.
    if (found.size === nodes.length) break;
    for (const place of one.places) found.add(places[place]?.node ?? -1);
  }
  return found;
}

/** Nodes of which a KPI has a rate that counts, counted no further than to the first that are enough. */
export function nodesHaving({ places }: Fleet, { places: own, columns }: Series): number {
  const found = new Set<number>();
  // A loop: of two million rows.
  for (let row = 0; row < own.length && found.size < LEAST_NODES; row++) {
    if (!Number.isNaN(columns.median[row])) found.add(places[own[row] as number]?.node ?? -1);
  }
  return found.size;
}

/** @param compared nodes with a KPI that was held against other nodes or a baseline */
export function notComparedNodes(fleet: Fleet, compared: ReadonlySet<number>): readonly string[] {
  const measured = nodesIn(fleet, fleet.series);
  return fleet.nodes.flatMap(({ node }, i) => (measured.has(i) && !compared.has(i) ? [node] : []));
}

/** Who is not named and of whom nothing was judged. */
export function unjudgedNodes(
  { nodes }: Fleet,
  judged: ReadonlySet<number>,
  named: readonly { readonly node: string }[],
): readonly string[] {
  const known = new Set(named.map(({ node }) => node));
  return nodes.flatMap((head, i) =>
    judged.has(i) || known.has(head.node) || hasJudgedCheck(head) ? [] : [head.node],
  );
}

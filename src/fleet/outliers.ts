/** Nodes on whose rates no entry of a baseline rests because they are worse than the others, in words. Pure. */
import { keyTitle } from './case-key.js';
import type { SeriesFinding } from './judge-series.js';
import { ruleText } from './rules.js';
import type { Fleet, Series } from './table.js';

/** A KPI that was judged, and which of its rows were kept. */
export interface Outliers {
  readonly series: Series;
  readonly kept: Int32Array;
  /** Of each row that is not kept, at least one. */
  readonly findings: readonly SeriesFinding[];
}

interface Told {
  /** At a KPI, where it lies furthest beyond its limit. */
  text: string;
  beyond: number;
  kpis: number;
}

function worstOf(findings: readonly SeriesFinding[]): ReadonlyMap<number, SeriesFinding> {
  const worst = new Map<number, SeriesFinding>();
  for (const one of findings) {
    const before = worst.get(one.row);
    if (before === undefined || one.worse / one.limit > before.worse / before.limit) worst.set(one.row, one);
  }
  return worst;
}

/** @returns a line for each node that is an outlier at some KPI */
export function outliersOf(
  { nodes, places }: Pick<Fleet, 'nodes' | 'places'>,
  all: readonly Outliers[],
): readonly { readonly node: string; readonly why: string }[] {
  const told = new Map<number, Told>();
  for (const { series, kept, findings } of all) {
    const [rows, worst] = [new Set(kept), worstOf(findings)];
    for (const [row, finding] of worst) {
      if (rows.has(row)) continue;
      const { node = -1, on = '' } = places[series.places[row] ?? -1] ?? {};
      const text = `${keyTitle(series.key)}${on === 'cpu' ? '' : ` on ${on}`}: ${ruleText(finding)}`;
      const beyond = finding.worse / finding.limit;
      const own = told.get(node);
      if (own === undefined) told.set(node, { text, beyond, kpis: 1 });
      else {
        own.kpis++;
        if (beyond > own.beyond) [own.text, own.beyond] = [text, beyond];
      }
    }
  }
  return [...told]
    .sort(([a], [b]) => a - b)
    .map(([node, { text, kpis }]) => ({
      node: nodes[node]?.node ?? '',
      why: `an outlier at ${text}${kpis === 1 ? '' : `, and at ${kpis - 1} more`}`,
    }));
}

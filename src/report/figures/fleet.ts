/** A node beside its fleet: the violin of its repetitions above that of all other nodes, at the KPI that it is worst at. */
import type { Spec } from 'vega';
import type { NamedNode } from '../../fleet/check.js';
import { KNOTS, MEDIAN_KNOT, P05_KNOT, valuesOf } from '../../fleet/sketch.js';
import type { Fleet, Series } from '../../fleet/table.js';
import { plural, withPrefix } from '../../quantities/format.js';
import { ruleText } from '../../readers/terminal/fleet.js';
import { sortedCopy } from '../../statistics/quantile.js';
import { type Violin, violinOfSorted } from '../../statistics/violin.js';
import type { Absent, Figure } from './figure.js';
import { markedValues, nodeViolins, quantileMarks } from './node-violins.js';
import { brief, domainOf, extentOf, unitFor } from './parts.js';
import type { Theme } from './theme.js';
import { edgeOf, rowsFrame } from './violin-rows.js';

const ROW = 70;
const OF_NODE = 512;
const OF_EACH = 48;
/** So many others show what their fleet is like. */
const MOST_OTHERS = 200;

interface Row {
  readonly name: string;
  readonly violin: Violin;
  readonly median: number;
  readonly p05: number;
}

const sketchAt = ({ sketches }: Series, row: number): Float32Array =>
  sketches.subarray(row * KNOTS, (row + 1) * KNOTS);

const isKnown = (sketch: Float32Array): boolean => !Number.isNaN(sketch[0]);

/** Evenly chosen rows other than the node's own. */
function othersOf(series: Series, own: ReadonlySet<number>): readonly number[] {
  const rows = Array.from(series.places, (_, row) => row).filter(
    (row) => !own.has(row) && isKnown(sketchAt(series, row)),
  );
  const step = Math.max(1, rows.length / MOST_OTHERS);
  return Array.from(
    { length: Math.min(rows.length, MOST_OTHERS) },
    (_, i) => rows[Math.floor(i * step)] ?? 0,
  );
}

function rowOf(name: string, values: Float64Array, sketch: ArrayLike<number>): Row {
  return {
    name,
    violin: violinOfSorted(values),
    median: sketch[MEDIAN_KNOT] ?? 0,
    p05: sketch[P05_KNOT] ?? 0,
  };
}

/** @param rows the first is the node's */
function specOf(rows: readonly Row[], unit: string, theme: Theme): Spec {
  const ends = rows.flatMap(({ violin }) => [...violin.grid]);
  const { factor, name } = unitFor(ends, unit);
  const { type } = domainOf(ends.map((value) => value / factor));
  const axis = { type, domain: extentOf(ends.map((value) => value / factor)) } as const;
  const linear = { ...axis, type: 'linear' } as const;
  const shape = rows.flatMap((row) =>
    edgeOf(row.name, row.violin.grid, row.violin.density, (value) => value / factor).map((edge) => ({
      ...edge,
      ofNode: row === rows[0],
    })),
  );
  const marks = rows.flatMap((row) => markedValues(row.name, row.median / factor, row.p05 / factor));
  return rowsFrame(theme, {
    names: rows.map((row) => row.name),
    row: ROW,
    axis: linear,
    title: name,
    data: [
      { name: 'shape', values: shape },
      { name: 'marks', values: marks },
    ],
    marks: [nodeViolins(theme), quantileMarks(theme, 'right', { median: 500, triangle: 60 })],
  });
}

/** @param named a node that was worse at something */
export function drawNode({ nodes, places, series }: Fleet, named: NamedNode): Figure | Absent {
  const finding = named.findings.find(({ key }) => key !== null);
  const title = finding === undefined ? named.node : `${named.node}: ${finding.title}`;
  if (finding === undefined) return { title, why: 'it is named for something else than one KPI' };
  const placeOf = (row: number, one: Series) => places[one.places[row] ?? -1];
  const isOwn = (row: number, one: Series): boolean => {
    const place = placeOf(row, one);
    return nodes[place?.node ?? -1]?.node === named.node && place?.on === finding.on;
  };
  const one = series.find(
    (candidate) =>
      candidate.key === finding.key && [...candidate.places.keys()].some((row) => isOwn(row, candidate)),
  );
  const own = one === undefined ? -1 : [...one.places.keys()].findIndex((row) => isOwn(row, one));
  if (one === undefined || own < 0 || !isKnown(sketchAt(one, own))) {
    return { title, why: 'the distribution of its repetitions is not known' };
  }
  const others = othersOf(one, new Set([own]));
  if (others.length === 0) return { title, why: 'no other node has a distribution to stand beside' };
  const ownSketch = sketchAt(one, own);
  const pooled = sortedCopy(others.flatMap((row) => [...valuesOf(sketchAt(one, row), OF_EACH)]));
  const middle = Float64Array.from({ length: KNOTS }, (_, knot) => {
    const all = sortedCopy(others.map((row) => sketchAt(one, row)[knot] ?? 0));
    return all[all.length >> 1] ?? 0;
  });
  const rows = [
    rowOf(named.node, valuesOf(ownSketch, OF_NODE), ownSketch),
    rowOf(plural(others.length, 'other node'), pooled, middle),
  ];
  const rate = (value: number): string => withPrefix(value, one.unit);
  return {
    title,
    caption: `${named.cause}: ${ruleText(finding)}. The shapes are drawn from seventeen quantiles of each node; the fastest hundredth is not in them. Bars are medians, triangles what 5 % of the repetitions fall below.`,
    alternative: rows
      .map((row) => `${row.name}: median ${rate(row.median)}, 95 % of the repetitions reach ${rate(row.p05)}`)
      .join('. '),
    spec: (theme) => specOf(rows, one.unit, theme),
    data: {
      columns: ['who', `rate (${one.unit})`, 'density'],
      rows: rows.flatMap(({ name, violin }) =>
        violin.grid.map((value, i) => [name, brief(value), brief(violin.density[i] ?? 0)]),
      ),
    },
  };
}

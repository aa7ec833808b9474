/** A node beside its fleet: the violin of its repetitions above that of the other nodes, at the KPI that it is worst at. */
import type { Spec } from 'vega';
import type { NamedNode } from '../../fleet/check.js';
import { ruleText } from '../../fleet/rules.js';
import { KNOTS, valuesOf } from '../../fleet/sketch.js';
import type { Fleet, Series } from '../../fleet/table.js';
import { plural, withPrefix } from '../../quantities/format.js';
import { median, sortedCopy } from '../../statistics/quantile.js';
import { type Violin, violinOfSorted } from '../../statistics/violin.js';
import type { Absent, Figure } from './figure.js';
import { markedValues, nodeViolins, quantileMarks } from './node-violins.js';
import { brief, extentOf, unitFor } from './parts.js';
import type { Theme } from './theme.js';
import { densityOn, edgeOf, rowsFrame } from './violin-rows.js';

const ROW = 70;
const OF_NODE = 512;
const OF_EACH = 48;
/** So many others show what their fleet is like. */
const MOST_OTHERS = 200;

/** By which nodes are judged: no quantiles of a shape, which is of the repetitions of all launches together. */
interface Judged {
  readonly median: number;
  /** null: not known. */
  readonly p05: number | null;
}

interface Row extends Judged {
  readonly name: string;
  readonly violin: Violin;
}

const sketchAt = ({ sketches }: Series, row: number): Float32Array =>
  sketches.subarray(row * KNOTS, (row + 1) * KNOTS);

const isKnown = (sketch: Float32Array): boolean => !Number.isNaN(sketch[0]);

interface Others {
  /** In the series. */
  readonly rows: readonly number[];
  /** `56 devices of 7 other nodes`. */
  readonly name: string;
  /** Of as many they were chosen. */
  readonly all: number;
}

/** Evenly chosen rows of other nodes: the node's other devices may be slow for its reason. */
function othersOf(series: Series, nodeOf: (row: number) => number, own: number): Others {
  const all = Array.from(series.places, (_, row) => row).filter(
    (row) => nodeOf(row) !== nodeOf(own) && isKnown(sketchAt(series, row)),
  );
  const step = Math.max(1, all.length / MOST_OTHERS);
  const rows = Array.from(
    { length: Math.min(all.length, MOST_OTHERS) },
    (_, i) => all[Math.floor(i * step)] ?? 0,
  );
  const nodes = new Set(rows.map(nodeOf)).size;
  const devices = nodes === rows.length ? '' : `${plural(rows.length, 'device')} of `;
  return { rows, name: `${devices}${plural(nodes, 'other node')}`, all: all.length };
}

/** Of several rows the middle one, of those that have one. */
function judgedOf({ columns }: Series, rows: readonly number[]): Judged {
  const middleOf = (column: Float64Array): number | null => {
    const known = rows.map((row) => column[row] ?? Number.NaN).filter((value) => !Number.isNaN(value));
    return known.length === 0 ? null : median(known);
  };
  return { median: middleOf(columns.median) ?? 0, p05: middleOf(columns.p05) };
}

const rowText = ({ name, median: middle, p05 }: Row, rate: (value: number) => string): string =>
  `${name}: median ${rate(middle)}${p05 === null ? '' : `, 95 % of the repetitions reach ${rate(p05)}`}`;

/** @param rows the first is the node's */
function specOf(rows: readonly Row[], unit: string, theme: Theme): Spec {
  const ends = rows.flatMap((row) => [
    ...row.violin.grid,
    row.median,
    ...(row.p05 === null ? [] : [row.p05]),
  ]);
  const { factor, name } = unitFor(ends, unit);
  const axis = { type: 'linear', domain: extentOf(ends.map((value) => value / factor)) } as const;
  const shape = rows.flatMap((row) =>
    edgeOf(row.name, row.violin.grid, densityOn(axis.type, row.violin), (value) => value / factor).map(
      (edge) => ({ ...edge, ofNode: row === rows[0] }),
    ),
  );
  const marks = rows.flatMap((row) =>
    markedValues(row.name, row.median / factor, row.p05 === null ? null : row.p05 / factor),
  );
  return rowsFrame(theme, {
    names: rows.map((row) => row.name),
    row: ROW,
    axis,
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
  const others = othersOf(one, (row) => placeOf(row, one)?.node ?? -1, own);
  if (others.rows.length === 0) return { title, why: 'no other node has a distribution to stand beside' };
  const pooled = sortedCopy(others.rows.flatMap((row) => [...valuesOf(sketchAt(one, row), OF_EACH)]));
  const rowOf = (name: string, values: Float64Array, of: readonly number[]): Row => ({
    ...{ name, violin: violinOfSorted(values) },
    ...judgedOf(one, of),
  });
  const rows = [
    rowOf(named.node, valuesOf(sketchAt(one, own), OF_NODE), [own]),
    rowOf(others.name, pooled, others.rows),
  ];
  const chosen =
    others.all > others.rows.length ? ` Beside it are ${others.name}, evenly chosen of ${others.all}.` : '';
  const rate = (value: number): string => withPrefix(value, one.unit);
  return {
    title,
    caption: `${named.cause}: ${ruleText(finding)}. The shapes are drawn from seventeen quantiles of each node; the fastest hundredth is not in them. Bars and triangles are what nodes are judged by: over the launches, the median of their medians, and of what 5 % of their repetitions fall below; of the other nodes, the median of theirs.${chosen}`,
    alternative: rows.map((row) => rowText(row, rate)).join('. '),
    spec: (theme) => specOf(rows, one.unit, theme),
    data: {
      columns: ['who', `rate (${one.unit})`, 'density', 'scale'],
      rows: rows.flatMap(({ name, violin }) =>
        violin.grid.map((value, i) => [name, brief(value), brief(violin.density[i] ?? 0), violin.scale]),
      ),
    },
  };
}

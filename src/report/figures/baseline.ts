/**
 * A node beside the baseline that it was held to: for each batch the shape of its repetitions, and below that what the baseline
 * keeps of its nodes. A baseline keeps quantiles of one node, the most typical, and of the others how their medians are spread.
 */
import type { Spec } from 'vega';
import { formatShare, plural } from '../../quantities/format.js';
import type { Qualification } from '../../record/schema.js';
import { type Violin, violinOfSorted } from '../../statistics/violin.js';
import type { BatchModel, ReportModel } from '../model.js';
import type { CampaignFigure, Table } from './figure.js';
import { markedValues, nodeViolins, quantileMarks } from './node-violins.js';
import { brief, domainOf, type Extent } from './parts.js';
import type { Theme } from './theme.js';
import { densityOn, edgeOf, MIDDLE, rowsFrame } from './violin-rows.js';

type Baseline = NonNullable<Qualification['baseline']>;
type Reference = NonNullable<Baseline['references']>[number];
type Distribution = NonNullable<Reference['distribution']>;

/** Batches; each has two rows. */
const MOST_BATCHES = 12;
const ROW = 38;
const DRAWN_VALUES = 512;

/** All in elapsed time over that of the baseline's median: batches take very different times. */
interface Row {
  readonly name: string;
  readonly ofNode: boolean;
  /** null: the baseline keeps none. */
  readonly violin: Violin | null;
  /** Of its launches’ medians, by which it is judged: the median of all repetitions is another one where launches made different numbers of them. */
  readonly median: number;
  /** What 5 % of the repetitions exceed; null: not known. */
  readonly p95: number | null;
  /** Of the medians of the baseline's nodes. */
  readonly range: Extent | null;
}

/**
 * Values at evenly spread probabilities, on the straight lines between the quantiles that are known: for pictures. What lies
 * beyond the first and the last of them is not there.
 */
export function valuesOf({ probabilities, seconds }: Distribution, count: number): Float64Array {
  const values = new Float64Array(count);
  const [first = 0, last = 1] = [probabilities[0], probabilities.at(-1)];
  let next = 1;
  for (let i = 0; i < count; i++) {
    const probability = first + ((last - first) * (i + 0.5)) / count;
    while (next < probabilities.length - 1 && (probabilities[next] ?? 1) < probability) next++;
    const [p0, p1] = [probabilities[next - 1] ?? 0, probabilities[next] ?? 1];
    const [s0, s1] = [seconds[next - 1] ?? 0, seconds[next] ?? 0];
    values[i] = p1 > p0 ? s0 + ((s1 - s0) * (probability - p0)) / (p1 - p0) : s1;
  }
  return values;
}

/** Divided throughout. */
const scaled = (violin: Violin, divisor: number): Violin => ({
  ...violin,
  grid: violin.grid.map((value) => value / divisor),
});

function rowsOf(batch: BatchModel, name: string, reference: Reference): readonly Row[] {
  const { work, violin, rate } = batch;
  if (work === null || rate === null) return [];
  const usual = work / reference.median;
  const relative = (ofRate: number): number => work / ofRate / usual;
  const { distribution } = reference;
  return [
    {
      name,
      ofNode: true,
      violin: violin === null ? null : scaled(violin, usual),
      median: relative(rate.median),
      p95: rate.p05 === null ? null : relative(rate.p05),
      range: null,
    },
    {
      name: `${name}, baseline`,
      ofNode: false,
      violin:
        distribution === null || distribution.seconds.length < 2
          ? null
          : scaled(violinOfSorted(valuesOf(distribution, DRAWN_VALUES)), usual),
      median: 1,
      p95: reference.p05 === null ? null : relative(reference.p05),
      range: [relative(reference.high), relative(reference.low)],
    },
  ];
}

function specOf(rows: readonly Row[], theme: Theme): Spec {
  const ends = rows.flatMap(({ violin, median, p95, range }) => [
    ...(violin === null ? [] : [violin.grid[0] ?? median, violin.grid.at(-1) ?? median]),
    median,
    ...(p95 === null ? [] : [p95]),
    ...(range ?? []),
  ]);
  const axis = domainOf(ends);
  const shape = rows.flatMap(({ name, violin, ofNode }) =>
    violin === null
      ? []
      : edgeOf(name, violin.grid, densityOn(axis.type, violin), (value) => value).map((edge) => ({
          ...edge,
          ofNode,
        })),
  );
  const marks = rows.flatMap(({ name, median, p95 }) => markedValues(name, median, p95));
  const ranges = rows.flatMap(({ name, range }) =>
    range === null ? [] : [{ name, low: brief(range[0]), high: brief(range[1]) }],
  );
  return rowsFrame(theme, {
    names: rows.map(({ name }) => name),
    row: ROW,
    axis,
    title: 'elapsed / median of the baseline',
    data: [
      { name: 'shape', values: shape },
      { name: 'marks', values: marks },
      { name: 'ranges', values: ranges },
    ],
    marks: [
      nodeViolins(theme),
      {
        type: 'rule',
        name: 'range',
        from: { data: 'ranges' },
        clip: true,
        encode: {
          update: {
            x: { scale: 'x', field: 'low' },
            x2: { scale: 'x', field: 'high' },
            y: MIDDLE,
            stroke: { value: theme.ink },
            strokeWidth: { value: 3 },
            tooltip: { signal: `{"": datum.name, "medians of its nodes": datum.low + ' to ' + datum.high}` },
          },
        },
      },
      quantileMarks(theme, 'left', { median: 400, triangle: 50 }),
    ],
  });
}

const tableOf = (rows: readonly Row[]): Table => ({
  columns: ['batch', 'elapsed / median of the baseline', 'density', 'scale'],
  rows: rows.flatMap(({ name, violin }) =>
    (violin?.grid ?? []).map((value, i) => [
      name,
      brief(value),
      brief(violin?.density[i] ?? 0),
      violin?.scale ?? '',
    ]),
  ),
});

function rowText({ name, ofNode, median, range }: Row): string {
  if (ofNode) return `${name}: its median takes ${formatShare(median)} of the time of the baseline`;
  return range === null
    ? name
    : `the medians of the baseline’s nodes take ${formatShare(range[0])} to ${formatShare(range[1])}`;
}

/** By its part in the suite, which is what checks call it, or else as other figures name it. */
function nameOf(report: ReportModel, index: number): string {
  const check = report.qualification?.checks.find(({ batch, part }) => batch === index && part !== null);
  const name = report.batches[index]?.label ?? '';
  if (check?.part == null) return name;
  return check.device === null || check.device === 'cpu' ? check.part : `${check.part} on ${check.device}`;
}

function captionOf({ name, nodes }: Baseline, rows: readonly Row[], cut: string): string {
  const shapeless = rows.filter(({ ofNode, violin }) => !ofNode && violin === null).length;
  const without =
    shapeless === 0
      ? ''
      : ` Of ${plural(shapeless, 'batch', 'batches')} it keeps no shape, only these figures.`;
  return `Each batch of this node above what baseline ${name} of ${plural(nodes, 'node')} keeps of it; 1 is the median of its nodes, and what lies right of it is slower. The upper shape is of all repetitions of this node but the outermost hundredth at either end. The lower one is that of a single node, the most typical of them, drawn from the quantiles that are kept; its fastest hundredth is not in it. The line reaches from the fastest to the slowest median of the baseline’s nodes, so a node is ordinary where its bar, the median of its launches’ medians, is within that line. Triangles are what 5 % of the repetitions exceed.${without}${cut}`;
}

export const baseline: CampaignFigure = {
  scope: 'campaign',
  name: 'baseline',
  draw(report) {
    const title = 'This node beside its baseline';
    const said = report.qualification?.baseline ?? null;
    if (said === null) return { title, why: 'no baseline was given' };
    const references = said.references ?? [];
    const drawable = references.flatMap((reference) => {
      const batch = report.batches[reference.batch];
      const rows = batch === undefined ? [] : rowsOf(batch, nameOf(report, reference.batch), reference);
      return rows.length === 0 ? [] : [rows];
    });
    if (drawable.length === 0)
      return { title, why: `baseline ${said.name} has nothing of what was measured here` };
    const rows = drawable.slice(0, MOST_BATCHES).flat();
    const cut =
      drawable.length > MOST_BATCHES
        ? ` The first ${MOST_BATCHES} of ${drawable.length} batches are drawn; the record has all.`
        : '';
    return {
      title,
      caption: captionOf(said, rows, cut),
      alternative: `${rows.map(rowText).join('. ')}.`,
      spec: (theme) => specOf(rows, theme),
      data: tableOf(rows),
    };
  },
};

/** Violins and boxes: the distribution of the repetitions of each batch, a row for each. */
import type { Spec } from 'vega';
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import type { Violin } from '../../statistics/violin.js';
import type { BatchModel, ReportModel } from '../model.js';
import type { CampaignFigure, Table } from './figure.js';
import { type AxisChoice, brief, domainOf, type Unit, unitFor } from './parts.js';
import type { Theme } from './theme.js';
import { densityOn, edgeOf, MIDDLE, rowsFrame, violinRows } from './violin-rows.js';

const MOST_ROWS = 24;
const ROW = 46;
const MOST_MEDIANS = 60;
/** Batches whose medians are further apart are drawn relative to them: on one axis they would be lines. */
const TOGETHER = 3;

interface Drawn {
  readonly batch: BatchModel;
  /** null: a published table has a box, and no shape. */
  readonly violin: Violin | null;
  readonly box: NonNullable<BatchModel['box']>;
  readonly medians: readonly number[];
  /** Of the batch: 1, or its median where rows are relative. */
  readonly divisor: number;
}

function rowsOf({ batches }: ReportModel): readonly Omit<Drawn, 'divisor'>[] {
  return batches.flatMap((batch) => {
    const { violin, box, between } = batch;
    return box === null || between === null ? [] : [{ batch, violin, box, medians: between.medians ?? [] }];
  });
}

/** Evenly chosen of the sorted ones, the smallest and the largest among them. */
function thinned(values: readonly number[], most: number): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  return Array.from(
    { length: most },
    (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (most - 1))] ?? 0,
  );
}

/** A table's whiskers are its extremes. */
function outliersText(
  { shapeOf, measured }: BatchModel,
  { outliersBelow, outliersAbove }: Drawn['box'],
  violin: Violin | null,
): string {
  if (outliersBelow === null || outliersAbove === null || violin === null) {
    return `${plural(measured, 'launch', 'launches')} from end to end`;
  }
  const all =
    shapeOf === 'launches' ? plural(violin.n, 'launch', 'launches') : plural(violin.n, 'repetition');
  return `${plural(outliersBelow + outliersAbove, 'outlier')} of ${all}`;
}

function valuesOf(rows: readonly Drawn[], axis: 'linear' | 'log', { factor }: Unit) {
  const shape = rows.flatMap(({ batch, violin, divisor }) => {
    if (violin === null) return [];
    const drawn = (value: number): number => value / divisor / factor;
    return edgeOf(batch.label, violin.grid, densityOn(axis, violin), drawn);
  });
  const boxes = rows.map(({ batch, box, violin, divisor }) => {
    const drawn = (value: number): number => brief(value / divisor / factor);
    return {
      name: batch.label,
      q1: drawn(box.lowerHinge),
      median: drawn(box.median),
      q3: drawn(box.upperHinge),
      low: drawn(box.whiskerLow),
      high: drawn(box.whiskerHigh),
      tip: `median ${formatSeconds(box.median)}, hinges ${formatSeconds(box.lowerHinge)} and ${formatSeconds(box.upperHinge)}, ${outliersText(batch, box, violin)}`,
    };
  });
  const medians = rows.flatMap(({ batch, medians: all, divisor }) =>
    thinned(all, MOST_MEDIANS).map((value) => ({ name: batch.label, v: brief(value / divisor / factor) })),
  );
  return { shape, boxes, medians };
}

function specOf(rows: readonly Drawn[], axis: AxisChoice, unit: Unit, title: string, theme: Theme): Spec {
  const { shape, boxes, medians } = valuesOf(rows, axis.type, unit);
  return rowsFrame(theme, {
    names: rows.map(({ batch }) => batch.label),
    row: ROW,
    axis,
    title,
    data: [
      { name: 'shape', values: shape },
      { name: 'boxes', values: boxes },
      { name: 'medians', values: medians },
    ],
    marks: [
      violinRows(['name'], { fill: { value: theme.soft }, stroke: { value: theme.main } }),
      {
        type: 'rule',
        name: 'whisker',
        from: { data: 'boxes' },
        clip: true,
        encode: {
          update: {
            x: { scale: 'x', field: 'low' },
            x2: { scale: 'x', field: 'high' },
            y: MIDDLE,
            stroke: { value: theme.ink },
          },
        },
      },
      {
        type: 'rect',
        name: 'box',
        from: { data: 'boxes' },
        clip: true,
        encode: {
          update: {
            x: { scale: 'x', field: 'q1' },
            x2: { scale: 'x', field: 'q3' },
            yc: MIDDLE,
            height: { value: 9 },
            fill: { value: theme.surface },
            stroke: { value: theme.ink },
            tooltip: { signal: '{"": datum.name, "repetitions": datum.tip}' },
          },
        },
      },
      {
        type: 'rect',
        name: 'median',
        from: { data: 'boxes' },
        clip: true,
        encode: {
          update: {
            xc: { scale: 'x', field: 'median' },
            width: { value: 3 },
            yc: MIDDLE,
            height: { value: 15 },
            fill: { value: theme.other },
          },
        },
      },
      {
        type: 'symbol',
        name: 'launch',
        from: { data: 'medians' },
        clip: true,
        encode: {
          update: {
            x: { scale: 'x', field: 'v' },
            y: { scale: 'y', field: 'name', band: 0.94 },
            shape: { value: 'triangle-up' },
            size: { value: 22 },
            fill: { value: theme.ink },
            fillOpacity: { value: 0.6 },
          },
        },
      },
    ],
  });
}

function tableOf(rows: readonly Drawn[]): Table {
  return {
    columns: ['batch', 'seconds', 'density', 'scale'],
    rows: rows.flatMap(({ batch, violin }) =>
      (violin?.grid ?? []).map((value, i) => [
        batch.name,
        brief(value),
        brief(violin?.density[i] ?? 0),
        violin?.scale ?? '',
      ]),
    ),
  };
}

/** All that is drawn of a row lies within these: a slow launch that is cut off would be hidden. */
function endsOf({ violin, box, medians, divisor }: Drawn): readonly number[] {
  const { lowerHinge, upperHinge, whiskerLow, whiskerHigh } = box;
  const shape = [violin?.grid[0] ?? box.min, violin?.grid.at(-1) ?? box.max];
  return [...shape, lowerHinge, upperHinge, whiskerLow, whiskerHigh, ...medians].map(
    (value) => value / divisor,
  );
}

function alternativeOf(rows: readonly Drawn[]): string {
  const described = rows.map(
    ({ batch, box }) =>
      `${batch.label}: median ${formatSeconds(box.median)}, middle half from ${formatSeconds(box.lowerHinge)} to ${formatSeconds(box.upperHinge)}`,
  );
  return `Distribution of each batch. ${described.join('. ')}.`;
}

export const violins: CampaignFigure = {
  scope: 'campaign',
  name: 'violins',
  draw(report) {
    const ofLaunches = report.batches.some(({ shapeOf }) => shapeOf === 'launches');
    const title = `Distribution of the ${ofLaunches ? 'launches' : 'repetitions'} of each batch`;
    const all = rowsOf(report);
    if (all.length === 0) return { title, why: 'no batch has a score, so none has a distribution' };
    const shown = all.slice(0, MOST_ROWS);
    const centres = shown.map(({ box }) => box.median);
    const relative = Math.max(...centres) / Math.min(...centres) > TOGETHER;
    const rows = shown.map((row) => ({ ...row, divisor: relative ? row.box.median : 1 }));
    const ends = rows.flatMap(endsOf);
    const unit: Unit = relative ? { factor: 1, name: '' } : unitFor(ends, 's');
    const axis = domainOf(ends.map((value) => value / unit.factor));
    const what = relative ? 'elapsed / median of its batch' : `elapsed, ${unit.name}`;
    const cut =
      all.length > MOST_ROWS
        ? ` The first ${MOST_ROWS} of ${all.length} batches are drawn; the record has all.`
        : '';
    const beyond = Math.max(
      ...rows.map(({ violin }) =>
        violin === null ? 0 : (violin.beyond.below + violin.beyond.above) / violin.n,
      ),
    );
    const axisWords = relative
      ? ' The batches take very different times, so each row is divided by its own median.'
      : '';
    return {
      title,
      caption: ofLaunches
        ? `Others measured this and published one value of each launch, or a table of these: the box holds the middle half of the launches, its bar is the median, the line reaches to the furthest launch within 1.5 box lengths (of a table: to its extremes). A shape is drawn where the values are known, and triangles are these.${axisWords}${cut}`
        : `The wider the shape, the more repetitions took that long. The box holds the middle half, its bar is the median, the line reaches to the furthest repetition within 1.5 box lengths; triangles are medians of single launches. Several bulges are several modes. The shape spans the middle 98 %; up to ${formatShare(beyond)} of a batch’s repetitions lie beyond, and are in every statistic.${axisWords}${cut}`,
      alternative: alternativeOf(rows),
      spec: (theme) => specOf(rows, axis, unit, what, theme),
      data: tableOf(rows),
    };
  },
};

/** Lines over a swept number, one for each series, with what they are held against: shared by sweeps and curves. */
import type { Axis, Mark, Spec } from 'vega';
import { significant } from '../../quantities/format.js';
import {
  axisLabel,
  brief,
  domainOf,
  type Extent,
  extentOf,
  frame,
  labelExpression,
  numberAxis,
  numberScale,
  ordinalScale,
  type Unit,
} from './parts.js';
import type { Theme } from './theme.js';

/** y values are in base units; null: not known. */
export interface LinePoint {
  readonly series: string;
  readonly x: number;
  readonly y: number;
  /** A ribbon around the line. */
  readonly low: number | null;
  readonly high: number | null;
  /** A bar at the point. */
  readonly from: number | null;
  readonly to: number | null;
  /** Ceilings, drawn as lines of their own. */
  readonly peak: number | null;
  readonly attainable: number | null;
}

/** How a series is told from others; both count from 0. */
export interface SeriesStyle {
  readonly colour: number;
  readonly dash: number;
}

export interface Lines {
  readonly points: readonly LinePoint[];
  /** By the series' name; without it each has a colour of its own, as long as there are colours. */
  readonly styles?: ReadonlyMap<string, SeriesStyle>;
  readonly x: { readonly label: string; readonly unit: 'count' | 'bytes'; readonly scale: 'linear' | 'log' };
  readonly yTitle: string;
  readonly unit: Unit;
}

const HEIGHT = 300;
const MOST_TICKS = 14;
/** More bands on top of each other show nothing: the intervals are then in the data only. */
const MOST_BANDS = 4;
const DASHES = [
  [1, 0],
  [6, 3],
  [2, 3],
];
const SHAPES = ['circle', 'diamond', 'triangle-up'];

/** Whether the ribbons of these are drawn. */
export const isBanded = (points: readonly Pick<LinePoint, 'series'>[]): boolean =>
  new Set(points.map(({ series }) => series)).size <= MOST_BANDS;

const known = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null && Number.isFinite(value));

/** Every value that was measured has its tick; of many, evenly some. */
function ticksOf(points: readonly LinePoint[]): readonly number[] {
  const all = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const step = Math.ceil(all.length / MOST_TICKS);
  return all.filter((_, i) => i % step === 0);
}

function xExtent({ points, x }: Lines): Extent {
  const all = points.map((point) => point.x);
  if (x.scale === 'linear') return extentOf(all);
  const [low, high] = extentOf(all, 0);
  const air = (high / low) ** 0.03;
  return [low / air, high * air];
}

function seriesMarks(theme: Theme): Mark[] {
  const x = { scale: 'x', field: 'x' };
  const colour = { scale: 'colour', field: 'series' };
  return [
    {
      type: 'group',
      name: 'series',
      from: { facet: { name: 'one', data: 'points', groupby: 'series' } },
      encode: { update: { width: { signal: 'width' }, height: { signal: 'height' } } },
      marks: [
        {
          type: 'area',
          name: 'ribbon',
          from: { data: 'one' },
          encode: {
            update: {
              x,
              y: { scale: 'y', field: 'low' },
              y2: { scale: 'y', field: 'high' },
              defined: { signal: 'isValid(datum.low) && isValid(datum.high)' },
              fill: colour,
              fillOpacity: { value: 0.18 },
            },
          },
        },
        {
          type: 'line',
          name: 'line',
          from: { data: 'one' },
          encode: {
            update: {
              x,
              y: { scale: 'y', field: 'y' },
              stroke: colour,
              strokeDash: { scale: 'dash', field: 'series' },
              strokeWidth: { value: 2 },
            },
          },
        },
      ],
    },
    {
      type: 'rule',
      name: 'interval',
      from: { data: 'intervals' },
      encode: {
        update: {
          x,
          y: { scale: 'y', field: 'from' },
          y2: { scale: 'y', field: 'to' },
          stroke: { value: theme.ink },
          strokeWidth: { value: 1.5 },
        },
      },
    },
    {
      type: 'symbol',
      name: 'point',
      from: { data: 'points' },
      encode: {
        update: {
          x,
          y: { scale: 'y', field: 'y' },
          fill: colour,
          shape: { scale: 'shape', field: 'series' },
          stroke: { value: theme.surface },
          size: { value: 52 },
          tooltip: { signal: '{"": datum.series, "at": datum.at, "value": datum.tip}' },
        },
      },
    },
  ];
}

/** A ceiling of each series, and its name above its last point: in no series' colour. */
function ceilingMarks(name: 'peak' | 'attainable', text: string, dash: number[], theme: Theme): Mark[] {
  return [
    {
      type: 'group',
      name: `${name}-series`,
      from: { facet: { name: `one-${name}`, data: `${name}-points`, groupby: 'series' } },
      encode: { update: { width: { signal: 'width' }, height: { signal: 'height' } } },
      marks: [
        {
          type: 'line',
          name,
          from: { data: `one-${name}` },
          encode: {
            update: {
              x: { scale: 'x', field: 'x' },
              y: { scale: 'y', field: name },
              stroke: { value: theme.muted },
              strokeWidth: { value: 1.5 },
              strokeDash: { value: dash },
            },
          },
        },
      ],
    },
    {
      type: 'text',
      name: `${name}-name`,
      from: { data: `${name}-end` },
      encode: {
        update: {
          x: { scale: 'x', field: 'x' },
          y: { scale: 'y', field: name, offset: name === 'peak' ? -6 : 14 },
          align: { value: name === 'peak' ? 'right' : 'left' },
          text: { value: text },
          fill: { value: theme.muted },
        },
      },
    },
  ];
}

/** @param points in order of x */
export function linesSpec(lines: Lines, theme: Theme): Spec {
  const { points, unit } = lines;
  const drawn = (value: number | null): number | null => (value === null ? null : brief(value / unit.factor));
  const names = [...new Set(points.map(({ series }) => series))];
  const styles = names.map(
    (name, i) =>
      lines.styles?.get(name) ?? {
        colour: i % theme.series.length,
        dash: Math.floor(i / theme.series.length),
      },
  );
  const banded = isBanded(points);
  const values = points.map(({ series, x, y, low, high, from, to, peak, attainable }) => ({
    series,
    x,
    y: drawn(y),
    low: banded ? drawn(low) : null,
    high: banded ? drawn(high) : null,
    from: drawn(from),
    to: drawn(to),
    peak: drawn(peak),
    attainable: drawn(attainable),
    at: axisLabel(x, lines.x.unit),
    tip: `${significant(y / unit.factor)} ${unit.name}`,
  }));
  const yAxis = domainOf(
    known(
      values.flatMap(({ y, low, high, from, to, peak, attainable }) => [
        y,
        low,
        high,
        from,
        to,
        peak,
        attainable,
      ]),
    ),
    true,
  );
  const ticks = ticksOf(points);
  const of = (key: 'peak' | 'attainable') => values.filter((value) => value[key] !== null);
  const [peaks, attainables] = [of('peak'), of('attainable')];
  const bottom: Axis = {
    scale: 'x',
    orient: 'bottom',
    title: lines.x.label,
    values: [...ticks],
    encode: { labels: { update: { text: { signal: labelExpression(ticks, lines.x.unit) } } } },
  };
  return frame(theme, HEIGHT, {
    data: [
      { name: 'points', values },
      { name: 'intervals', values: values.filter(({ from, to }) => from !== null && to !== null) },
      { name: 'peak-points', values: peaks },
      { name: 'peak-end', values: peaks.slice(-1) },
      { name: 'attainable-points', values: attainables },
      { name: 'attainable-end', values: attainables.slice(0, 1) },
    ],
    scales: [
      numberScale('x', { type: lines.x.scale, domain: xExtent(lines) }, 'width'),
      numberScale('y', yAxis, 'height'),
      ordinalScale(
        'colour',
        names,
        styles.map(({ colour }) => theme.series[colour % theme.series.length]),
      ),
      ordinalScale(
        'shape',
        names,
        styles.map(({ dash }) => SHAPES[dash % SHAPES.length]),
      ),
      ordinalScale(
        'dash',
        names,
        styles.map(({ dash }) => DASHES[dash % DASHES.length]),
      ),
    ],
    axes: [numberAxis('y', 'left', lines.yTitle, yAxis), bottom],
    ...(names.length > 1
      ? {
          legends: [
            {
              fill: 'colour',
              shape: 'shape',
              offset: 34,
              columns: { signal: 'max(1, floor(width / 135))' },
            },
          ],
        }
      : {}),
    marks: [
      ...seriesMarks(theme),
      ...(peaks.length > 0 ? ceilingMarks('peak', 'measured peak', [7, 4], theme) : []),
      ...(attainables.length > 0 ? ceilingMarks('attainable', 'attainable', [2, 3], theme) : []),
    ],
  });
}

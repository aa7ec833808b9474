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

export interface Lines {
  readonly points: readonly LinePoint[];
  readonly x: { readonly label: string; readonly unit: 'count' | 'bytes'; readonly scale: 'linear' | 'log' };
  readonly yTitle: string;
  readonly unit: Unit;
}

const HEIGHT = 300;
const MOST_TICKS = 14;

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
          encode: { update: { x, y: { scale: 'y', field: 'y' }, stroke: colour, strokeWidth: { value: 2 } } },
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
          stroke: { value: theme.surface },
          size: { value: 52 },
          tooltip: { signal: '{"": datum.series, "at": datum.at, "value": datum.tip}' },
        },
      },
    },
  ];
}

/** A ceiling of each series, and its name above its last point. */
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
              stroke: { value: theme.other },
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
          fill: { value: theme.other },
        },
      },
    },
  ];
}

/** @param points in order of x */
export function linesSpec(lines: Lines, theme: Theme): Spec {
  const { points, unit } = lines;
  const drawn = (value: number | null): number | null => (value === null ? null : brief(value / unit.factor));
  const values = points.map(({ series, x, y, low, high, from, to, peak, attainable }) => ({
    series,
    x,
    y: drawn(y),
    low: drawn(low),
    high: drawn(high),
    from: drawn(from),
    to: drawn(to),
    peak: drawn(peak),
    attainable: drawn(attainable),
    at: axisLabel(x, lines.x.unit),
    tip: `${significant(y / unit.factor)} ${unit.name}`,
  }));
  const names = [...new Set(points.map(({ series }) => series))];
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
      { name: 'colour', type: 'ordinal', domain: names, range: [...theme.series] },
    ],
    axes: [numberAxis('y', 'left', lines.yTitle, yAxis), bottom],
    ...(names.length > 1
      ? {
          legends: [
            {
              fill: 'colour',
              symbolType: 'circle',
              offset: 34,
              columns: { signal: 'max(1, floor(width / 150))' },
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

/** The roofline of the campaign's cases (Williams, Waterman & Patterson 2009): rate over operations a byte. */
import type { Scale, Spec } from 'vega';
import { formatShare, significant, withPrefix } from '../../quantities/format.js';
import type { BatchModel, ReportModel } from '../model.js';
import { letterOf } from '../stack-letters.js';
import type { CampaignFigure } from './figure.js';
import {
  axisLabel,
  brief,
  type Extent,
  frame,
  numberAxis,
  numberScale,
  ordinalScale,
  type Unit,
  unitFor,
} from './parts.js';
import type { Theme } from './theme.js';

const HEIGHT = 300;
/** In pixels; longer words are cut. */
const MARK_LIMIT = 120;
/** Where colours end, and for who sees none. */
const SHAPES = ['circle', 'diamond', 'triangle-up', 'square'] as const;
/** Each batch has ceilings of its own; more roofs than these cannot be told apart. */
const MOST_ROOFS = 12;
const MOST_NAMED = 16;

type Ceilings = NonNullable<BatchModel['roofline']>;

interface Point {
  readonly name: string;
  readonly label: string;
  /** What its colour stands for. */
  readonly series: string;
  /** Beside the point: of its series it is this one. */
  readonly mark: string;
  readonly rateUnit: string;
  readonly rate: number;
  readonly peak: number;
  readonly bandwidth: number;
  readonly intensity: number;
  readonly bound: Ceilings['bound'];
  readonly share: number | null;
}

/** Along a swept number the colour is all else that varies; without one it is the stack. */
function pointsOf({ batches, axis, seriesLabels, stackLetters }: ReportModel): readonly Point[] {
  return batches.flatMap(({ name, label, askedStack, rate, rateUnit, roofline }, i): Point[] => {
    if (rate === null || roofline === null || roofline.bandwidth === null) return [];
    const { peak, bandwidth, intensity, bound, share } = roofline;
    const series = axis === null ? letterOf(stackLetters, askedStack) : (seriesLabels[i] ?? '');
    const mark = axis === null ? label : axisLabel(axis.values[i] ?? 0, axis.unit);
    return [
      { name, label, series, mark, rateUnit, rate: rate.median, peak, bandwidth, intensity, bound, share },
    ];
  });
}

const seriesScale = (name: string, domain: readonly string[], values: readonly string[]): Scale =>
  ordinalScale(
    name,
    domain,
    domain.map((_, i) => values[i % values.length]),
  );

/** Wide enough for every ridge, where memory's slope meets the arithmetic peak. */
function xExtent(points: readonly Point[]): Extent {
  const all = points.flatMap(({ intensity, peak, bandwidth }) => [intensity, peak / bandwidth]);
  return [Math.min(...all) / 4, Math.max(...all) * 4];
}

/** A word stands once where points lie above each other, below all of them and so clear of their roofs; of very many none would be legible. */
function namedPoints(points: readonly Point[]): readonly Point[] {
  const lowest = new Map<string, Point>();
  for (const point of points) {
    const key = JSON.stringify([point.intensity, point.mark]);
    if (point.rate < (lowest.get(key)?.rate ?? Number.POSITIVE_INFINITY)) lowest.set(key, point);
  }
  return lowest.size > MOST_NAMED ? [] : [...lowest.values()];
}

function specOf(points: readonly Point[], unit: Unit, theme: Theme): Spec {
  const x = xExtent(points);
  const roofs = points.slice(0, MOST_ROOFS).flatMap(({ label, peak, bandwidth }) =>
    [x[0], peak / bandwidth, x[1]].map((intensity) => ({
      name: label,
      x: brief(intensity),
      y: brief(Math.min(peak, intensity * bandwidth) / unit.factor),
    })),
  );
  const names = [...new Set(points.map(({ series }) => series))];
  const marks = namedPoints(points).map(({ mark, intensity, rate }) => ({
    mark,
    x: brief(intensity),
    y: brief(rate / unit.factor),
  }));
  const values = points.map(({ label, series, rate, intensity, share, rateUnit }) => ({
    name: label,
    series,
    x: brief(intensity),
    y: brief(rate / unit.factor),
    tip: `${withPrefix(rate, rateUnit)}${share === null ? '' : `, ${formatShare(share, 3)} of what is attainable`}`,
  }));
  const ys = [...roofs, ...values].map(({ y }) => y);
  const y = { type: 'log', domain: [Math.min(...ys) / 1.5, Math.max(...ys) * 1.5] } as const;
  const xAxis = { type: 'log', domain: x } as const;
  return frame(theme, HEIGHT, {
    data: [
      { name: 'roofs', values: roofs },
      { name: 'points', values },
      { name: 'marks', values: marks },
    ],
    scales: [
      numberScale('x', xAxis, 'width'),
      numberScale('y', y, 'height'),
      seriesScale('colour', names, theme.series),
      seriesScale('shape', names, SHAPES),
    ],
    axes: [
      numberAxis('x', 'bottom', 'operations a byte', xAxis),
      numberAxis('y', 'left', `rate, ${unit.name}`, y),
    ],
    ...(names.length > 1
      ? {
          legends: [
            { fill: 'colour', shape: 'shape', offset: 34, columns: { signal: 'max(1, floor(width / 135))' } },
          ],
        }
      : {}),
    marks: [
      {
        type: 'group',
        name: 'roof-of',
        from: { facet: { name: 'one', data: 'roofs', groupby: 'name' } },
        encode: { update: { width: { signal: 'width' }, height: { signal: 'height' } } },
        marks: [
          {
            type: 'line',
            name: 'roof',
            from: { data: 'one' },
            encode: {
              update: {
                x: { scale: 'x', field: 'x' },
                y: { scale: 'y', field: 'y' },
                stroke: { value: theme.muted },
                strokeWidth: { value: 1.5 },
                strokeDash: { value: [7, 4] },
              },
            },
          },
        ],
      },
      {
        type: 'symbol',
        name: 'point',
        from: { data: 'points' },
        encode: {
          update: {
            x: { scale: 'x', field: 'x' },
            y: { scale: 'y', field: 'y' },
            size: { value: 80 },
            fill: { scale: 'colour', field: 'series' },
            shape: { scale: 'shape', field: 'series' },
            stroke: { value: theme.surface },
            tooltip: { signal: '{"": datum.name, "rate": datum.tip}' },
          },
        },
      },
      {
        type: 'text',
        name: 'mark',
        from: { data: 'marks' },
        encode: {
          update: {
            x: { scale: 'x', field: 'x' },
            y: { scale: 'y', field: 'y', offset: 16 },
            align: { value: 'center' },
            text: { field: 'mark' },
            limit: { value: MARK_LIMIT },
          },
        },
      },
    ],
  });
}

export const roofline: CampaignFigure = {
  scope: 'campaign',
  name: 'roofline',
  draw(report) {
    const { batches, axis } = report;
    const title = 'Roofline';
    const all = pointsOf(report);
    const [first] = all;
    if (first === undefined) {
      return { title, why: 'no case has both ceilings, arithmetic and memory, measured beside it' };
    }
    const points = all.filter(({ rateUnit }) => rateUnit === first.rateUnit);
    const unit = unitFor(
      points.map(({ peak }) => peak),
      first.rateUnit,
    );
    const cut =
      points.length > MOST_ROOFS
        ? ` Roofs are drawn for the first ${MOST_ROOFS} of ${points.length} batches.`
        : '';
    const otherUnits = all.length - points.length;
    const withoutRoof = batches.filter(({ rate }) => rate !== null).length - all.length;
    const left = [
      ...(otherUnits === 0
        ? []
        : [` Batches whose rate is not in ${first.rateUnit} (${otherUnits}) are in the table only.`]),
      ...(withoutRoof === 0
        ? []
        : [` Batches beside which not both ceilings were measured (${withoutRoof}) are in the table only.`]),
    ].join('');
    return {
      title,
      caption: `A point is a batch${axis === null ? '' : `, the number below it its ${axis.label}`}; the dashed roof above it is what this machine allowed it, measured in the same launches: the slope is the rate of reading its working set, the flat part the arithmetic peak of its threads. How far a point is below its roof is what its software leaves.${cut}${left}`,
      alternative: `${points
        .map(
          ({ label, rate, rateUnit, intensity, bound, share }) =>
            `${label}: ${withPrefix(rate, rateUnit)} at ${significant(intensity, 3)} operations a byte, bound by ${bound}${share === null ? '' : `, ${formatShare(share, 3)} of what is attainable`}`,
        )
        .join('. ')}.`,
      spec: (theme) => specOf(points, unit, theme),
      data: {
        columns: [
          'batch',
          'operations_a_byte',
          `rate_${first.rateUnit}`,
          `peak_${first.rateUnit}`,
          'reading_B/s',
        ],
        rows: points.map(({ name, intensity, rate, peak, bandwidth }) => [
          name,
          intensity,
          rate,
          peak,
          bandwidth,
        ]),
      },
    };
  },
};

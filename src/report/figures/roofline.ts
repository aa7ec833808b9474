/** The roofline of the campaign's cases (Williams, Waterman & Patterson 2009): rate over operations a byte. */
import type { Scale, Spec } from 'vega';
import { formatShare, significant, withPrefix } from '../../quantities/format.js';
import { type Ceilings, doubtText, isDoubted, measuredByText, whereMeasured } from '../ceilings.js';
import type { ReportModel } from '../model.js';
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

interface Point {
  readonly name: string;
  readonly label: string;
  /** What its colour stands for. */
  readonly series: string;
  /** Beside the point: of its series it is this one. */
  readonly mark: string;
  readonly rateUnit: string;
  readonly rate: number;
  readonly bandwidth: number;
  readonly ceilings: Ceilings;
}

/** Along a swept number the colour is all else that varies; without one it is the stack. */
function pointsOf({ batches, axis, seriesLabels, stackLetters }: ReportModel): readonly Point[] {
  return batches.flatMap(({ name, label, askedStack, rate, rateUnit, roofline }, i): Point[] => {
    if (rate === null || roofline === null || roofline.bandwidth === null) return [];
    const { bandwidth } = roofline;
    const series = axis === null ? letterOf(stackLetters, askedStack) : (seriesLabels[i] ?? '');
    const mark = axis === null ? label : axisLabel(axis.values[i] ?? 0, axis.unit);
    return [{ name, label, series, mark, rateUnit, rate: rate.median, bandwidth, ceilings: roofline }];
  });
}

/** What it is of its roof, behind its rate; '': not known. */
function shareText({ ceilings }: Point): string {
  if (isDoubted(ceilings)) return ', and its roof was measured too low';
  if (ceilings.share === null) return '';
  const by = measuredByText(ceilings);
  const where = by === null ? '' : ` in the ${by} that measured it`;
  return `, ${formatShare(ceilings.share, 3)} of what is attainable${where}`;
}

/** For who does not see the picture. */
function pointInWords(point: Point): string {
  const { label, rate, rateUnit, ceilings } = point;
  const bound = isDoubted(ceilings) ? '' : `, bound by ${ceilings.bound}`;
  return `${label}: ${withPrefix(rate, rateUnit)} at ${significant(ceilings.intensity, 3)} operations a byte${bound}${shareText(point)}`;
}

/** Where points and what is said of them are not of the same launches. */
const someText = (points: readonly Point[]): string =>
  points.some(({ ceilings }) => measuredByText(ceilings) !== null)
    ? ' Where only some launches measured the roof, shares of what is attainable are of the rate of those (in earlier records of all), and points are of all.'
    : '';

const seriesScale = (name: string, domain: readonly string[], values: readonly string[]): Scale =>
  ordinalScale(
    name,
    domain,
    domain.map((_, i) => values[i % values.length]),
  );

/** Wide enough for every ridge, where memory's slope meets the arithmetic peak. */
function xExtent(points: readonly Point[]): Extent {
  const all = points.flatMap(({ bandwidth, ceilings: { intensity, peak } }) => [intensity, peak / bandwidth]);
  return [Math.min(...all) / 4, Math.max(...all) * 4];
}

/** A word stands once where points lie above each other, below all of them and so clear of their roofs; of very many none would be legible. */
function namedPoints(points: readonly Point[]): readonly Point[] {
  const lowest = new Map<string, Point>();
  for (const point of points) {
    const key = JSON.stringify([point.ceilings.intensity, point.mark]);
    if (point.rate < (lowest.get(key)?.rate ?? Number.POSITIVE_INFINITY)) lowest.set(key, point);
  }
  return lowest.size > MOST_NAMED ? [] : [...lowest.values()];
}

function specOf(points: readonly Point[], unit: Unit, theme: Theme): Spec {
  const x = xExtent(points);
  const roofs = points.slice(0, MOST_ROOFS).flatMap(({ label, bandwidth, ceilings: { peak } }) =>
    [x[0], peak / bandwidth, x[1]].map((intensity) => ({
      name: label,
      x: brief(intensity),
      y: brief(Math.min(peak, intensity * bandwidth) / unit.factor),
    })),
  );
  const names = [...new Set(points.map(({ series }) => series))];
  const marks = namedPoints(points).map(({ mark, rate, ceilings }) => ({
    mark,
    x: brief(ceilings.intensity),
    y: brief(rate / unit.factor),
  }));
  const values = points.map((point) => ({
    name: point.label,
    series: point.series,
    x: brief(point.ceilings.intensity),
    y: brief(point.rate / unit.factor),
    tip: `${withPrefix(point.rate, point.rateUnit)}${shareText(point)}`,
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
      points.map(({ ceilings }) => ceilings.peak),
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
      caption: `A point is a batch${axis === null ? '' : `, the number below it its ${axis.label}`}; the dashed roof above it is what this machine allowed it, ${whereMeasured(points.map(({ ceilings }) => ceilings))}: the slope is the rate of reading its working set, the flat part the arithmetic peak of its threads. How far a point is below its roof is what its software leaves.${someText(points)}${doubtText(points)}${cut}${left}`,
      alternative: `${points.map(pointInWords).join('. ')}.`,
      spec: (theme) => specOf(points, unit, theme),
      data: {
        columns: [
          'batch',
          'operations_a_byte',
          `rate_${first.rateUnit}`,
          `peak_${first.rateUnit}`,
          'reading_B/s',
        ],
        rows: points.map(({ name, rate, bandwidth, ceilings }) => [
          name,
          ceilings.intensity,
          rate,
          ceilings.peak,
          bandwidth,
        ]),
      },
    };
  },
};

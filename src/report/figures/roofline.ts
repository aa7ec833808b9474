/** The roofline of the campaign's cases (Williams, Waterman & Patterson 2009): rate over operations a byte. */
import type { Spec } from 'vega';
import { formatShare, significant, withPrefix } from '../../quantities/format.js';
import type { BatchModel } from '../model.js';
import type { CampaignFigure } from './figure.js';
import { brief, type Extent, frame, numberAxis, numberScale, type Unit, unitFor } from './parts.js';
import type { Theme } from './theme.js';

const HEIGHT = 300;
/** Each batch has ceilings of its own; more roofs than these cannot be told apart. */
const MOST_ROOFS = 12;

type Ceilings = NonNullable<BatchModel['roofline']>;

interface Point {
  readonly name: string;
  readonly rateUnit: string;
  readonly rate: number;
  readonly peak: number;
  readonly bandwidth: number;
  readonly intensity: number;
  readonly bound: Ceilings['bound'];
  readonly share: number | null;
}

function pointsOf(batches: readonly BatchModel[]): readonly Point[] {
  return batches.flatMap(({ name, rate, rateUnit, roofline }): Point[] => {
    if (rate === null || roofline === null || roofline.bandwidth === null) return [];
    const { peak, bandwidth, intensity, bound, share } = roofline;
    return [{ name, rateUnit, rate: rate.median, peak, bandwidth, intensity, bound, share }];
  });
}

/** Wide enough for every ridge, where memory's slope meets the arithmetic peak. */
function xExtent(points: readonly Point[]): Extent {
  const all = points.flatMap(({ intensity, peak, bandwidth }) => [intensity, peak / bandwidth]);
  return [Math.min(...all) / 4, Math.max(...all) * 4];
}

function specOf(points: readonly Point[], unit: Unit, theme: Theme): Spec {
  const x = xExtent(points);
  const roofs = points.slice(0, MOST_ROOFS).flatMap(({ name, peak, bandwidth }) =>
    [x[0], peak / bandwidth, x[1]].map((intensity) => ({
      name,
      x: brief(intensity),
      y: brief(Math.min(peak, intensity * bandwidth) / unit.factor),
    })),
  );
  const values = points.map(({ name, rate, intensity, share, rateUnit }) => ({
    name,
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
    ],
    scales: [numberScale('x', xAxis, 'width'), numberScale('y', y, 'height')],
    axes: [
      numberAxis('x', 'bottom', 'operations a byte', xAxis),
      numberAxis('y', 'left', `rate, ${unit.name}`, y),
    ],
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
                stroke: { value: theme.other },
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
            fill: { value: theme.main },
            stroke: { value: theme.surface },
            tooltip: { signal: '{"": datum.name, "rate": datum.tip}' },
          },
        },
      },
    ],
  });
}

export const roofline: CampaignFigure = {
  scope: 'campaign',
  name: 'roofline',
  draw({ batches }) {
    const title = 'Roofline';
    const all = pointsOf(batches);
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
      caption: `A point is a batch; the dashed roof above it is what this machine allowed it, measured in the same launches: the slope is the rate of reading its working set, the flat part the arithmetic peak of its threads. How far a point is below its roof is what its software leaves.${cut}${left}`,
      alternative: `${points
        .map(
          ({ name, rate, rateUnit, intensity, bound, share }) =>
            `${name}: ${withPrefix(rate, rateUnit)} at ${significant(intensity, 3)} operations a byte, bound by ${bound}${share === null ? '' : `, ${formatShare(share, 3)} of what is attainable`}`,
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

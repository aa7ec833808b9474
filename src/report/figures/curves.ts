/** Curve KPIs, such as the rate of memory over the working set: a line for each curve. */
import { withPrefix } from '../../quantities/format.js';
import type { CurveKpi } from '../../record/schema.js';
import type { CampaignFigure } from './figure.js';
import { type LinePoint, linesSpec, MOST_BANDS, type SeriesStyle } from './lines.js';
import { axisLabel, unitFor } from './parts.js';

const LOG_FROM = 8;

interface Named {
  readonly curve: CurveKpi;
  readonly name: string;
  readonly style: SeriesStyle;
}

/** Named by the labels in which they differ: the first gives the colour, the others, in their order, the way it is drawn. */
function named(curves: readonly CurveKpi[]): readonly Named[] {
  const keys = Object.keys(curves[0]?.labels ?? {}).filter(
    (key) => new Set(curves.map(({ labels }) => labels[key] ?? null)).size > 1,
  );
  const colours = [...new Set(curves.map(({ labels }) => labels[keys[0] ?? ''] ?? null))];
  const drawn = colours.map(() => 0);
  return curves.map((curve) => {
    const text = keys
      .map((key) => curve.labels[key])
      .filter((value) => value !== null && value !== undefined && value !== 'none')
      .join(' ');
    const colour = colours.indexOf(curve.labels[keys[0] ?? ''] ?? null);
    const dash = drawn[colour] ?? 0;
    drawn[colour] = dash + 1;
    return { curve, name: text === '' ? curve.name : text, style: { colour, dash } };
  });
}

function pointsOf(curves: readonly Named[]): readonly LinePoint[] {
  return curves.flatMap(({ curve: { points, ci }, name }) =>
    points.map(([x, y], j) => {
      const interval = ci?.intervals[j] ?? null;
      return {
        series: name,
        x,
        y,
        low: interval?.[0] ?? null,
        high: interval?.[1] ?? null,
        from: null,
        to: null,
        peak: null,
        attainable: null,
      };
    }),
  );
}

/** `from 345 GB/s at 32 KiB to 19.2 GB/s at 128 MiB`. */
function endsText({ points, xUnit, yUnit }: CurveKpi): string {
  const text = (point: CurveKpi['points'][number] | undefined): string =>
    point === undefined
      ? ''
      : `${withPrefix(point[1], yUnit, 3)} at ${axisLabel(point[0], xUnit === 'B' ? 'bytes' : 'count')}`;
  return `from ${text(points[0])} to ${text(points.at(-1))}`;
}

export const curves: CampaignFigure = {
  scope: 'campaign',
  name: 'curves',
  draw({ curves: all }) {
    const title = 'Rates over the working set';
    const [first] = all;
    if (first === undefined) return { title, why: 'the record has no curves: memory makes them' };
    // Curves of another name have another unit: the first name's are drawn.
    const shown = named(all.filter(({ name }) => name === first.name));
    const styles = new Map(shown.map(({ name, style }) => [name, style]));
    const points = pointsOf(shown);
    const unit = unitFor(
      points.map(({ y }) => y),
      first.yUnit,
    );
    const xs = points.map(({ x }) => x);
    const bytes = first.xUnit === 'B';
    const x = {
      label: bytes ? 'working set' : first.xUnit,
      unit: bytes ? ('bytes' as const) : ('count' as const),
      scale: Math.max(...xs) / Math.min(...xs) >= LOG_FROM ? ('log' as const) : ('linear' as const),
    };
    const bands =
      shown.length <= MOST_BANDS
        ? 'The band around a line is the 95 % interval where there are launches enough for one: where it is wide, other work disturbed the launches.'
        : 'The 95 % intervals are in the data: so many bands would hide each other.';
    return {
      title,
      caption: `Each line is one operation${shown.some(({ style }) => style.dash > 0) ? ', dashed where the same operation stores in another way' : ''}; a step down is where a cache is full. ${bands} Both axes are logarithmic where values are far apart.`,
      alternative: `${first.help}. ${shown.map(({ name, curve }) => `${name}: ${endsText(curve)}`).join('. ')}.`,
      spec: (theme) => linesSpec({ points, styles, x, yTitle: `rate, ${unit.name}`, unit }, theme),
      data: {
        columns: ['series', `x_${first.xUnit}`, `y_${first.yUnit}`, 'interval_low', 'interval_high'],
        rows: points.map(({ series, x: at, y, low, high }) => [series, at, y, low, high]),
      },
    };
  },
};

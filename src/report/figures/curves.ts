/** Curve KPIs, such as the rate of memory over the working set: a line for each curve. */
import { withPrefix } from '../../quantities/format.js';
import type { CurveKpi } from '../../record/schema.js';
import type { CampaignFigure } from './figure.js';
import { type LinePoint, linesSpec } from './lines.js';
import { axisLabel, unitFor } from './parts.js';

const LOG_FROM = 8;

/** Labels in which curves of one name differ. */
function seriesNames(curves: readonly CurveKpi[]): readonly string[] {
  const keys = Object.keys(curves[0]?.labels ?? {}).filter(
    (key) => new Set(curves.map(({ labels }) => labels[key] ?? null)).size > 1,
  );
  return curves.map(({ labels, name }) => {
    const text = keys
      .map((key) => labels[key])
      .filter((value) => value !== null && value !== undefined && value !== 'none')
      .join(' ');
    return text === '' ? name : text;
  });
}

function pointsOf(curves: readonly CurveKpi[]): readonly LinePoint[] {
  const names = seriesNames(curves);
  return curves.flatMap(({ points, ci }, i) =>
    points.map(([x, y], j) => {
      const interval = ci?.intervals[j] ?? null;
      return {
        series: names[i] ?? '',
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

export const curves: CampaignFigure = {
  scope: 'campaign',
  name: 'curves',
  draw({ curves: all }) {
    const title = 'Rates over the working set';
    const [first] = all;
    if (first === undefined) return { title, why: 'the record has no curves: memory makes them' };
    // Curves of another name have another unit: the first name's are drawn.
    const shown = all.filter(({ name }) => name === first.name);
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
    return {
      title,
      caption:
        'Each line is one operation; a step down is where a cache is full. The band around a line is the 95 % interval where there are launches enough for one: where it is wide, other work disturbed the launches. Both axes are logarithmic where values are far apart.',
      alternative: `${first.help}. ${shown.length} curves: ${points
        .map(
          (point) =>
            `${point.series} at ${axisLabel(point.x, x.unit)}: ${withPrefix(point.y, first.yUnit, 3)}`,
        )
        .join(', ')}.`,
      spec: (theme) => linesSpec({ points, x, yTitle: `rate, ${unit.name}`, unit }, theme),
      data: {
        columns: ['series', `x_${first.xUnit}`, `y_${first.yUnit}`, 'interval_low', 'interval_high'],
        rows: points.map(({ series, x: at, y, low, high }) => [series, at, y, low, high]),
      },
    };
  },
};

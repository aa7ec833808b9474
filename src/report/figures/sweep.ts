/** The rate over a swept parameter: median with quartiles and interval, against the measured peak and the roofline. */
import { withPrefix } from '../../quantities/format.js';
import { doubtText, whereMeasured } from '../ceilings.js';
import type { ReportModel } from '../model.js';
import { drawnCurves, tellsTheRate } from './curves.js';
import type { CampaignFigure } from './figure.js';
import { isBanded, type LinePoint, linesSpec } from './lines.js';
import { axisLabel, unitFor, whyNoRate } from './parts.js';

/** @param unit of the rates that are drawn: those of another have no place on the same axis */
function pointsOf({ batches, axis, seriesLabels }: ReportModel, unit: string): readonly LinePoint[] {
  if (axis === null) return [];
  return batches
    .flatMap(({ rate, rateUnit, pooled, between, work, roofline }, i): LinePoint[] => {
      const spread = pooled ?? between;
      if (rate === null || rateUnit !== unit || work === null || spread === null) return [];
      return [
        {
          series: seriesLabels[i] ?? '',
          x: axis.values[i] ?? 0,
          y: rate.median,
          low: work / spread.q3,
          high: work / spread.q1,
          from: rate.interval?.low ?? null,
          to: rate.interval?.high ?? null,
          peak: roofline?.peak ?? null,
          // Where arithmetic bounds, it is the peak, and one line says so.
          attainable: roofline?.bound === 'memory' ? roofline.attainable : null,
        },
      ];
    })
    .sort((a, b) => a.x - b.x);
}

function whyNoAxis({ batches, imported }: ReportModel): string {
  if (new Set(batches.map(({ indicator }) => indicator)).size > 1)
    return 'the batches are of several indicators, which have no axis in common';
  return imported !== null && batches.length > 1
    ? 'no number was swept by itself: what was published differs in other things, too'
    : 'no number was swept: all batches have the same';
}

/** @param drawn whether the bands are */
function spreadText({ batches }: ReportModel, drawn: boolean): string {
  const what = batches.some(({ shapeOf }) => shapeOf === 'launches') ? 'launches' : 'repetitions';
  return drawn
    ? `the band holds the middle half of all ${what}, and`
    : `the middle half of all ${what} is in the data, because so many bands would hide each other, and`;
}

export const sweep: CampaignFigure = {
  scope: 'campaign',
  name: 'sweep',
  draw(report) {
    const { axis, batches, curves } = report;
    const title = `Rate over ${axis?.label ?? 'a swept parameter'}`;
    if (axis === null) return { title, why: whyNoAxis(report) };
    // Curves are over bytes, whatever else was swept beside.
    if (axis.key === 'bytes' && drawnCurves(curves).some(tellsTheRate))
      return { title, why: 'the record has it as curves, which are drawn below' };
    const scored = batches.filter(({ rate }) => rate !== null);
    const rateUnit = scored[0]?.rateUnit ?? '';
    const points = pointsOf(report, rateUnit);
    if (new Set(points.map(({ x }) => x)).size < 2) {
      const why = scored.length === 0 ? whyNoRate(batches) : 'fewer than two values of it have a score';
      return { title, why };
    }
    const others = scored.filter((batch) => batch.rateUnit !== rateUnit).length;
    const left =
      others === 0 ? '' : ` Batches whose rate is not in ${rateUnit} (${others}) are in the table only.`;
    const unit = unitFor(
      points.map(({ y }) => y),
      rateUnit,
    );
    const bounded = scored.flatMap((batch) =>
      batch.rateUnit === rateUnit && batch.roofline !== null
        ? [{ label: batch.label, ceilings: batch.roofline }]
        : [],
    );
    const peak =
      bounded.length === 0
        ? ''
        : ` Dashed: the arithmetic peak, ${whereMeasured(bounded.map(({ ceilings }) => ceilings))}.`;
    const attainable = points.some((point) => point.attainable !== null)
      ? ' Dotted, where memory bounds a case: what the roofline allows it.'
      : '';
    const seriesOf = new Map(report.seriesLabels.map((label, i) => [label, axis.series[i] ?? label]));
    return {
      title,
      caption: `The line is the median, ${spreadText(report, isBanded(points))} the bar at a point is the 95 % interval of the median, which rests on the launches.${peak}${attainable}${doubtText(bounded)}${left}`,
      alternative: `Rate over ${axis.label}: ${points
        .map(
          ({ x, y, series }) =>
            `${[axisLabel(x, axis.unit), series].filter(Boolean).join(' ')}: ${withPrefix(y, rateUnit)}`,
        )
        .join(', ')}.`,
      spec: (theme) => linesSpec({ points, x: axis, yTitle: `rate, ${unit.name}`, unit }, theme),
      data: {
        columns: [
          'series',
          axis.key,
          'rate_median',
          'rate_lower_quartile',
          'rate_upper_quartile',
          'interval_low',
          'interval_high',
          'measured_peak',
          'attainable_where_memory_bounds',
        ],
        rows: points.map(({ series, x, y, low, high, from, to, peak: most, attainable: allowed }) => [
          seriesOf.get(series) ?? series,
          x,
          y,
          low,
          high,
          from,
          to,
          most,
          allowed,
        ]),
      },
    };
  },
};

/** How the spread of the launch medians falls with the number of repetitions: how many are enough. */
import { formatShare } from '../../quantities/format.js';
import type { ReportModel } from '../model.js';
import type { CampaignFigure } from './figure.js';
import { type LinePoint, linesSpec } from './lines.js';

const MEASURES = [
  ['cv', 'CV of the launch medians'],
  ['covm', 'IQR / median of the launch medians'],
] as const;

function pointsOf({ batches, axis, seriesLabels }: ReportModel): readonly LinePoint[] {
  if (axis === null) return [];
  const several = new Set(seriesLabels).size > 1;
  return batches
    .flatMap(({ between }, i) =>
      MEASURES.flatMap(([key, name]): LinePoint[] => {
        const spread = between?.[key] ?? null;
        if (spread === null) return [];
        const series = several ? `${seriesLabels[i]}: ${name}` : name;
        const none = { low: null, high: null, from: null, to: null, peak: null, attainable: null };
        return [{ series, x: axis.values[i] ?? 0, y: spread, ...none }];
      }),
    )
    .sort((a, b) => a.x - b.x);
}

export const repetitions: CampaignFigure = {
  scope: 'campaign',
  name: 'repetitions',
  draw(report) {
    const { axis } = report;
    const title = 'Spread over the number of repetitions';
    if (axis?.key !== 'repetitions') return { title, why: 'repetitions were not swept' };
    const points = pointsOf(report);
    if (new Set(points.map(({ x }) => x)).size < 2) {
      return { title, why: 'it needs two counts with two launches or more each' };
    }
    return {
      title,
      caption:
        'How far the launches of a batch are apart when each repeats so often. Where the line is flat, more repetitions in a launch bring nothing: what remains is the difference between launches, and only more launches average it.',
      alternative: `Spread of the launch medians over repetitions: ${points
        .map(({ x, y, series }) => `${x}: ${series} ${formatShare(y)}`)
        .join(', ')}.`,
      spec: (theme) =>
        linesSpec({ points, x: axis, yTitle: 'spread, %', unit: { factor: 0.01, name: '%' } }, theme),
      data: {
        columns: ['repetitions', 'measure', 'share'],
        rows: points.map(({ x, y, series }) => [x, series, y]),
      },
    };
  },
};

/** The spread between launches against that within them: what more repetitions cannot average. */
import { formatShare } from '../../quantities/format.js';
import { median } from '../../statistics/quantile.js';
import { countedOf } from '../counted.js';
import type { CampaignFigure } from './figure.js';
import { cutText, MOST_PAIRS, type Pair, pairRows, pairsSpec } from './pairs.js';
import { NOT_PUBLISHED } from './parts.js';

const NAMES = ['between launches', 'within a launch'] as const;
const LEAST_LAUNCHES = 3;

export const betweenWithin: CampaignFigure = {
  scope: 'campaign',
  name: 'between-within',
  draw({ batches }) {
    const title = 'Spread between launches against within a launch';
    const all = batches.flatMap(({ name, label, between, launches }): Pair[] => {
      const inside = countedOf(launches).flatMap(({ statistics }) => statistics?.covm ?? []);
      if (between?.covm == null || between.n < LEAST_LAUNCHES || inside.length === 0) return [];
      const within = median(inside);
      const text = `between ${formatShare(between.covm)}, within ${formatShare(within)}`;
      return [{ name: label, batch: name, main: between.covm, other: within, text }];
    });
    if (all.length === 0 && batches.some(({ shapeOf }) => shapeOf === 'launches')) {
      return { title, why: NOT_PUBLISHED };
    }
    if (all.length === 0) return { title, why: `no batch has ${LEAST_LAUNCHES} launches that were measured` };
    const pairs = all.slice(0, MOST_PAIRS);
    return {
      title,
      caption: `Both are interquartile range / median: of the medians of the launches, and of the repetitions of a launch (the median over the launches). Where the spread between launches is not much smaller than that within, repetitions are plenty and launches decide how sure the result is.${cutText(all.length)}`,
      alternative: `${pairs.map(({ name, text }) => `${name}: ${text}`).join('. ')}.`,
      spec: (theme) =>
        pairsSpec(
          {
            pairs,
            names: NAMES,
            unit: { factor: 0.01, name: '%' },
            title: 'IQR / median, %',
            fromZero: true,
          },
          theme,
        ),
      data: { columns: ['batch', 'between_launches', 'within_a_launch'], rows: pairRows(all) },
    };
  },
};

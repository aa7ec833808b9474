/** The rate inside a repetition against that over the wall clock: a burst is not throughput. */
import { formatShare, withPrefix } from '../../quantities/format.js';
import type { CampaignFigure } from './figure.js';
import { cutText, MOST_PAIRS, type Pair, pairRows, pairsSpec } from './pairs.js';
import { unitFor, whyNoRate } from './parts.js';

const NAMES = ['inside a repetition (burst)', 'over the wall clock (sustained)'] as const;

export const sustained: CampaignFigure = {
  scope: 'campaign',
  name: 'sustained',
  draw({ batches }) {
    const title = 'Burst against sustained rate';
    const [unitOf] = batches.flatMap(({ rate, rateUnit }) => (rate === null ? [] : [rateUnit]));
    if (unitOf === undefined) return { title, why: whyNoRate(batches) };
    const all = batches.flatMap(({ name, label, rate, rateUnit }): Pair[] => {
      if (rate === null || rate.sustained === null || rateUnit !== unitOf) return [];
      const { median, sustained: over } = rate;
      return [
        {
          name: label,
          batch: name,
          main: median,
          other: over,
          text: `${withPrefix(median, rateUnit)} in bursts, ${withPrefix(over, rateUnit)} sustained: ${formatShare(over / median, 3)}`,
        },
      ];
    });
    if (all.length === 0) return { title, why: 'the rate over the wall clock was not published' };
    const others = batches.filter(({ rate, rateUnit }) => rate !== null && rateUnit !== unitOf).length;
    const left =
      others === 0 ? '' : ` Batches whose rate is not in ${unitOf} (${others}) are in the table only.`;
    const pairs = all.slice(0, MOST_PAIRS);
    const unit = unitFor(
      pairs.map(({ main }) => main),
      unitOf,
    );
    return {
      title,
      caption: `The circle is the rate while a repetition runs, the diamond what came out over the whole time of the repetitions, pauses included. Far apart, something stopped the work now and then: a quota, a neighbour, or, where repetitions are very short and have readings of the clock of their own, those.${left}${cutText(all.length)}`,
      alternative: `${pairs.map(({ name, text }) => `${name}: ${text}`).join('. ')}.`,
      spec: (theme) =>
        pairsSpec({ pairs, names: NAMES, unit, title: `rate, ${unit.name}`, fromZero: true }, theme),
      data: { columns: ['batch', `burst_${unitOf}`, `sustained_${unitOf}`], rows: pairRows(all) },
    };
  },
};

/** The rate inside a repetition against that over the wall clock, of ranks over all repetitions: a burst is not throughput. */
import { formatShare, withPrefix } from '../../quantities/format.js';
import type { BatchModel } from '../model.js';
import type { CampaignFigure } from './figure.js';
import { cutText, MOST_PAIRS, type Pair, pairRows, pairsSpec } from './pairs.js';
import { unitFor, whyNoRate } from './parts.js';

const BURST = 'inside a repetition (burst)';

/** What sustained rates are over: their name in the legend, and what is to be known of them. */
interface Over {
  readonly name: string;
  readonly text: string;
}

const WALL_CLOCK: Over = {
  name: 'over the wall clock (sustained)',
  text: 'what came out over the whole time of the repetitions, pauses included. Far apart, something stopped the work now and then: a quota, a neighbour, or, where repetitions are very short and have readings of the clock of their own, those.',
};
const REPETITIONS: Over = {
  name: 'over all repetitions (sustained)',
  text: 'what came out over all repetitions, without what ranks do between them: new inputs, meeting, checks. Far apart, some repetitions took much longer than most; a stop between two of them is not seen.',
};
const BOTH: Over = {
  name: 'sustained',
  text: `${WALL_CLOCK.text} Of ranks it is over all repetitions, without what they do between them; a stop there is not seen.`,
};

function overOf(batches: readonly BatchModel[]): Over {
  const kinds = new Set(batches.map(({ sustainedOver }) => sustainedOver));
  if (kinds.size > 1) return BOTH;
  return kinds.has('repetitions') ? REPETITIONS : WALL_CLOCK;
}

/** Nothing where the sustained rate is not known. */
function pairsOf({ name, label, rate, rateUnit }: BatchModel): readonly Pair[] {
  if (rate === null || rate.sustained === null) return [];
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
}

export const sustained: CampaignFigure = {
  scope: 'campaign',
  name: 'sustained',
  draw({ batches }) {
    const title = 'Burst against sustained rate';
    const rated = batches.filter(({ rate }) => rate !== null);
    const [first] = rated;
    if (first === undefined) return { title, why: whyNoRate(batches) };
    const unitOf = first.rateUnit;
    const drawable = rated.filter(({ rateUnit }) => rateUnit === unitOf);
    const all = drawable.flatMap(pairsOf);
    if (all.length === 0) return { title, why: 'the rate over the wall clock was not published' };
    const others = rated.length - drawable.length;
    const left =
      others === 0 ? '' : ` Batches whose rate is not in ${unitOf} (${others}) are in the table only.`;
    const pairs = all.slice(0, MOST_PAIRS);
    const unit = unitFor(
      pairs.map(({ main }) => main),
      unitOf,
    );
    const over = overOf(drawable);
    return {
      title,
      caption: `The circle is the rate while a repetition runs, the diamond ${over.text}${left}${cutText(all.length)}`,
      alternative: `${pairs.map(({ name, text }) => `${name}: ${text}`).join('. ')}.`,
      spec: (theme) =>
        pairsSpec(
          { pairs, names: [BURST, over.name], unit, title: `rate, ${unit.name}`, fromZero: true },
          theme,
        ),
      data: { columns: ['batch', `burst_${unitOf}`, `sustained_${unitOf}`], rows: pairRows(all) },
    };
  },
};

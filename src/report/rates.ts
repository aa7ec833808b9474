/** What is said of a rate beside its interval: how long it holds, how slow the slow are, and how far it is from what could be. Pure. */
import { formatSeconds, formatShare, withPrefix } from '../quantities/format.js';
import { MOST_OF_CEILING, passesPeak } from '../statistics/roofline.js';
import { measuredByText } from './ceilings.js';
import type { Cell } from './figures/figure.js';
import type { BatchModel, ReportModel } from './model.js';

export const RATES_CAPTION =
  '95 %: the interval of the rate. Sustained: over the wall clock (of ranks over all repetitions, without what they do between two, so that a stop there is not seen), and its share of the rate inside a repetition. Slowest 5 %: 95 % of the repetitions reach it; of launches of fewer than 20 it leans on the slowest. p99: 99 % of a launch’s repetitions stay below it (of all together in earlier records); of launches of fewer than 100 it leans on the slowest. Efficiency: of the peak that the same threads, or this GPU, reach in registers; where not all launches measured it, which stands beside it, of the rate of those that did (in earlier records of all). Bound by: the lower of the ceilings for this case, and what of it is reached.';

export const RATES_COLUMNS = [
  'batch',
  'rate',
  '95 %',
  'sustained',
  'slowest 5 %',
  'p99',
  'efficiency',
  'peak',
  'bound by',
] as const;

const NONE = '–';

function ceilingCells({ roofline, rateUnit }: BatchModel): readonly string[] {
  if (roofline === null) return [NONE, NONE, NONE];
  const { efficiency, peak, peakIsa, bound, attainable, share } = roofline;
  const by = measuredByText(roofline);
  const tooLow = passesPeak(roofline) ? ': the peak was measured too low, do not trust it' : '';
  const reached =
    attainable === null || share === null
      ? ''
      : `: ${formatShare(share, 3)} of ${withPrefix(attainable, rateUnit, 3)}${share > MOST_OF_CEILING ? ', which was measured too low' : ''}`;
  return [
    `${formatShare(efficiency, 3)}${tooLow}`,
    `${withPrefix(peak, rateUnit)} (${peakIsa})${by === null ? '' : `, in ${by}`}`,
    bound === null || tooLow !== '' ? NONE : `${bound}${reached}`,
  ];
}

/** A row of texts for each batch that has a rate. */
export function ratesRows({ batches }: ReportModel): readonly (readonly string[])[] {
  return batches.flatMap((batch) => {
    const { label, rate, rateUnit, elapsed, pooled } = batch;
    if (rate === null) return [];
    const { median, interval, sustained, p05 } = rate;
    const p99 = elapsed?.p99 ?? pooled?.p99;
    return [
      [
        label,
        withPrefix(median, rateUnit),
        interval === null
          ? NONE
          : `${withPrefix(interval.low, rateUnit)} to ${withPrefix(interval.high, rateUnit)}`,
        sustained === null
          ? NONE
          : `${withPrefix(sustained, rateUnit)} (${formatShare(sustained / median, 3)})`,
        p05 === null ? NONE : withPrefix(p05, rateUnit),
        p99 === undefined ? NONE : formatSeconds(p99),
        ...ceilingCells(batch),
      ],
    ];
  });
}

/** For a program, in base units. `work`: of one repetition, in what the rate counts. */
export const RATE_FIELDS = [
  'efficiency',
  'peak_rate',
  'peak_isa',
  'bound',
  'attainable_rate',
  'attainable_share',
  'work',
  'work_flop',
  'work_bytes',
] as const;

export const rateFields = ({ roofline, work, flop, bytes }: BatchModel): readonly Cell[] => [
  roofline?.efficiency ?? null,
  roofline?.peak ?? null,
  roofline?.peakIsa ?? null,
  roofline?.bound ?? null,
  roofline?.attainable ?? null,
  roofline?.share ?? null,
  work,
  flop,
  bytes,
];

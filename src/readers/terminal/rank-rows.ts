/** What the ranks of one collective tell, for its page: times, skew, straggler, efficiencies, ceiling. */
import { briefBytes, formatSeconds, formatShare, withPrefix } from '../../quantities/format.js';
import { busRateOf, efficienciesOf } from '../../record/collective-kpis.js';
import { clocksWithin } from '../../record/executed.js';
import type { RecordBatch } from '../../record/schema.js';
import { lastOf, launchesToName } from '../../statistics/rank-times.js';
import { longerText, slowRankOf } from './stragglers.js';
import type { Row } from './table.js';

type Ranks = NonNullable<RecordBatch['ranks']>;

/**
 * Which rank is the last to come oftener than chance has it, or that there are too few launches to tell. Clocks of several hosts do
 * not agree so well that they could.
 */
function lastText({ stack, inspections }: RecordBatch, { ranks }: Ranks): string {
  if (clocksWithin(stack.implementation) !== null || ranks.length < 2) return '';
  const launches = inspections.flatMap(({ status, ranks: of }) => (status === 'measured' ? (of ?? []) : []));
  const last = lastOf(launches);
  if (last !== null) return `, rank ${last.rank} last in ${formatShare(last.share)} of the repetitions`;
  const fewest = launchesToName(ranks.length);
  return launches.length < fewest ? `, which rank comes last takes ${fewest} launches to tell` : '';
}

function slowRankText(batch: RecordBatch, { ranks }: Ranks): string {
  const slow = slowRankOf(batch);
  if (slow === null) return 'none: no rank works much longer without waiting than the others';
  if (!('why' in slow)) return `rank ${slow.rank} works ${longerText(slow)}`;
  const most = Math.max(...ranks.map(({ slowest }) => slowest));
  const longest = ranks.findIndex(({ slowest }) => slowest === most);
  const who = `longest in its call: rank ${longest} in ${formatShare(most)} of the repetitions, as one is that waits`;
  return `not known: ${slow.why}; ${who}`;
}

/** Of one case, for its page: what the ranks tell. */
export function rankRows(batch: RecordBatch): Row[] {
  const { ranks } = batch;
  if (ranks === undefined) return [];
  const bus = busRateOf(batch);
  const efficiencies = efficienciesOf(batch);
  const each = ranks.ranks.slice(0, 8).map(({ median }, rank) => `${rank}: ${formatSeconds(median)}`);
  const more = ranks.ranks.length > 8 ? ` and ${ranks.ranks.length - 8} more` : '';
  const late = ranks.late > 0 ? `; ${ranks.late} repetitions made again because a rank came late` : '';
  return [
    ...(bus === null
      ? []
      : ([['bus', `${withPrefix(bus.value, 'B/s')} (the rate times nccl-tests’ factor)`]] as Row[])),
    ['ranks', `${each.join(', ')}${more}`],
    [
      'skew',
      `in ${formatSeconds(ranks.skewIn.p50, 3)} (p99 ${formatSeconds(ranks.skewIn.p99, 3)})${lastText(batch, ranks)}, out ${formatSeconds(ranks.skewOut.p50, 3)} (p99 ${formatSeconds(ranks.skewOut.p99, 3)})${late}`,
    ],
    ...(ranks.ranks.length < 2 ? [] : ([['straggler', slowRankText(batch, ranks)]] as Row[])),
    ...(efficiencies === null
      ? []
      : ([
          [
            'efficiency',
            `load balance ${formatShare(efficiencies.loadBalance, 3)} x communication ${formatShare(efficiencies.communication, 3)} = ${formatShare(efficiencies.parallel, 3)} of the time not spent waiting (POP)`,
          ],
        ] as Row[])),
    ...(ranks.ceiling === null
      ? []
      : ([
          [
            'ceiling',
            `${formatShare(ranks.ceiling.share, 3)}: ${briefBytes(ranks.ceiling.bytes)} that it loads and stores, at ${withPrefix(ranks.ceiling.rate, 'B/s', 3)} (${ranks.ceiling.by}, all ranks)`,
          ],
        ] as Row[])),
  ];
}

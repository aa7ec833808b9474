/** What the head of a report says where all is of latency: a time, the less the better. Pure. */
import { formatSeconds } from '../quantities/format.js';
import type { BatchModel } from './model.js';

interface LatencyResult {
  readonly best: BatchModel;
  readonly value: string;
  readonly uncertainty: string;
}

/** Of the batch with the shortest; null: none has a result, or they are of something else. */
export function shortestLatency(batches: readonly BatchModel[]): LatencyResult | null {
  if (batches.some(({ indicator }) => indicator !== 'latency')) return null;
  const [best] = batches
    .filter(({ rate }) => rate !== null)
    .sort((a, b) => (b.rate?.median ?? 0) - (a.rate?.median ?? 0));
  if (best?.rate == null) return null;
  const { rate, basis } = best;
  // A rate of loads is the time of one turned over, and so are the ends of its interval.
  const uncertainty =
    rate.interval === null
      ? `no interval: ${basis}`
      : `${Math.round(rate.interval.level * 100)} % interval ${formatSeconds(1 / rate.interval.high)} to ${formatSeconds(1 / rate.interval.low)}, ${basis}`;
  return { best, value: `${formatSeconds(1 / rate.median)} a load`, uncertainty };
}

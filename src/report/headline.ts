/** The one number of a report and whether it may be believed. Pure. */
import { formatSeconds, plural, withPrefix } from '../quantities/format.js';
import { isCutShort } from '../record/result.js';
import { shortestLatency } from './latency.js';
import type { BatchModel } from './model.js';
import { noScoreOfAll } from './no-score.js';
import { hiddenText, hiddenUncertaintyText } from './overlap.js';

export interface Headline {
  /** What was measured: `matmul 512 x 512 x 512 float32, 2 threads`. */
  readonly title: string;
  /** `192.3 GFLOP/s`, or, of what does no work, the time of a repetition; null where there is none to give. */
  readonly value: string | null;
  /** Of which batch that is, where there are several; otherwise ''. */
  readonly of: string;
  /** The interval, or why there is none. */
  readonly uncertainty: string;
  /** `ok` only where everything that was measured was verified. */
  readonly trust: 'ok' | 'warning' | 'bad';
  readonly verification: string;
}

function verificationText(
  batches: readonly BatchModel[],
  imported: boolean,
): Pick<Headline, 'trust' | 'verification'> {
  // A node that was only looked at: nothing was wrong, and nothing was right.
  if (batches.length === 0) return { trust: 'warning', verification: 'Nothing was measured' };
  const wrong = batches.filter(({ verified }) => verified === 'failed');
  const missing = batches.filter(({ verified }) => verified === 'not-run');
  const [firstWrong] = wrong;
  if (firstWrong !== undefined) {
    const where = batches.length === 1 ? '' : `${plural(wrong.length, 'batch', 'batches')}; `;
    return {
      trust: 'bad',
      verification: `Wrong result: ${where}${firstWrong.verification}`,
    };
  }
  if (missing.length > 0 && imported) {
    return { trust: 'warning', verification: 'Not verified: nobody published whether outputs were right' };
  }
  if (missing.length > 0) {
    const text =
      batches.length === 1
        ? 'no launch counts'
        : `in ${plural(missing.length, 'batch', 'batches')} no launch counts`;
    return { trust: 'warning', verification: `Not verified: ${text}` };
  }
  const launches = batches.reduce((sum, { measured }) => sum + measured, 0);
  const [only] = batches;
  const text =
    batches.length === 1 && only !== undefined
      ? only.verification
      : `in all ${plural(launches, 'launch', 'launches')} of ${plural(batches.length, 'batch', 'batches')}`;
  return { trust: 'ok', verification: `Verified ${text}` };
}

function uncertaintyText({ rate, rateUnit, basis, elapsed, work }: BatchModel): string {
  if (rate === null || elapsed === null) return '';
  if (rate.interval !== null) {
    const { level, low, high } = rate.interval;
    return `${Math.round(level * 100)} % interval ${withPrefix(low, rateUnit)} to ${withPrefix(high, rateUnit)}, ${basis}`;
  }
  const [fast, slow] = elapsed.range ?? [elapsed.median, elapsed.median];
  const apart =
    fast === slow || work === null
      ? ''
      : `; launches from ${withPrefix(work / slow, rateUnit)} to ${withPrefix(work / fast, rateUnit)}`;
  return `no interval: ${basis}${apart}`;
}

/** What does no work is as fast as its repetitions are short. */
function timeUncertaintyText({ elapsed, basis }: BatchModel): string {
  if (elapsed === null) return '';
  if (elapsed.interval !== null) {
    const { level, low, high } = elapsed.interval;
    return `${Math.round(level * 100)} % interval ${formatSeconds(low)} to ${formatSeconds(high)}, ${basis}`;
  }
  const [fast, slow] = elapsed.range ?? [elapsed.median, elapsed.median];
  const apart = fast === slow ? '' : `; launches from ${formatSeconds(fast)} to ${formatSeconds(slow)}`;
  return `no interval: ${basis}${apart}`;
}

/** Which of several it is: by its case, where they differ in their stacks by its stack, and where that is not enough by what its row is called. */
function nameOf(best: BatchModel, batches: readonly BatchModel[]): string {
  const { title, askedStack, name } = best;
  const stacks = new Set(batches.map((batch) => batch.askedStack));
  const alike = batches.filter((batch) => batch.title === title && batch.askedStack === askedStack);
  if (alike.length > 1) return `${title} (${name})`;
  return stacks.size === 1 ? title : `${title}, on ${askedStack}`;
}

type Result = Pick<Headline, 'value' | 'of' | 'uncertainty'>;

function whyNone(batches: readonly BatchModel[]): string {
  if (noScoreOfAll(batches) === 'not measured') return 'no launch was begun';
  const cutShort = batches.some(({ launches, measured }) => measured === 0 && launches.some(isCutShort));
  return cutShort ? 'no launch ran to its end, so there is no score' : 'there is no score';
}

function timeOf(batches: readonly BatchModel[]): Result {
  const [best] = batches
    .filter(({ idle, elapsed, measured }) => idle && elapsed !== null && measured > 0)
    .sort((a, b) => (a.elapsed?.median ?? 0) - (b.elapsed?.median ?? 0));
  if (best?.elapsed == null) {
    return { value: null, of: '', uncertainty: whyNone(batches) };
  }
  return {
    value: `${formatSeconds(best.elapsed.median)} a repetition`,
    of: batches.length === 1 ? '' : `the shortest of those that do no work: ${nameOf(best, batches)}`,
    uncertainty: `${timeUncertaintyText(best)}; it does no work, so it has no rate`,
  };
}

/** What an overlap is asked for: the rate of its products says nothing of what hid behind them. */
function hiddenOf(batches: readonly BatchModel[]): Result | null {
  const most = batches.reduce<BatchModel | null>(
    (one, other) =>
      other.overlap !== null && other.overlap.hidden > (one?.overlap?.hidden ?? Number.NEGATIVE_INFINITY)
        ? other
        : one,
    null,
  );
  if (most?.overlap == null) return null;
  return {
    value: hiddenText(most.overlap),
    of: batches.length === 1 ? '' : `the most that hides in one of the batches: ${nameOf(most, batches)}`,
    uncertainty: hiddenUncertaintyText(most.overlap, most.measured),
  };
}

/** Who asks for a latency asks for a time, and not for how many loads that makes a second. */
function latencyOf(batches: readonly BatchModel[]): Result | null {
  const shortest = shortestLatency(batches);
  if (shortest === null) return null;
  const { best, value, uncertainty } = shortest;
  return {
    value,
    of: batches.length === 1 ? '' : `the shortest of the batches: ${nameOf(best, batches)}`,
    uncertainty,
  };
}

/**
 * @param indicator what all batches are of; '': they are of several
 *
 * Of several batches the highest rate, named as such. Where units differ, of those that have the first one's, and that is said. Where
 * none has a rate, the time of one that does no work. Where all are of overlap, what hides; of latency, the shortest.
 */
export function headlineOf(batches: readonly BatchModel[], indicator: string, imported: boolean): Headline {
  const [first] = batches;
  const trust = verificationText(batches, imported);
  const title =
    batches.length === 1
      ? (first?.title ?? '')
      : [indicator, plural(batches.length, 'batch', 'batches')].filter((part) => part !== '').join(', ');
  const hidden = batches.every((batch) => batch.indicator === 'overlap') ? hiddenOf(batches) : null;
  const own = hidden ?? latencyOf(batches);
  if (own !== null) return { title, ...own, ...trust };
  const scored = batches.filter(({ rate }) => rate !== null);
  const unit = scored[0]?.rateUnit;
  const mixed = scored.some(({ rateUnit }) => rateUnit !== unit);
  const [best] = scored
    .filter(({ rateUnit }) => rateUnit === unit)
    .sort((a, b) => (b.rate?.median ?? 0) - (a.rate?.median ?? 0));
  if (best?.rate == null) return { title, ...timeOf(batches), ...trust };
  return {
    title,
    value: withPrefix(best.rate.median, best.rateUnit),
    of:
      batches.length === 1
        ? ''
        : `the highest rate ${mixed ? `in ${unit}` : 'of the batches'}: ${nameOf(best, batches)}`,
    uncertainty: uncertaintyText(best),
    ...trust,
  };
}

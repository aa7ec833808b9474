/** What the interval of a batch rests on, in words. */
import { formatShare, plural, significant } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { median } from '../../statistics/quantile.js';

/** Beyond the fastest or the slowest launch: further than any that were seen. */
const FAR = 1.25;

/** Of a time. So few launches hardly know their spread, so that an honest interval may end where no machine gets. */
const reachesFar = ({ basis, interval, range }: NonNullable<RecordBatch['elapsed']>): boolean =>
  (basis === 'launches' || basis === 'few launches') &&
  interval !== null &&
  range !== null &&
  (interval.low * FAR < range[0] || interval.high > range[1] * FAR);

/** What the intervals of several batches rest on, each way once; nothing where none has any. */
export function intervalsText(batches: readonly RecordBatch[]): readonly string[] {
  const having = batches.filter(({ elapsed }) => elapsed?.interval != null);
  if (having.length === 0) return [];
  const texts = new Set(having.map(restsOn));
  const far = having.some(({ elapsed }) => elapsed !== null && reachesFar(elapsed));
  return [
    `95 % intervals ${[...texts].join('; or ')}${far ? '; some reach far beyond their launches (more --inspections narrow them)' : ''}`,
  ];
}

/** The larger distance to an end, as a precision is of it, as a share of the middle. What does no work has an interval of its time only. */
function reachOf({ rate, elapsed }: RecordBatch): number | null {
  const of = rate === null || rate.median === 0 ? elapsed : rate;
  if (of?.interval == null) return null;
  const { low, high } = of.interval;
  return Math.max(high - of.median, of.median - low) / of.median;
}

/** Cases without an interval have no part in the half. */
function halfText(having: number, all: number): string {
  if (having === all) return 'half of the cases are';
  const half =
    having === 1
      ? 'the one case that has an interval is'
      : `half of the ${having} cases that have an interval are`;
  return `${all - having} of ${plural(all, 'case')} ${all - having === 1 ? 'has' : 'have'} none; ${half}`;
}

/** How far the intervals reach, as shares of what they are of, where a table has no place for each; nothing where nothing was measured. */
export function uncertaintyText(batches: readonly RecordBatch[]): readonly string[] {
  if (batches.every(({ elapsed }) => elapsed === null)) return [];
  const reaches = batches.flatMap((batch) => {
    const reach = reachOf(batch);
    return reach === null ? [] : [{ title: batch.title, reach }];
  });
  const worst = [...reaches].sort((a, b) => b.reach - a.reach)[0];
  if (worst === undefined) {
    // Where a precision decides on the number of launches, an interval takes more of them.
    const remedy = batches.some(({ precision }) => precision !== undefined)
      ? 'more --inspections, or a longer --budget'
      : '--inspections 3 or more';
    return [`no intervals: too few launches of each case; use ${remedy}`];
  }
  const middle = median(reaches.map(({ reach }) => reach));
  return [
    `${intervalsText(batches).join('')}: ${halfText(reaches.length, batches.length)} within ± ${formatShare(middle)}; the widest is ± ${formatShare(worst.reach)} (${worst.title})`,
  ];
}

export function basisText(batch: RecordBatch): string {
  const { elapsed } = batch;
  if (elapsed === null || !reachesFar(elapsed)) return restsOn(batch);
  const remedy =
    elapsed.basis === 'few launches'
      ? 'use --inspections 6 or more'
      : 'measure while less else comes and goes';
  return `${restsOn(batch)}: it reaches far beyond them; ${remedy}`;
}

function restsOn({ elapsed, measured, planned, imported, precision }: RecordBatch): string {
  if (elapsed === null) return '';
  const worth =
    precision?.worth === undefined
      ? ''
      : `, worth ${significant(precision.worth, 2)} independent ones as neighbours are alike`;
  const launches =
    measured === planned
      ? plural(measured, 'launch', 'launches')
      : `${measured} of ${plural(planned, 'launch', 'launches')}`;
  switch (elapsed.basis) {
    case 'launches':
      // Only reading takes an interval away from so many launches (src/record/intervals.ts).
      return elapsed.interval === null
        ? `over ${launches}: what the record has for an interval is none`
        : `over ${launches}${worth}`;
    case 'few launches':
      return elapsed.interval === null
        ? `over only ${launches}: too few for an interval`
        : `over only ${launches}, assuming normal spread`;
    case 'two launches':
      return `${launches}: too few for an interval`;
    case 'published table':
      return `${launches} in a published table, without their values: no interval`;
    default:
      if (imported !== undefined) return 'one launch: says nothing of the next';
      if (elapsed.interval === null)
        return 'one launch, whose repetitions are too few or too dependent on each other for an interval; use --inspections 6 or more';
      return 'within one launch: says nothing of the next launch; use --inspections 6 or more';
  }
}

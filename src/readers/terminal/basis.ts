/** What the interval of a batch rests on, in words. */
import { plural, significant } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';

/** What the intervals of several batches rest on, each way once; nothing where none has any. */
export function intervalsText(batches: readonly RecordBatch[]): readonly string[] {
  const texts = new Set(batches.filter(({ elapsed }) => elapsed?.interval != null).map(basisText));
  return texts.size === 0 ? [] : [`95 % intervals ${[...texts].join('; or ')}`];
}

/** Beyond the fastest or the slowest launch: further than any that were seen. */
const FAR = 1.25;

/** Of a time. So few launches hardly know their spread, so that an honest interval may end where no machine gets. */
const reachesFar = ({ interval, range }: NonNullable<RecordBatch['elapsed']>): boolean =>
  interval !== null && range !== null && (interval.low * FAR < range[0] || interval.high > range[1] * FAR);

export function basisText({ elapsed, measured, planned, imported, precision }: RecordBatch): string {
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
        : `over ${launches}${worth}${reachesFar(elapsed) ? ': it reaches far beyond them; measure while less else comes and goes' : ''}`;
    case 'few launches':
      return elapsed.interval === null
        ? `over only ${launches}: too few for an interval`
        : `over only ${launches}, assuming normal spread${reachesFar(elapsed) ? ': it reaches far beyond them; use --inspections 6 or more' : ''}`;
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

/** How much of the arrays of a batch's launches lay on huge pages, in words. Pure. */
import { formatBytes, plural } from '../quantities/format.js';
import type { RecordBatch } from '../record/schema.js';
import { median } from '../statistics/quantile.js';
import type { Bytes, Ratio } from '../units.js';

const MOST_LISTED = 3;

/** Each thread of these has whole huge pages set aside: of small working sets most of that is nobody's. */
const SETTING_ASIDE: readonly string[] = ['memory', 'latency'];
const MOST_SET_ASIDE = 1.5;
/** A rank's operands lie on huge pages of their own, however small they are: on less than one they tell nothing. */
const OF_RANKS = 'collective';

type Launched = Pick<RecordBatch, 'case' | 'inspections'>;

interface HugePages {
  /** On huge pages, in the launch with the fewest and in that with the most. */
  readonly least: Bytes;
  readonly most: Bytes;
  readonly of: Bytes;
  /** Of that, what whole huge pages have room for. */
  readonly possible: Bytes;
  readonly page: Bytes;
  /** Of what is possible, in the launch in the middle. */
  readonly share: Ratio;
  /** Measured ones, and those of them that tell. */
  readonly launches: number;
  readonly telling: number;
}

/** null: no launch tells, or the arrays are too small for any. */
export function hugePagesOf({ case: { indicator, parameters }, inspections }: Launched): HugePages | null {
  const measured = inspections.filter(({ status }) => status === 'measured');
  const told = measured.flatMap(({ hugePages }) =>
    hugePages === undefined || hugePages.possible === 0 ? [] : [hugePages],
  );
  const [first] = told;
  if (first === undefined) return null;
  if (SETTING_ASIDE.includes(indicator) && first.of > MOST_SET_ASIDE * Number(parameters.bytes)) return null;
  if (indicator === OF_RANKS && first.of < first.page) return null;
  const bytes = told.map((one) => one.bytes);
  return {
    least: Math.min(...bytes),
    most: Math.max(...bytes),
    of: first.of,
    possible: Math.max(...told.map(({ possible }) => possible)),
    page: first.page,
    share: median(told.map((one) => one.bytes / one.possible)),
    launches: measured.length,
    telling: told.length,
  };
}

/** Whether some launch had fewer than there was room for. */
export const lacksHugePages = (pages: HugePages): boolean => pages.least < pages.possible;

export function hugePagesText(pages: HugePages): string {
  const { least, most, of, possible } = pages;
  if (!lacksHugePages(pages)) {
    return possible === of
      ? `behind all ${formatBytes(of)} of arrays`
      : `behind ${formatBytes(possible)} of ${formatBytes(of)} of arrays, all that has room for one`;
  }
  const room = possible === of ? '' : `; ${formatBytes(possible)} has room for them`;
  if (most === 0) return `none behind ${formatBytes(of)} of arrays${room}`;
  return least === most
    ? `behind ${formatBytes(most)} of ${formatBytes(of)} of arrays${room}`
    : `behind ${formatBytes(least)} to ${formatBytes(most)} of ${formatBytes(of)} of arrays, by launch${room}`;
}

/** Of those that had fewer in some launch than there was room for, in one line; nothing where there are none. */
export function lackingText(batches: readonly RecordBatch[], names: readonly string[]): readonly string[] {
  const lacking = batches.flatMap((batch, i) => {
    const pages = hugePagesOf(batch);
    return pages === null || !lacksHugePages(pages) ? [] : [`${hugePagesText(pages)} (${names[i]})`];
  });
  if (lacking.length === 0) return [];
  const more = lacking.length - MOST_LISTED;
  const rest = more > 0 ? `; and in ${plural(more, 'batch', 'batches')} more` : '';
  return [`${lacking.slice(0, MOST_LISTED).join('; ')}${rest}`];
}

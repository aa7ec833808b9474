/** What a document that pi-bench itself wrote says of its launch beside the figures, without which they must not go. Pure. */
import type { NotChecked, PublishedLaunch } from '../published.js';
import type { Result } from './schemas.js';

export interface OwnSaid extends Pick<PublishedLaunch, 'flags' | 'notChecked'> {
  /** Of the whole batch. */
  readonly remarks: readonly string[];
}

const SOURCE = 'pi-bench’s own document says so';

/** As `notCheckedTexts` writes it: `thermal: no GPU`. */
function notChecked(text: string): NotChecked {
  const end = text.indexOf(': ');
  return end < 0 ? { flag: text, why: SOURCE } : { flag: text.slice(0, end), why: text.slice(end + 2) };
}

/** null: it is not of pi-bench, or of one that did not say it yet. */
export function ownSaid({ pi_bench: own }: Result): OwnSaid | null {
  if (own?.flags == null) return null;
  const { flags, not_checked: unlooked, launches_lost: lost, contended_by: other } = own;
  return {
    flags: flags.map((name) => ({ name, reason: `${SOURCE}; its record has the evidence`, evidence: {} })),
    notChecked: (unlooked ?? []).map(notChecked),
    remarks: [
      ...(lost == null ? [] : [lost]),
      ...(other == null ? [] : [`${other} measured at the same time`]),
    ],
  };
}

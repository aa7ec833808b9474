/** Which campaigns were asked for the same, so that each should have what the others have. Pure. */
import { commandName } from '../../record/command-name.js';
import { canonicalJson } from '../../record/digest.js';
import type { NamedRecord } from '../comparison/sides.js';

/** Where a campaign goes, and who calls it what, changes nothing that it measures. */
const OF_ITS_OWN = /^(--out|-o|--labels|--seed)(=|$)/;
/** Of those before it: a case that went missing is told for as many nights, and one that was given up is not told for ever. */
const MOST_EXPECTED = 3;
/** It draws what it measures. */
const DRAWS = 'explore';

function askedFor({ record: { campaign, labels } }: NamedRecord): string {
  const words = campaign.command.filter((word, i, all) => {
    const before = all[i - 1] ?? '';
    return !OF_ITS_OWN.test(word) && !(OF_ITS_OWN.test(before) && !before.includes('='));
  });
  return canonicalJson([words, labels.machine ?? labels.hostname ?? null]);
}

/** The last campaigns before it that were asked for the same on its machine. @param upTo oldest first, it the last */
export function askedForTheSame(upTo: readonly NamedRecord[], newest: NamedRecord): readonly NamedRecord[] {
  if (commandName(newest.record.campaign) === DRAWS) return [];
  const asked = askedFor(newest);
  return upTo.filter((one) => one !== newest && askedFor(one) === asked).slice(-MOST_EXPECTED);
}

/** The last campaign of its machine that was asked for something else; null: there is none. Likewise. */
export function askedForOther(upTo: readonly NamedRecord[], newest: NamedRecord): NamedRecord | null {
  const asked = askedFor(newest);
  return (
    upTo.findLast(
      (one) => askedFor(one) !== asked && one.record.labels.machine === newest.record.labels.machine,
    ) ?? null
  );
}

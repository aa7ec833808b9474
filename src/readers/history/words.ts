/** The answers of a history in words, the same wherever they are shown. Pure. */
import { plural, significant } from '../../quantities/format.js';
import { outcomeWords, speedText } from '../comparison/words.js';
import { shortNames } from '../short-names.js';
import { CIRCUMSTANCES } from './differences.js';
import type { HistoryChange, HistoryOutcome, HistorySeries, NewestJudged, Speed } from './document.js';

/** What the worst of all outcomes means for the whole. */
export const HISTORY_ANSWERS: Readonly<Record<HistoryOutcome, string>> = {
  faster: 'nothing that has a history is slower than the level before it',
  same: 'everything that has a history lies on the level before it',
  slower: 'something is slower than the level before it',
  'cannot tell': 'of something these campaigns cannot tell whether it changed',
  'wrong output': 'an output was wrong: it has no speed',
  'not measured': 'something was not measured',
  new: 'nothing has a history yet',
};

export const historyOutcomeWords = (outcome: HistoryOutcome, margin: number): string =>
  outcome === 'new' ? outcome : outcomeWords(outcome, margin);

export const levelText = (speed: Speed): string => speedText(speed) ?? 'none';

/** `2026-11-29`: of a moment in UTC. */
export const dayText = (at: string): string => at.slice(0, 10);

/** `2026-11-29 04:12`. */
export const momentText = (at: string): string => at.slice(0, 16).replace('T', ' ');

export const intervalText = ({ interval }: Pick<HistoryChange | NewestJudged, 'interval'>): string | null =>
  interval === null ? null : `${significant(interval.low, 3)}–${significant(interval.high, 3)}`;

/** Of a label's value, and of what is told in whole words. */
const [LONGEST, LONGEST_TOLD] = [20, 72];

/** `kernel 6.1 → 6.8, embedded 1.2 → embedded 1.3`; null: nothing that is known of differs. */
export function differencesText({
  differences,
}: Pick<HistoryChange | NewestJudged, 'differences'>): string | null {
  const texts = differences.map(({ label, values }) => {
    const named = shortNames(
      values.map((value) => String(value ?? 'not known')),
      label === CIRCUMSTANCES ? LONGEST_TOLD : LONGEST,
    ).join(' → ');
    return label === CIRCUMSTANCES ? named : `${label} ${named}`;
  });
  return texts.length === 0 ? null : texts.join(', ');
}

const UNKNOWN = 'nothing that is known of the two campaigns differs';

/** What a newest campaign that lies beside its level may have that from; null: it does not lie there. */
export const reasonText = (newest: NewestJudged | null): string | null =>
  newest?.outcome === 'slower' || newest?.outcome === 'faster' ? (differencesText(newest) ?? UNKNOWN) : null;

/** How the last level lies to the first; null: within the margin, or by one change that is told by itself. */
export function sinceText({ points, levels, changes, sinceFirst }: HistorySeries): string | null {
  if (sinceFirst === null || changes.length === 1) return null;
  const since = dayText(points[levels[0]?.from ?? 0]?.at ?? '');
  return `${significant(sinceFirst, 3)} times the rate of the level since ${since}, over ${plural(levels.length - 1, 'change')}${changes.length === 0 ? ', each below the margin' : ''}`;
}

/** Of one change: where, by how much, and what else is not the same. */
export function changeText({ points }: HistorySeries, change: HistoryChange): string {
  const at = points[change.at]?.at ?? '';
  const between = intervalText(change);
  const told = change.outcome === 'cannot tell' ? ', too few campaigns to be sure' : '';
  const differences = differencesText(change);
  return `${momentText(at)}: ${significant(change.ratio, 3)} times the rate before${between === null ? '' : ` (${between})`}${told}; ${differences ?? UNKNOWN}`;
}

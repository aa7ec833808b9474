/** A comparison's answers in words, the same wherever they are shown. Pure. */
import { formatShare } from '../../quantities/format.js';
import type { ComparedCase, Outcome } from './document.js';

export const outcomeWords = (outcome: Outcome, margin: number): string =>
  outcome === 'same' ? `same within ${formatShare(margin)}` : outcome;

/** What the worst of all outcomes means for the whole. */
export const ANSWERS: Readonly<Record<Outcome, string>> = {
  faster: 'nothing is slower than the reference',
  same: 'the same within the margin',
  slower: 'slower than the reference somewhere',
  'cannot tell': 'these launches cannot tell',
  'wrong output': 'an output was wrong: it has no speed',
  'not measured': 'not everything that the reference has could be compared',
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** `a`, `ab`: a letter for each group that the side belongs to. */
export const groupLetters = ({ groups }: ComparedCase, side: string): string =>
  groups.map((group, i) => (group.includes(side) ? (LETTERS[i] ?? '?') : '')).join('');

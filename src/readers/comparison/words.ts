/** A comparison's answers in words, the same wherever they are shown. Pure. */
import { formatSeconds, formatShare, withPrefix } from '../../quantities/format.js';
import { LOADS } from '../../record/latency-kpis.js';
import type { ComparedBatch, ComparedCase, Outcome } from './document.js';

export const outcomeWords = (outcome: Outcome, margin: number): string =>
  outcome === 'same' ? `same within ${formatShare(margin)}` : outcome;

/** What the worst of all outcomes means for the whole. */
export const ANSWERS: Readonly<Record<Outcome, string>> = {
  faster: 'nothing is slower than the reference',
  same: 'the same within the margin',
  slower: 'slower than the reference somewhere',
  'cannot tell': 'these launches cannot tell',
  'wrong output': 'an output was wrong: it has no speed',
  'not measured': 'not everything could be compared',
};

/** What has no rate is compared by the time of a repetition, and of loads the time of one is what was asked; null: nothing was measured right. */
export function speedText({
  rate,
  rateUnit,
  elapsedSeconds,
}: Pick<ComparedBatch, 'rate' | 'rateUnit' | 'elapsedSeconds'>): string | null {
  if (rate !== null && rateUnit === LOADS) return `${formatSeconds(1 / rate)} a load`;
  if (rate !== null) return withPrefix(rate, rateUnit);
  return elapsedSeconds === null ? null : formatSeconds(elapsedSeconds, 4);
}

const slowest = ({ elapsedSeconds }: ComparedBatch): number => elapsedSeconds ?? Number.MAX_VALUE;

export const fastestFirst = (batches: readonly ComparedBatch[]): readonly ComparedBatch[] =>
  batches.toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1) || slowest(a) - slowest(b));

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** `a`, `ab`: a letter for each group that the side belongs to; where letters end, a number: `(27)`. */
export const groupLetters = ({ groups }: ComparedCase, side: string): string =>
  groups.map((group, i) => (group.includes(side) ? (LETTERS[i] ?? `(${i + 1})`) : '')).join('');

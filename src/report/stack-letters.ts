/** Stacks whose names are too long for a figure or a table: a letter for each, and what the letters stand for. Pure. */
import { askedStack, type BatchNames, type NamedBatch, nameBatches } from '../readers/batch-names.js';

/** Longer names leave no room for the case beside them. */
const MOST_CHARACTERS = 16;
const LETTERS = 26;

export interface StackLetter {
  readonly letter: string;
  readonly stack: string;
}

/** A, B, ... Z, A2, B2, ... */
const letterAt = (i: number): string =>
  `${String.fromCharCode(65 + (i % LETTERS))}${i < LETTERS ? '' : Math.floor(i / LETTERS) + 1}`;

/** Of those with long names, in the order in which they were asked for; nothing where there is one stack only. */
export function stackLetters(batches: readonly NamedBatch[]): readonly StackLetter[] {
  const stacks = [...new Set(batches.map(askedStack))];
  if (stacks.length < 2) return [];
  const free = Array.from({ length: 2 * stacks.length }, (_, i) => letterAt(i)).filter(
    (letter) => !stacks.includes(letter),
  );
  return stacks
    .filter((stack) => stack.length > MOST_CHARACTERS)
    .map((stack, i) => ({ letter: free[i] ?? stack, stack }));
}

export const letterOf = (letters: readonly StackLetter[], stack: string): string =>
  letters.find((one) => one.stack === stack)?.letter ?? stack;

/** What batches are called where room is short: as everywhere, with the letters of their stacks. */
export function labelBatches(batches: readonly NamedBatch[], letters: readonly StackLetter[]): BatchNames {
  return nameBatches(
    batches.map((batch) => {
      const { asked } = batch;
      return {
        ...batch,
        asked: { ...asked, stack: { ...asked.stack, own: letterOf(letters, askedStack(batch)) } },
      };
    }),
  );
}

/** `A is openblas, B is blis.`; nothing where no letters are in use. */
export const lettersText = (letters: readonly StackLetter[]): string =>
  letters.length === 0 ? '' : `${letters.map(({ letter, stack }) => `${letter} is ${stack}`).join(', ')}.`;

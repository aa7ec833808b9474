/**
 * That a library chose code below what the CPU is good for, in words: its rate is then as much about that choice as about the library. No
 * validity flag: the launches are sound, and measured what such a user gets. It follows from what a record has always said, so old
 * records tell it, too. Pure.
 */
import type { PiBenchRecord, RecordBatch } from '../record/schema.js';
import { poorChoice } from '../stacks/choice.js';
import { stacks } from '../stacks/index.js';
import { stackKey, stackNames } from './comparison/sides.js';

type Machine = PiBenchRecord['machine'];

/** What it is called among what weakens a score. */
export const LIBRARY_CHOICE = 'library-choice';

/** Those of imported machines may not be known. */
const featuresOf = (machine: Machine): readonly string[] =>
  (machine as { cpu?: { features?: readonly string[] } }).cpu?.features ?? [];

/** After the name of the stack; null: its choice is good, or nothing is known of it. */
export function choiceText({ stack }: Pick<RecordBatch, 'stack'>, machine: Machine): string | null {
  const { provider, chose = null, environment = {} } = stack;
  const library = stacks.find((one) => one.provider === provider)?.library ?? null;
  if (library === null) return null;
  const poor = poorChoice(library, { chose, features: featuresOf(machine), environment });
  return poor === null ? null : `${poor.text}, and may be far from its best: ${poor.remedy}`;
}

/** Of each stack of the record once. */
export function choiceTexts({
  batches,
  machine,
}: Pick<PiBenchRecord, 'batches' | 'machine'>): readonly string[] {
  const names = stackNames(batches.map(({ stack }) => stack));
  const texts = batches.flatMap((batch) => {
    const text = choiceText(batch, machine);
    return text === null ? [] : `${names.get(stackKey(batch.stack)) ?? batch.stack.provider} ${text}`;
  });
  return [...new Set(texts)];
}

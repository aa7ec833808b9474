/** Where launches ended before the precision that was asked for, in words: the same for the terminal and the report. Pure. */
import { plural } from '../quantities/format.js';
import type { RecordBatch } from '../record/schema.js';

export interface WithPrecision {
  /** What the batch is called beside others. */
  readonly name: string;
  readonly precision: RecordBatch['precision'] | null;
}

/** Of many batches a few tell enough: the record has the others. */
const MOST = 3;

/** @param most batches that are told of by themselves */
export function missedPrecision(batches: readonly WithPrecision[], most: number = MOST): readonly string[] {
  const missed = batches.flatMap(({ name, precision }) =>
    precision?.reached === false ? [{ name, reason: precision.reason }] : [],
  );
  const told = missed.slice(0, most).map(({ name, reason }) => {
    const text = `the precision was not reached: ${reason}`;
    return batches.length === 1 ? text : `${name}: ${text}`;
  });
  const more = missed.length - told.length;
  return more === 0 ? told : [...told, `and in ${plural(more, 'batch', 'batches')} more`];
}

/** How many of the launches that were planned were measured, in words. Pure. */
import { grouped, plural } from '../quantities/format.js';
import type { RecordBatch } from '../record/schema.js';

const launches = (count: number): string => plural(count, 'launch', 'launches');

type Counted = Pick<RecordBatch, 'measured' | 'planned'>;

/** Where launches decide how many there are, of one that had none nothing was planned either. */
export const unbegun = <T extends Counted>(batches: readonly T[]): readonly T[] =>
  batches.filter(({ planned }) => planned === 0);

/** In the place of a rate: a batch of which no launch was begun has missed no score. An imported table lists no launches. */
export const noScoreText = ({
  inspections,
  imported,
}: {
  readonly inspections: readonly unknown[];
  readonly imported?: unknown;
}): 'not measured' | 'no score' =>
  imported === undefined && inspections.length === 0 ? 'not measured' : 'no score';

function countText(measured: number, planned: number): string {
  if (measured > 0) return `${grouped(measured)} of ${launches(planned)} measured`;
  return planned === 1 ? 'its one launch was not measured' : `none of ${launches(planned)} was measured`;
}

/** `2 of 6 launches measured`; `2 launches measured, and 3 of 4 batches had none`. */
export function measuredText(batches: readonly Counted[]): string {
  const [measured, planned] = [
    batches.reduce((sum, batch) => sum + batch.measured, 0),
    batches.reduce((sum, batch) => sum + batch.planned, 0),
  ];
  const without = unbegun(batches).length;
  if (without === 0) return countText(measured, planned);
  if (planned === 0) return 'no launch was begun';
  const text = measured === planned ? `${launches(measured)} measured` : countText(measured, planned);
  return `${text}, and ${grouped(without)} of ${plural(batches.length, 'batch', 'batches')} had none`;
}

/** Why there is no result. */
export function endedText(measured: number, planned: number): string {
  if (planned === 0) return 'no launch of it was begun';
  if (planned === 1) return 'its one launch did not run to its end';
  const ended = measured === 0 ? 'none' : grouped(measured);
  return `${ended} of ${launches(planned)} ran to ${measured > 1 ? 'their' : 'its'} end`;
}

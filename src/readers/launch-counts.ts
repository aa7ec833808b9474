/** How many of the launches that were planned were measured, in words. Pure. */
import { grouped, plural } from '../quantities/format.js';

const launches = (count: number): string => plural(count, 'launch', 'launches');

/** `2 of 6 launches measured`. */
export function measuredText(measured: number, planned: number): string {
  if (measured > 0) return `${grouped(measured)} of ${launches(planned)} measured`;
  return planned === 1 ? 'its one launch was not measured' : `none of ${launches(planned)} was measured`;
}

/** Why there is no result. */
export const endedText = (measured: number, planned: number): string =>
  planned === 1
    ? 'its one launch did not run to its end'
    : `${measured === 0 ? 'none' : grouped(measured)} of ${launches(planned)} ran to ${measured > 1 ? 'their' : 'its'} end`;

import type { Bytes } from '../units.js';

/** Columns that end a little too long cost nothing, as pages that nobody writes to are not there; too short ones grow once more. */
const MARGIN = 1.02;

/**
 * How many nodes a file of lines will have had, when it is as long as this: the lines so far stand for the others.
 * @param size of the file or stretch; 0: not known, as of a pipe
 * @returns of each line's length in characters, how many nodes are expected in all
 */
export function forecast(size: Bytes): (length: number) => number {
  let nodes = 0;
  let characters = 0;
  return (length) => {
    nodes++;
    // With its end.
    characters += length + 1;
    return Math.ceil((MARGIN * size * nodes) / characters);
  };
}

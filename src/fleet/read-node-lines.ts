/** The nodes of a file of lines, ours or SuperBench's, one after the other; of all of it, or of a stretch. */
import { messageOf, UserError } from '../errors.js';
import { superbenchNode } from '../import/superbench.js';
import { asNodeLine, type NodeLine } from './node-line.js';
import { linesOf, type Stretch } from './read-lines.js';

export interface NumberedNode {
  readonly line: NodeLine;
  /** Of its line in the file, from 1. */
  readonly number: number;
  /** Characters of the line. */
  readonly length: number;
}

/** By their ending; what a pipe brings has no name, and a record is a file that one reads again. */
export const isFileOfLines = (path: string): boolean =>
  /\.(jsonl|ndjson)$|^\/dev\/(stdin|fd\/\d+)$/.test(path);

/** How a message calls a line. */
export const placeOfLine = (path: string, number: number): string => `${path}:${number}`;

/**
 * @param before lines of the file before the stretch
 * @returns how many lines there were, with the empty ones
 * @throws UserError that says which line cannot be read
 */
export function* nodesOfLines(
  path: string,
  stretch: Stretch | null = null,
  before = 0,
): Generator<NumberedNode, number> {
  const lines = linesOf(path, stretch);
  for (let next = lines.next(); ; next = lines.next()) {
    if (next.done === true) return next.value;
    const number = before + next.value.number;
    const where = placeOfLine(path, number);
    let json: unknown;
    try {
      json = JSON.parse(next.value.text);
    } catch (error) {
      throw new UserError(`${where} is not JSON: ${messageOf(error)}; mend or remove that line`);
    }
    const line = asNodeLine(json, where) ?? superbenchNode(json);
    if (line === null) {
      throw new UserError(
        `${where} is no node: neither a line of pi-bench fleet nodes nor of SuperBench’s results-summary.jsonl`,
      );
    }
    yield { line, number, length: next.value.text.length };
  }
}

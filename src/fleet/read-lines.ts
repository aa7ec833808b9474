/** The lines of a file that may be larger than memory, one after the other. */
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf, UserError } from '../errors.js';

const CHUNK_BYTES = 2 ** 22;
const NEWLINE = 10;

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Without empty ones. @throws UserError where the file cannot be read */
export function* linesOf(path: string): Generator<Line> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new UserError(`cannot read the nodes: ${messageOf(error)}`);
  }
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    // A line's pieces are joined as bytes: a character must not be cut in two.
    let pieces: Buffer[] = [];
    let number = 0;
    const line = (): Line | null => {
      number++;
      const text = (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))?.toString('utf8') ?? '';
      pieces = [];
      return text.trim() === '' ? null : { number, text };
    };
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < read; end = chunk.indexOf(NEWLINE, from)) {
        pieces.push(chunk.subarray(from, end));
        from = end + 1;
        const whole = line();
        if (whole !== null) yield whole;
      }
      if (from < read) pieces.push(Buffer.from(chunk.subarray(from, read)));
    }
    if (pieces.length > 0) {
      const last = line();
      if (last !== null) yield last;
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read ${path}: ${messageOf(error)}`);
  } finally {
    closeSync(file);
  }
}

/** The lines of a file that may be larger than memory, one after the other; of all of it, or of a stretch. */
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf, UserError } from '../errors.js';
import type { Bytes } from '../units.js';

const CHUNK_BYTES = 2 ** 22;
const NEWLINE = 10;
/** Some editors begin a file with it. */
const BYTE_ORDER_MARK = '\ufeff';

export interface Line {
  /** From 1, counted from the beginning of the stretch. */
  readonly number: number;
  readonly text: string;
}

/** The lines that begin in it: stretches that lie side by side have every line once. */
export interface Stretch {
  readonly from: Bytes;
  readonly to: Bytes;
}

/**
 * Without empty ones.
 * @returns how many there were, with the empty ones
 * @throws UserError where the file cannot be read
 */
export function* linesOf(path: string, stretch: Stretch | null = null): Generator<Line, number> {
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
      const whole = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
      return whole.trim() === '' ? null : { number, text: whole };
    };
    const { from, to } = stretch ?? { from: 0, to: Number.POSITIVE_INFINITY };
    // The byte before a stretch says whether it begins with a line; what lies before its first line is the stretch's before it.
    let at = Math.max(0, from - 1);
    if (to <= from) return 0;
    let begun = from === 0;
    let begin = at;
    // A pipe has no places: without a stretch it is read from wherever it stands.
    const read = (): number => readSync(file, chunk, 0, CHUNK_BYTES, stretch === null ? null : at);
    for (let count = read(); count > 0; at += count, count = read()) {
      let next = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < count; end = chunk.indexOf(NEWLINE, next)) {
        if (begun) {
          pieces.push(chunk.subarray(next, end));
          const whole = line();
          if (whole !== null) yield whole;
        }
        begun = true;
        next = end + 1;
        begin = at + next;
        if (begin >= to) return number;
      }
      if (begun && next < count) pieces.push(Buffer.from(chunk.subarray(next, count)));
    }
    if (pieces.length > 0 && begin < to) {
      const last = line();
      if (last !== null) yield last;
    }
    return number;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read ${path}: ${messageOf(error)}`);
  } finally {
    closeSync(file);
  }
}

/** Texts that a command has made: to a file, of which stdout then has the name, or to stdout. */
import { dirname } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { type Style, terminalStyle } from '../readers/terminal/style.js';
import { destinationOf, writeDestination } from '../store/atomic.js';
import { makeFolder } from '../store/make-folder.js';

/** Whole, or as it was: half a file would be read as one. @throws UserError where the file cannot be written */
export function writeText(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    writeDestination(path, text);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${messageOf(error)}`);
  }
}

/** Of a text for `printText`: a file has no colours, and not the width of the terminal that it was made in. */
export const styleFor = (out: string | null): Style => terminalStyle(out === null ? process.stdout : {});

/** @param out null: stdout; a pipe or /dev/stdout gets the text and nothing else: behind it a name would be a part of it */
export function printText(text: string, out: string | null): void {
  if (out === null) {
    process.stdout.write(text);
    return;
  }
  writeText(out, text);
  if (destinationOf(out).isFile) process.stdout.write(`${out}\n`);
}

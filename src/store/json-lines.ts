/** Files of JSON lines to which lines are added, each flushed before anything follows from it; a kill may cut off the last one. */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';

export interface WholeLines {
  /** Bytes of the whole lines; what follows is a line that a kill cut off. */
  readonly wholeBytes: number;
  readonly truncated: boolean;
}

export interface JsonLines<T> extends WholeLines {
  readonly entries: readonly T[];
}

function parseLine<T>(line: string, number: number, path: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : messageOf(error);
    throw new UserError(`${path} is damaged at line ${number}: ${why}`);
  }
}

/**
 * @param where such a file lies, for a message
 * @throws UserError when it cannot be read, or is damaged before its last line
 */
export function readJsonLines<T>(path: string, schema: z.ZodType<T>, where: string): JsonLines<T> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${messageOf(error)}; ${where}`);
  }
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  const entries = lines.map((line, i) => parseLine(line, i + 1, path, schema));
  return { entries, wholeBytes, truncated: wholeBytes < bytes.length };
}

/** Cuts off a line that was not written whole. */
export function cutToWholeLines(path: string, { wholeBytes, truncated }: WholeLines): void {
  if (truncated) truncateSync(path, wholeBytes);
}

/** @throws the system's error; the file is then as it was. */
export function appendJsonLine(path: string, entry: object): void {
  const handle = openSync(path, 'a');
  const { size } = fstatSync(handle);
  try {
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    const written = writeSync(handle, bytes);
    if (written < bytes.length) throw new Error('no space left for the journal');
    fsyncSync(handle);
  } catch (error) {
    ftruncateSync(handle, size);
    throw error;
  } finally {
    closeSync(handle);
  }
}

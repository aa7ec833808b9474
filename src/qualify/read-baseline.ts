/** Reads a baseline file. The edge to the disk. */
import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../errors.js';
import { parseBaseline } from './baseline.js';
import type { Baseline } from './baseline-schema.js';

/** @throws UserError where it cannot be read, is none, or has an entry that cannot be right */
export function readBaseline(path: string): Baseline {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read the baseline: ${messageOf(error)}`);
  }
  return parseBaseline(text, path);
}

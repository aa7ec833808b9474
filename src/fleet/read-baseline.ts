/** Reads a baseline file. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import {
  BASELINE_KIND,
  BASELINE_VERSION,
  type Baseline,
  readableBaseline,
} from '../qualify/baseline-schema.js';

const envelope = z.looseObject({ kind: z.literal(BASELINE_KIND), schemaVersion: z.int() });

/** @throws UserError that says what is wrong with it */
export function readBaseline(path: string): Baseline {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`cannot read the baseline ${path}: ${messageOf(error)}`);
  }
  const head = envelope.safeParse(json);
  if (!head.success) throw new UserError(`${path} is no baseline: pi-bench fleet baseline writes them`);
  if (head.data.schemaVersion > BASELINE_VERSION) {
    throw new UserError(
      `${path} has schema version ${head.data.schemaVersion}; this pi-bench reads up to ${BASELINE_VERSION}: use a newer pi-bench`,
    );
  }
  const parsed = readableBaseline.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new UserError(
    `${path} does not fit its schema: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
  );
}

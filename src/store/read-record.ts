/** Reads a record back: whole, ours, unaltered, of a version that this pi-bench knows. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, systemCode, UserError } from '../errors.js';
import { brokenRules } from '../record/check.js';
import { digestOf } from '../record/digest.js';
import { withoutBrokenIntervals } from '../record/intervals.js';
import { withoutFiguresCutShort } from '../record/result.js';
import { type PiBenchRecord, readable, SCHEMA_VERSION } from '../record/schema.js';
import { lockedBy } from './folder-lock.js';
import { isFolder } from './make-folder.js';
import { movedOutOfSight, movedTo } from './moved.js';
import { STDIN } from './stdin.js';
import { JOURNAL } from './store.js';

const envelope = z.looseObject({ kind: z.literal('pi-bench record'), schemaVersion: z.int() });

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^\{"kind":"pi-bench node"/.test(text))
      throw new UserError(
        `${path} holds nodes of a fleet, and no record: pi-bench fleet check ${path} reads it`,
      );
    throw new UserError(`${path} is not JSON: ${messageOf(error)}`);
  }
}

/** Why a record cannot be read. @param file that was to be read: `path`, or a file in that folder */
function unreadable(path: string, file: string, error: unknown): UserError {
  if (systemCode(error) !== 'ENOENT') return new UserError(`cannot read the record: ${messageOf(error)}`);
  if (file === path)
    return new UserError(
      `there is no ${path}: a campaign’s results lie in a folder of its own, below results unless --out named another`,
    );
  const outOfSight = movedOutOfSight(path);
  if (outOfSight !== null)
    return new UserError(
      `${path} has no record, and holds a part of its campaign: the rest went to ${outOfSight}, which is gone or on another machine; where it is gone, pi-bench resume ${path} measures anew what is missing`,
    );
  if (existsSync(join(path, JOURNAL))) {
    const holder = lockedBy(path);
    const where = holder === null ? '' : `, as a lock there says (${holder})`;
    return new UserError(
      `${path} has no record: the campaign has not ended; pi-bench resume ${path} finishes it, unless it still runs${where}`,
    );
  }
  return new UserError(
    `${path} holds no record.json: give the folder of one campaign, which may lie below it`,
  );
}

/**
 * @param path record.json or the folder that holds it
 * @param only no other one is read: compiling the schema to functions, as zod does, would take longer than it saves
 * @returns with the text that was read: a pipe gives it once, and another process may write the file anew
 * @throws UserError that says what is wrong with it
 */
export function readRecord(
  path: string,
  { only = false } = {},
): { readonly record: PiBenchRecord; readonly path: string; readonly text: string } {
  let file = path;
  let text: string;
  const elsewhere = path === STDIN ? null : movedTo(isFolder(path) ? path : dirname(path));
  if (elsewhere !== null)
    throw new UserError(
      `${path} could not be written any more, and holds a part of its campaign: all of it is in ${elsewhere}`,
    );
  try {
    if (statSync(path).isDirectory()) file = join(path, 'record.json');
    // By its number, for a pipe that is a socket has no path to be opened by.
    text = readFileSync(file === STDIN ? 0 : file, 'utf8');
  } catch (error) {
    throw unreadable(path, file, error);
  }
  const json = parse(text, file);
  const head = envelope.safeParse(json);
  if (!head.success) throw new UserError(`${file} is not a record of pi-bench`);
  const { schemaVersion } = head.data;
  if (schemaVersion > SCHEMA_VERSION) {
    throw new UserError(
      `${file} has schema version ${schemaVersion}; this pi-bench reads up to ${SCHEMA_VERSION}: use a newer pi-bench`,
    );
  }
  const parsed = readable.record.safeParse(json, { jitless: only });
  if (!parsed.success) {
    throw new UserError(
      `${file} does not fit its schema: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
    );
  }
  const { data } = parsed;
  if (digestOf(json as Record<string, unknown>) !== data.digest) {
    throw new UserError(`${file} was altered after pi-bench wrote it: its digest does not fit`);
  }
  const record = withoutBrokenIntervals(withoutFiguresCutShort(data));
  const broken = brokenRules(record);
  if (broken.length > 0) throw new UserError(`${file} contradicts itself: ${broken.join('; ')}`);
  return { record, path: file, text };
}

/** null: it cannot be read, where another may be whole. */
export function readRecordOrNull(path: string): PiBenchRecord | null {
  try {
    return readRecord(path).record;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/**
 * journal.ndjson: each change of state as it happens, one JSON line each, flushed before anything follows from it.
 * It alone decides what of a campaign is done.
 */
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
import { readable, SCHEMA_VERSION } from '../record/schema.js';

const at = z.iso.datetime();
const inspection = { index: z.int().min(0), attempt: z.int().min(1), at };

const entrySchema = z.discriminatedUnion('event', [
  z.looseObject({
    event: z.literal('campaign'),
    schemaVersion: z.int(),
    campaign: readable.campaign,
    machine: z.record(z.string(), z.json()),
    piBench: z.looseObject({ version: z.string(), commit: z.string().nullable() }),
    at,
  }),
  z.looseObject({ event: z.literal('started'), ...inspection }),
  z.looseObject({
    event: z.literal('ended'),
    ...inspection,
    status: z.string(),
    reason: z.string().nullable(),
    /** Seconds from launch to exit. */
    wall: z.number(),
  }),
  z.looseObject({ event: z.literal('resumed'), at }),
  /** Another campaign measures on this machine at the same time. */
  z.looseObject({ event: z.literal('contended'), by: z.string(), at }),
  z.looseObject({ event: z.literal('interrupted'), signal: z.string(), at }),
  /** How long this process worked on the campaign, waiting excluded. */
  z.looseObject({ event: z.literal('stopped'), active: z.number(), status: z.string(), at }),
]);

export type JournalEntry = z.infer<typeof entrySchema>;
export type CampaignEntry = Extract<JournalEntry, { event: 'campaign' }>;

export interface Journal {
  readonly head: CampaignEntry;
  readonly entries: readonly JournalEntry[];
  /** Bytes of the whole lines; what follows is a line that a kill cut off. */
  readonly wholeBytes: number;
  readonly truncated: boolean;
}

function parseEntry(line: string, number: number, path: string): JournalEntry {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : messageOf(error);
    throw new UserError(`${path} is damaged at line ${number}: ${why}`);
  }
}

/** @throws UserError when it is not a journal, is damaged before its last line, or is of a newer pi-bench. */
export function readJournal(path: string): Journal {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${messageOf(error)}; it lies in a campaign's results folder`);
  }
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  const entries = lines.map((line, i) => parseEntry(line, i + 1, path));
  const head = entries[0];
  if (head?.event !== 'campaign') {
    throw new UserError(
      `${path} ends before its first line does: nothing was measured, so start the campaign again`,
    );
  }
  if (head.schemaVersion > SCHEMA_VERSION) {
    throw new UserError(
      `${path} has schema version ${head.schemaVersion}; this pi-bench knows up to ${SCHEMA_VERSION}: use a newer pi-bench`,
    );
  }
  return { head, entries, wholeBytes, truncated: wholeBytes < bytes.length };
}

/** Cuts off a line that was not written whole. */
export function repairJournal(path: string, { wholeBytes, truncated }: Journal): void {
  if (truncated) truncateSync(path, wholeBytes);
}

/** @throws the system's error; the journal is then as it was. */
export function appendToJournal(path: string, entry: JournalEntry): void {
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

/**
 * journal.ndjson: each change of state as it happens, one JSON line each, flushed before anything follows from it.
 * It alone decides what of a campaign is done.
 */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { readable, SCHEMA_VERSION } from '../record/schema.js';
import { appendJsonLine, cutToWholeLines, readJsonLines, type WholeLines } from './json-lines.js';

const moment = {
  at: z.iso.datetime(),
  /** CLOCK_MONOTONIC in seconds: nobody sets it. Absent in journals from before it was written. */
  monotonic: z.number().optional(),
};
const inspection = { index: z.int().min(0), attempt: z.int().min(1), ...moment };
/** Variables that change what is measured, as they were around the process. Absent in journals from before they were written. */
const environment = z.record(z.string(), z.string()).optional();

const entrySchema = z.discriminatedUnion('event', [
  z.looseObject({
    event: z.literal('campaign'),
    schemaVersion: z.int(),
    campaign: readable.campaign,
    machine: z.record(z.string(), z.json()),
    piBench: z.looseObject({ version: z.string(), commit: z.string().nullable() }),
    environment,
    ...moment,
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
  z.looseObject({ event: z.literal('resumed'), environment, ...moment }),
  /** What an ended attempt left can no longer be read, or followed from such a one: it is to be made again. */
  z.looseObject({ event: z.literal('gone'), ...inspection, reason: z.string() }),
  /** Another campaign measures on this machine at the same time. */
  z.looseObject({ event: z.literal('contended'), by: z.string(), ...moment }),
  z.looseObject({ event: z.literal('interrupted'), signal: z.string(), ...moment }),
  /** How long this process worked on the campaign, waiting excluded. */
  z.looseObject({ event: z.literal('stopped'), active: z.number(), status: z.string(), ...moment }),
]);

export type JournalEntry = z.infer<typeof entrySchema>;
export type CampaignEntry = Extract<JournalEntry, { event: 'campaign' }>;

export interface Journal extends WholeLines {
  readonly head: CampaignEntry;
  readonly entries: readonly JournalEntry[];
}

/** @throws UserError when it is not a journal, is damaged before its last line, or is of a newer pi-bench. */
export function readJournal(path: string): Journal {
  const { entries, wholeBytes, truncated } = readJsonLines(
    path,
    entrySchema,
    "it lies in a campaign's results folder",
  );
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
  return { head, entries, wholeBytes, truncated };
}

/** Cuts off a line that was not written whole. */
export const repairJournal = (path: string, lines: WholeLines): void => cutToWholeLines(path, lines);

/** @throws the system's error; the journal is then as it was. */
export const appendToJournal = (path: string, entry: JournalEntry): void => appendJsonLine(path, entry);

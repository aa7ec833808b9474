/**
 * submission.ndjson: what a submission asked for and what became of it, a line for each change, so that whoever reads it can go on
 * where a killed one stood.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.js';
import { appendJsonLine, cutToWholeLines, readJsonLines } from '../store/json-lines.js';
import { keeping } from './cannot-keep.js';
import { SUBMISSION_JOURNAL } from './names.js';

export const SUBMISSION_VERSION = 1;

const at = z.iso.datetime();
const attempt = z.int().min(1);
const setting = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly(), z.null()]);

const entrySchema = z.discriminatedUnion('event', [
  z.looseObject({
    event: z.literal('submission'),
    schemaVersion: z.int(),
    id: z.string(),
    createdAt: at,
    scheduler: z.string(),
    settings: z.record(z.string(), setting),
    command: z.array(z.string()).min(1).readonly(),
    cwd: z.string(),
    token: z.string(),
    files: z.record(z.string(), z.string()),
    mostBytes: z.int().min(1),
    retries: z.int().min(0),
    /** Seconds after which what has not begun is given up; null: never. */
    giveUp: z.number().nullable(),
    targets: z.array(z.string()).min(1).readonly(),
    at,
  }),
  /** About to be handed over: a kill after this line may leave jobs that nobody noted. */
  z.looseObject({ event: z.literal('submitting'), targets: z.array(z.string()), attempt, at }),
  z.looseObject({
    event: z.literal('submitted'),
    jobs: z.array(z.object({ target: z.string(), job: z.string() })).readonly(),
    attempt,
    at,
  }),
  /** One attempt came to its end. `exitCode` is the command's, null where no result came back. */
  z.looseObject({
    event: z.literal('ended'),
    target: z.string(),
    attempt,
    node: z.string().nullable(),
    exitCode: z.int().nullable(),
    reason: z.string().nullable(),
    /** Relative to the submission's folder; null where there is none. */
    record: z.string().nullable(),
    /** It is tried again. */
    again: z.boolean(),
    at,
  }),
  z.looseObject({ event: z.literal('resumed'), at }),
  z.looseObject({ event: z.literal('stopped'), status: z.string(), at }),
]);

export type SubmissionEntry = z.infer<typeof entrySchema>;
export type SubmissionHead = Extract<SubmissionEntry, { event: 'submission' }>;
export type AttemptEnd = Extract<SubmissionEntry, { event: 'ended' }>;

export interface SubmissionJournal {
  readonly head: SubmissionHead;
  readonly entries: readonly SubmissionEntry[];
}

/** @throws CannotKeep; the journal is then as it was */
export function appendToSubmission(folder: string, entry: SubmissionEntry): void {
  const path = join(folder, SUBMISSION_JOURNAL);
  keeping(path, () => appendJsonLine(path, entry));
}

const linesOf = (path: string) =>
  readJsonLines(path, entrySchema, "it lies in a submission's results folder");

/**
 * Cuts off a line that a kill left unfinished. Only for who follows the submission and nobody else does: to another the line of one
 * who is writing looks the same.
 * @throws UserError when it is damaged, CannotKeep
 */
export function repairSubmission(folder: string): void {
  const path = join(folder, SUBMISSION_JOURNAL);
  const lines = linesOf(path);
  keeping(path, () => cutToWholeLines(path, lines));
}

/** Of its whole lines. @throws UserError when it is damaged or of a newer pi-bench */
export function readSubmission(folder: string): SubmissionJournal {
  const path = join(folder, SUBMISSION_JOURNAL);
  const lines = linesOf(path);
  const [head] = lines.entries;
  if (head?.event !== 'submission')
    throw new UserError(`${path} ends before its first line does: nothing was submitted, so submit it again`);
  if (head.schemaVersion > SUBMISSION_VERSION) {
    throw new UserError(
      `${path} has version ${head.schemaVersion}; this pi-bench knows up to ${SUBMISSION_VERSION}: use a newer pi-bench`,
    );
  }
  return { head, entries: lines.entries };
}

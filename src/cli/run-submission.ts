/** Follows a submission from where its journal has it to its end, and says how it ended. `submit` and `resume` do the same here. */
import { existsSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { EXIT, messageOf, UserError } from '../errors.js';
import { plural } from '../quantities/format.js';
import { terminalStyle } from '../readers/terminal/style.js';
import { renderSubmission } from '../readers/terminal/submission.js';
import type { PiBenchRecord } from '../record/schema.js';
import { writeFileAtomic } from '../store/atomic.js';
import { readRecord } from '../store/read-record.js';
import { SUBMISSION } from '../store/store.js';
import { CannotKeep, keeping } from '../submit/cannot-keep.js';
import { type FollowHooks, follow, type WaitingTarget } from '../submit/follow.js';
import { findScheduler } from '../submit/index.js';
import {
  type AttemptEnd,
  appendToSubmission,
  readSubmission,
  repairSubmission,
  type SubmissionHead,
} from '../submit/journal.js';
import { SUBMISSION_JOURNAL } from '../submit/names.js';
import { NoAnswer } from '../submit/no-answer.js';
import { exitCodeOf, type SubmissionSummary, summarise } from '../submit/summary.js';
import { labelOf } from './begin-submission.js';
import { say } from './say.js';
import { stopOnSignals } from './signals.js';
import { lockWork } from './work-lock.js';

export interface SubmissionOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

export const isSubmission = (folder: string): boolean => existsSync(join(folder, SUBMISSION_JOURNAL));

function recordsOf({ nodes }: SubmissionSummary, folder: string): ReadonlyMap<string, PiBenchRecord> {
  return new Map(
    nodes.flatMap(({ target, record }): [string, PiBenchRecord][] =>
      record === null ? [] : [[target, readRecord(join(folder, record)).record]],
    ),
  );
}

/** Says each change once: asking a scheduler again and again tells nobody anything. */
function progressOf(folder: string, quiet: boolean): Pick<FollowHooks, 'onEnd' | 'onWait'> {
  let last: string | null = null;
  const say1 = (line: string): void => {
    if (!quiet) say(line);
  };
  return {
    onEnd({ target, node, exitCode, reason, again }: AttemptEnd) {
      const name = node === null || node === target ? target : `${target} (${node})`;
      const how = exitCode === null ? 'lost' : exitCode === EXIT.done ? 'done' : `exit code ${exitCode}`;
      say1(`${name}: ${how}${reason === null ? '' : `: ${reason}`}${again ? '; once more' : ''}`);
    },
    onWait(waiting: readonly WaitingTarget[]) {
      const running = waiting.filter(({ phase }) => phase === 'running');
      const others = waiting.filter(({ phase }) => phase === 'waiting');
      const reasons = [...new Set(others.flatMap(({ why }) => (why === null ? [] : [why])))];
      const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 3).join('; ')})`;
      const text = `${plural(running.length, 'node')} running, ${others.length} waiting${why}`;
      if (last === null) say1(`following ${folder}`);
      if (waiting.length > 0 && text !== last) say1(text);
      last = text;
    },
  };
}

function showSummary(summary: SubmissionSummary, folder: string, json: boolean): void {
  const text = json
    ? `${JSON.stringify(summary, null, 1)}\n`
    : renderSubmission(summary, recordsOf(summary, folder), folder, terminalStyle(process.stdout));
  process.stdout.write(text);
}

async function followToEnd(
  folder: string,
  head: SubmissionHead,
  { json, quiet }: SubmissionOptions,
): Promise<void> {
  const scheduler = findScheduler(head.scheduler);
  const connection = await scheduler.connect({ settings: head.settings, folder, label: labelOf(head) });
  const stopper = stopOnSignals(
    (name) => say(`${name}: nodes go on measuring; nobody follows them any more`),
    (name) => say(`${name} once more: ended at once; pi-bench resume ${folder} follows the nodes again`),
  );
  try {
    const left = await follow(folder, connection, { ...progressOf(folder, quiet), signal: stopper.signal });
    const came = stopper.came();
    if (came !== null && left.length > 0) {
      say(`pi-bench resume ${folder} follows them again; \`${connection.howToCancel(left)}\` ends them`);
      process.exitCode = EXIT.signal(constants.signals[came]);
      return;
    }
  } finally {
    stopper.release();
  }
  const summary = summarise(readSubmission(folder));
  const path = join(folder, SUBMISSION);
  keeping(path, () => writeFileAtomic(path, `${JSON.stringify(summary, null, 1)}\n`));
  process.exitCode = exitCodeOf(summary);
  const status = process.exitCode === EXIT.incomplete ? 'incomplete' : 'complete';
  appendToSubmission(folder, { event: 'stopped', status, at: new Date().toISOString() });
  showSummary(summary, folder, json);
}

/** Whether the scheduler may have something of it: what was about to be handed over, unless it was refused. */
function isHandedOver(folder: string, error: unknown): boolean {
  const { entries } = readSubmission(folder);
  if (entries.some(({ event }) => event === 'submitted')) return true;
  const noRefusal = error instanceof NoAnswer || error instanceof CannotKeep;
  const refused = error instanceof UserError && !noRefusal;
  return !refused && entries.some(({ event }) => event === 'submitting');
}

/** What was refused as a whole leaves nothing behind. */
function removeRefused(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // Why it was refused is what counts.
    say(`${folder} is left there: ${messageOf(error)}`);
  }
}

/**
 * @param resumed it was begun by another pi-bench
 * @throws UserError, after saying how the submission can be gone on with
 */
export async function runSubmission(
  folder: string,
  options: SubmissionOptions,
  resumed = false,
): Promise<void> {
  const { head } = readSubmission(folder);
  // Two that follow one submission would each hand over what is to be done.
  const lock = await lockWork(`pi-bench-submission-${head.id}`, folder, `follows submission ${head.id}`);
  try {
    try {
      repairSubmission(folder);
      if (resumed) appendToSubmission(folder, { event: 'resumed', at: new Date().toISOString() });
      await followToEnd(folder, head, options);
    } finally {
      // Before its folder is removed: of a file that is open NFS keeps one by another name there.
      lock.release();
    }
  } catch (error) {
    if (isHandedOver(folder, error)) say(`pi-bench resume ${folder} goes on from here`);
    else if (!resumed) removeRefused(folder);
    throw error;
  }
}

/** Begins a submission: its nodes, its folder, and the first line of its journal, from which it can be resumed. */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { formatBytes } from '../quantities/format.js';
import { makeFolder } from '../store/make-folder.js';
import { CannotKeep } from '../submit/cannot-keep.js';
import { tasksOf } from '../submit/follow.js';
import { appendToSubmission, SUBMISSION_VERSION, type SubmissionHead } from '../submit/journal.js';
import { namedFiles, stackFileBeside } from '../submit/named-files.js';
import { JOBS, NODES } from '../submit/names.js';
import type { Scheduler, Settings } from '../submit/scheduler.js';
import { TOKEN_FILE } from '../submit/task.js';
import type { Seconds } from '../units.js';
import { makeCampaignId } from './create-campaign.js';
import { say } from './say.js';

export interface Submission {
  readonly scheduler: Scheduler;
  readonly settings: Settings;
  readonly command: readonly string[];
  readonly retries: number;
  /** null: never. */
  readonly giveUp: Seconds | null;
}

/** A task is one argument of a program, of which Linux takes 128 KiB. */
const MOST_FILE_BYTES = 64 * 1024;

/**
 * Files that the command names, and those that these name, for nodes that do not see them; those that are too large they have to see
 * themselves.
 * @throws UserError for one that is no text: a task is text, in which it would become another file, and none that is named is binary
 */
export function filesOf(command: readonly string[], cwd: string): Record<string, string> {
  const files: Record<string, string> = {};
  let bytes = 0;
  const take = (path: string): string | null => {
    const stat = statSync(resolve(cwd, path), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return null;
    if (bytes + stat.size > MOST_FILE_BYTES) {
      say(
        `${path} (${formatBytes(stat.size)}) is too large to be handed over: the nodes have to see it themselves`,
      );
      return null;
    }
    const content = readFileSync(resolve(cwd, path));
    if (!isUtf8(content))
      throw new UserError(`${path} is not text in UTF-8, so nodes cannot be given it: save it as UTF-8`);
    bytes += content.length;
    const text = content.toString('utf8');
    files[path] = text;
    return text;
  };
  for (const file of namedFiles(command)) {
    const content = take(file.path);
    const beside = content === null ? null : stackFileBeside(command, file, content);
    if (beside === null) continue;
    if (isAbsolute(beside.written))
      say(
        `${beside.written}, the stack file of ${file.path}, is looked for at that very place: the nodes have to see it there themselves; name it relative to ${file.path} to hand it over`,
      );
    else take(beside.path);
  }
  return files;
}

/** Names of jobs, which Kubernetes allows letters, digits and dashes: `pi-bench-1f2e3d`. */
export const labelOf = ({ id }: Pick<SubmissionHead, 'id'>): string => `pi-bench-${id.slice(-6)}`;

/** Notes at once what the scheduler says cannot run. */
function noteUnfit(folder: string, unfit: ReadonlyMap<string, string>): void {
  for (const [target, reason] of unfit) {
    appendToSubmission(folder, {
      event: 'ended',
      target,
      attempt: 1,
      node: target,
      exitCode: null,
      reason: `not submitted: ${reason}`,
      record: null,
      again: false,
      at: new Date().toISOString(),
    });
    say(`${target}: not submitted: ${reason}`);
  }
}

/**
 * @param dryRun prints what would be handed over instead
 * @returns the submission's folder; null for a dry run
 * @throws UserError
 */
export async function beginSubmission(
  submission: Submission,
  out: string,
  dryRun: boolean,
): Promise<string | null> {
  const { scheduler, settings, command, retries, giveUp } = submission;
  const { names, unfit } = await scheduler.targets(settings);
  const createdAt = new Date().toISOString();
  const head: SubmissionHead = {
    event: 'submission',
    schemaVersion: SUBMISSION_VERSION,
    id: makeCampaignId(`${scheduler.name}-${command[0] ?? ''}`, createdAt),
    createdAt,
    scheduler: scheduler.name,
    settings: { ...settings },
    command: [...command],
    cwd: process.cwd(),
    token: randomBytes(16).toString('hex'),
    files: filesOf(command, process.cwd()),
    mostBytes: scheduler.mostBytes,
    retries,
    giveUp,
    targets: [...names],
    at: createdAt,
  };
  const folder = join(resolve(out), head.id);
  if (dryRun) {
    const due = names.filter((name) => !unfit.has(name));
    const text = await scheduler.dryRun(
      { settings, folder, label: labelOf(head) },
      tasksOf(head, folder, due, 1),
    );
    process.stdout.write(text);
    for (const [name, why] of unfit) say(`${name}: would not be submitted: ${why}`);
    return null;
  }
  try {
    for (const name of [JOBS, NODES]) makeFolder(join(folder, name));
    writeFileSync(join(folder, TOKEN_FILE), head.token);
    appendToSubmission(folder, head);
    noteUnfit(folder, unfit);
  } catch (error) {
    const why =
      error instanceof CannotKeep ? error.message : `cannot write to ${folder}: ${messageOf(error)}`;
    throw new UserError(`${why}; give --out a folder that can be written`);
  }
  return folder;
}

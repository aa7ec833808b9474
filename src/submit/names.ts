/** Names inside a submission's folder, and of the command that nodes run. Pure. */
import { UserError } from '../errors.js';
import { sha256 } from '../record/digest.js';
import type { Task } from './task.js';

/** The hidden command that takes a task. */
export const ON_NODE = 'on-node';
export const SUBMISSION_JOURNAL = 'submission.ndjson';
export const END_FILE = 'end.json';
export const NODES = 'nodes';
export const ATTEMPTS = 'attempts';
/** What jobs printed. */
export const JOBS = 'jobs';

/** Hexadecimal digits. */
const TARGETS_DIGITS = 8;

/**
 * Of the job that tasks are handed over in. All targets begin together; whose attempts fail at different times are tried again in jobs
 * of one attempt each, which their targets tell apart.
 */
export function jobName(label: string, tasks: readonly Pick<Task, 'target' | 'attempt'>[]): string {
  const attempt = tasks[0]?.attempt ?? 1;
  const targets = sha256(tasks.map(({ target }) => target).join('\n')).slice(0, TARGETS_DIGITS);
  return attempt === 1 ? `${label}-1` : `${label}-${attempt}-${targets}`;
}

/** In a path of the command: the name of the node that runs it. */
export const NODE_PLACE = '{node}';

export const attemptName = (target: string, attempt: number): string => `${target}.${attempt}`;

/**
 * Names become names of files, and parts of commands.
 * @throws UserError
 */
export function checkedNode(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(name)) return name;
  throw new UserError(`"${name}" is no name of a node: letters, digits, dots and dashes make one`);
}

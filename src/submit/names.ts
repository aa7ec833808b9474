/** Names inside a submission's folder, and of the command that nodes run. Pure. */
import { UserError } from '../errors.js';

/** The hidden command that takes a task. */
export const ON_NODE = 'on-node';
export const SUBMISSION_JOURNAL = 'submission.ndjson';
export const END_FILE = 'end.json';
export const NODES = 'nodes';
export const ATTEMPTS = 'attempts';
/** What jobs printed. */
export const JOBS = 'jobs';

export const attemptName = (target: string, attempt: number): string => `${target}.${attempt}`;

/**
 * Names become names of files, and parts of commands.
 * @throws UserError
 */
export function checkedNode(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(name)) return name;
  throw new UserError(`"${name}" is no name of a node: letters, digits, dots and dashes make one`);
}

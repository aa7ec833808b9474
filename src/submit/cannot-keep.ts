/** Nothing can be kept here now, whosever it is: what a node delivered stays where it is, and can be collected later. */
import { EXIT, messageOf, UserError } from '../errors.js';

export class CannotKeep extends UserError {
  constructor(message: string) {
    super(message, EXIT.incomplete);
  }
}

/**
 * @param path of a file of the submission, which `write` writes
 * @throws CannotKeep that names it, where that fails
 */
export function keeping<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw new CannotKeep(`cannot write to ${path}: ${messageOf(error)}`);
  }
}

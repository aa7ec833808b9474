/** The form of a document that a command was asked for, where `--json` stands for one of them. Pure. */
import { UserError } from '../errors.js';

/**
 * @param format of `--format`, whose default is `text`
 * @throws UserError where both ask for something else: a file of the one name would hold the other
 */
export function askedFormat<F extends string>(format: F | 'text', json: boolean): F | 'text' | 'json' {
  if (!json) return format;
  if (format !== 'text' && format !== 'json')
    throw new UserError(
      `--json and --format ${format} are two forms of one document: leave one of the two out`,
    );
  return 'json';
}

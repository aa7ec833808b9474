/** Folders of a qualification. */
import { relative } from 'node:path';

/** Below that of the first attempt: what was measured again. */
export const ATTEMPTS = 'attempts';

/**
 * As the record names what was measured again: relative to the record, so that both can be moved together. Where that could not be
 * written it went elsewhere.
 */
export function folderOfAttempt(record: string, attempt: string): string {
  const below = relative(record, attempt);
  return below.startsWith('..') ? attempt : below;
}

// Of which contents something was made: what a copy or a clone makes of the times of files does not count.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {import('../lib/source-record.mjs').Files} files
 */
export function hashOfContents(root, files) {
  const hash = createHash('sha256');
  for (const path of [...files.keys()].sort())
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** The edge to this machine's files. */
import { readdirSync, readFileSync } from 'node:fs';
import type { FileReader } from './linux/reader.js';

/** null for whatever the system refuses: absent, not allowed, a directory, a sensor that does not answer. */
export const readLocalFile: FileReader = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** Names of what is in a folder; none where it is not there, or may not be read. */
export function listLocalFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

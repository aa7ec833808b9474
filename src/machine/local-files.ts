/** The edge to this machine's files. */
import { readdirSync, readFileSync } from 'node:fs';
import type { FileReader, FolderLister } from './linux/reader.js';

/** null for whatever the system refuses: absent, not allowed, a directory, a sensor that does not answer. */
export const readLocalFile: FileReader = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

export const listLocalFolder: FolderLister = (path) => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

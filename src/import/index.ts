/** The registry of formats that can be imported: a new one is its file and its line here. */
import { UserError } from '../errors.js';
import type { Found } from './files.js';
import type { Published } from './published.js';
import { readThoth } from './thoth.js';

export interface ImportFormat {
  readonly name: string;
  readonly summary: string;
  /** @throws UserError where nothing of it can be imported */
  readonly read: (found: Found) => Published;
}

export const importFormats: readonly ImportFormat[] = [
  {
    name: 'thoth',
    summary: 'inspection documents and tables of Thoth’s performance indicators',
    read: readThoth,
  },
];

/** @throws UserError when there is no such format. */
export function findImportFormat(name: string): ImportFormat {
  const found = importFormats.find((format) => format.name === name);
  if (found !== undefined) return found;
  throw new UserError(
    `there is no format "${name}" to import; there is ${importFormats.map((format) => format.name).join(', ')}`,
  );
}

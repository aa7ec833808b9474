/** Whether something may be at a path, for who would else take what cannot be looked at for nothing. */
import { statSync } from 'node:fs';
import { systemCode } from '../errors.js';

const NOTHING: readonly (string | null)[] = ['ENOENT', 'ENOTDIR'];

/** False only where nothing is: in a folder that may not be searched there may be anything. */
export function mayBeThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return !NOTHING.includes(systemCode(error));
  }
}

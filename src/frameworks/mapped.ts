/** Which file of a kind this process has loaded: what is mapped is what computes. */
import { readLocalFile } from '../machine/local-files.js';

/** @returns null where none is mapped */
export function mappedFile(name: RegExp): string | null {
  const maps = readLocalFile('/proc/self/maps') ?? '';
  for (const line of maps.split('\n')) {
    const path = /\s(\/.*)$/.exec(line)?.[1];
    if (path !== undefined && name.test(path)) return path;
  }
  return null;
}

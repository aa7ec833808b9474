/** Folders that are made with those above them. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/**
 * Node 20's own `recursive` never returns where the kernel has a folder that takes no other, as /proc.
 * @throws the system's error
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been first.
    if (systemCode(error) !== 'EEXIST' || !isFolder(path)) throw error;
  }
}

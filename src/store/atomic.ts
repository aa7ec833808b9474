/** Files that are either whole or absent: a temporary name in the same folder, flushed, renamed, the folder flushed. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * In the same folder, and nobody else's: a kill leaves such a file behind, and in containers the next process often has the same number.
 * Nothing reads it or takes it for a result.
 */
export const temporaryOf = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`;

/** @throws the system's error (ENOSPC, EACCES ...); nothing of the file is left behind then. */
export function writeFileAtomic(path: string, content: string | Buffer): void {
  const temporary = temporaryOf(path);
  try {
    const handle = openSync(temporary, 'wx');
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  flushFolder(dirname(path));
}

/** Where streams and devices have names: /dev/stdout may be a file, too, which is to be gone on with. */
const STREAMS = /^\/(dev|proc)\//;

/**
 * What somebody named to write to. A link leads to its file. What is no file, as a device or a pipe, is written into: to rename a file
 * to its name would put that in its place.
 */
export function destinationOf(path: string): { readonly path: string; readonly isFile: boolean } {
  if (!existsSync(path)) return { path, isFile: true };
  if (!statSync(path).isFile() || STREAMS.test(path)) return { path, isFile: false };
  return { path: realpathSync(path), isFile: true };
}

/** To where somebody named: whole or as it was where that is a file. @throws the system's error */
export function writeDestination(named: string, content: string): void {
  const { path, isFile } = destinationOf(named);
  if (isFile) writeFileAtomic(path, content);
  else writeFileSync(path, content);
}

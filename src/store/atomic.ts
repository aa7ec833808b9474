/** Files that are either whole or absent: a temporary name in the same folder, flushed, renamed, the folder flushed. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** @throws the system's error (ENOSPC, EACCES ...); nothing of the file is left behind then. */
export function writeFileAtomic(path: string, content: string | Buffer): void {
  const temporary = `${path}.${process.pid}.tmp`;
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

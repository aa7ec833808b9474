/**
 * A lock on a folder, which holds wherever that folder is seen: sockets end at a network namespace, as between two containers with one
 * volume. The kernel keeps it with an open file and frees it when its holder ends, however that happens. Node cannot ask for it, so the
 * program flock does, for a file that both have open. The edge to files.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export const LOCK = 'lock';
/** Of a server that keeps the locks of a network's files and does not answer. */
const PATIENCE_MS = 10_000;
/** With what flock ends where another holds it. */
const HELD = 1;

export interface FolderLock {
  release(): void;
}

export interface Held {
  /** As it calls itself; null: it has not said yet. */
  readonly holder: string | null;
  /** Who holds it has this file open. */
  readonly file: string;
}

const NO_LOCK: FolderLock = { release: () => {} };

/** What flock came to; `none`: there is no such program, or the file system keeps no locks. */
function flock(handle: number): 'ours' | 'held' | 'none' {
  const { status, stderr } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', handle],
    timeout: PATIENCE_MS,
  });
  if (status === 0) return 'ours';
  return status === HELD && stderr.length === 0 ? 'held' : 'none';
}

/** Who had it may have removed the file since it was opened here, and another may have made a new one. */
function isStill(path: string, handle: number): boolean {
  try {
    const [there, own] = [statSync(path), fstatSync(handle)];
    return there.ino === own.ino && there.dev === own.dev;
  } catch {
    return false;
  }
}

/** For people: the lock holds without. */
function writeHolder(handle: number, self: string): void {
  try {
    ftruncateSync(handle);
    writeSync(handle, `${self}\n`);
  } catch {
    // A disk that is full.
  }
}

function readHolder(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/**
 * Who has left word in a folder that it is theirs, as they call themselves; null: nobody has. They may have been killed since, which only
 * taking the lock would tell, and that would keep others out.
 */
export const lockedBy = (folder: string): string | null => readHolder(join(folder, LOCK));

function release(path: string, handle: number): void {
  try {
    if (isStill(path, handle)) rmSync(path);
  } catch {
    // It is free all the same.
  }
  closeSync(handle);
}

/**
 * @param self for those who want it meanwhile
 * @returns who holds it; a lock that keeps nobody out where none can be had: there nothing can be written, or there is no flock
 */
export function lockFolder(folder: string, self: string): FolderLock | Held {
  const file = join(folder, LOCK);
  for (;;) {
    const isNew = !existsSync(file);
    let handle: number;
    try {
      handle = openSync(file, 'a+');
    } catch {
      return NO_LOCK;
    }
    const came = flock(handle);
    if (came === 'ours' && isStill(file, handle)) {
      writeHolder(handle, self);
      return { release: () => release(file, handle) };
    }
    closeSync(handle);
    if (came === 'held') return { holder: readHolder(file), file };
    if (came === 'none') {
      if (isNew) rmSync(file, { force: true });
      return NO_LOCK;
    }
  }
}

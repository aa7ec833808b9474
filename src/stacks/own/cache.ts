/**
 * Folders that are made once and then used: below XDG_CACHE_HOME, each by its key. A folder is whole or absent: it is made under
 * another name and renamed. Two who want the same wait for each other. The edge to files.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join, relative } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { sha256 } from '../../record/digest.js';
import { takeSocketLock } from '../../socket-lock.js';

/** In each folder: what it contained when it was made. */
const SEAL = 'contents.sha256';

/** The folder of all of them. */
export function stacksFolder(): string {
  const cache = process.env.XDG_CACHE_HOME;
  return join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'pi-bench', 'stacks');
}

function addTree(folder: string, root: string, add: (text: string) => void): void {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (path === join(root, SEAL)) continue;
    const at = relative(root, path);
    const stat = lstatSync(path);
    if (stat.isDirectory()) addTree(path, root, add);
    else if (stat.isSymbolicLink()) add(`${at} -> ${readlinkSync(path)}\n`);
    else if (stat.isFile()) add(`${at} ${(stat.mode & 0o111) !== 0} ${sha256(readFileSync(path))}\n`);
  }
}

/** Of every file below a folder: its name, content and whether it can be executed. */
function contentsOf(folder: string): string {
  const hash = createHash('sha256');
  addTree(folder, folder, (text) => hash.update(text));
  return hash.digest('hex');
}

/** Whether a folder is there and as it was made. */
function isWhole(folder: string): boolean {
  try {
    return readFileSync(join(folder, SEAL), 'utf8').trim() === contentsOf(folder);
  } catch {
    return false;
  }
}

/** Process numbers mean something only among those who share them. */
function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** And the first space of processes has the same number on every node: a home that nodes share has folders of all of them. */
function nodeName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Dots part what the name of a folder says.
    return hostname().replaceAll('.', '-');
  }
}

const temporaryName = (key: string): string => `.${key}.${nodeName()}.${processSpace()}.${process.pid}.tmp`;

/** What those left behind who were killed while they made a folder; of another node nobody here can tell who still lives. */
function removeLeftovers(root: string): void {
  for (const name of readdirSync(root)) {
    const [, node, space, pid] = /^\..+\.([^.]+)\.(\d+)\.(\d+)\.tmp$/.exec(name) ?? [];
    if (pid === undefined || node !== nodeName() || space !== processSpace() || existsSync(`/proc/${pid}`))
      continue;
    rmSync(join(root, name), { recursive: true, force: true });
  }
}

/**
 * The folder of a key, made where it is not there or no longer as it was made.
 * @param make fills an empty folder; when it fails nothing is left behind
 * @param onWait told who is making the same
 * @throws what `make` throws, and Error where nothing can be written
 */
export async function cachedFolder(
  key: string,
  make: (folder: string) => Promise<void>,
  onWait: (holder: string) => void,
): Promise<string> {
  const root = stacksFolder();
  const folder = join(root, key);
  if (isWhole(folder)) return folder;
  try {
    mkdirSync(root, { recursive: true });
  } catch (error) {
    throw new Error(`the cache cannot be written: ${messageOf(error)} (XDG_CACHE_HOME says where it lies)`);
  }
  const name = `pi-bench-stack-${sha256(folder).slice(0, 32)}`;
  const never = new AbortController().signal;
  const lock = await takeSocketLock(name, `process ${process.pid}`, onWait, () => {}, never);
  const temporary = join(root, temporaryName(key));
  try {
    if (isWhole(folder)) return folder;
    removeLeftovers(root);
    // Of another process that had our number: only who holds the lock makes this key.
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary);
    await make(temporary);
    writeFileSync(join(temporary, SEAL), `${contentsOf(temporary)}\n`);
    // Our lock reaches no other node, which may have made it meanwhile and measure from it.
    if (isWhole(folder)) {
      rmSync(temporary, { recursive: true, force: true });
      return folder;
    }
    // One that was damaged since.
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
    return folder;
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (systemCode(error) === null) throw error;
    // Another node renamed its own between our look and our renaming.
    if (isWhole(folder)) return folder;
    throw new Error(`the cache cannot be written: ${messageOf(error)}`);
  } finally {
    lock.release();
  }
}

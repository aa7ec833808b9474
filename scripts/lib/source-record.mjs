// Of which files something was built: kept beside it, for a time tells only what is newer. A tree that was unpacked or copied
// over another brings the times of its own files, all of them before the build.
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** @typedef {Map<string, { size: number, modified: number }>} Files by their paths; `modified`: in milliseconds */

/**
 * A file's text; undefined where it cannot be read.
 * @param {string} path
 */
export function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} path */
export const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;

/** @param {Files} found */
function addFile(root, path, found) {
  const stat = statSync(`${root}/${path}`, { throwIfNoEntry: false });
  // An editor's file may be gone again.
  if (stat !== undefined) found.set(path, { size: stat.size, modified: stat.mtimeMs });
}

/** @param {Files} found */
function addFolder(root, folder, found) {
  const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) addFolder(root, path, found);
    else addFile(root, path, found);
  }
}

/**
 * The files below some paths.
 * @param {string} root
 * @param {readonly string[]} paths relative to it
 * @returns {Files}
 */
export function filesBelow(root, paths) {
  /** @type {Files} */
  const found = new Map();
  for (const path of paths) {
    const stat = statSync(`${root}/${path}`, { throwIfNoEntry: false });
    if (stat?.isDirectory()) addFolder(root, path, found);
    else if (stat !== undefined) addFile(root, path, found);
  }
  return found;
}

/** @param {Files} files */
export const newest = (files) => Math.max(0, ...[...files.values()].map((file) => file.modified));

const lineOf = ([path, { size, modified: when }]) => `${path}\t${size}\t${when}`;
/** @param {Files} files */
const textOf = (files) => [...files].map(lineOf).sort().join('\n');

/**
 * Whether something was built of other files than these, older or newer. Without a record: whether it is older than one of them.
 * @param {string} built
 * @param {string} record
 * @param {Files} files
 */
export function builtOfOthers(built, record, files) {
  const known = readIfThere(record);
  return known === undefined ? modified(built) < newest(files) : known !== textOf(files);
}

/**
 * Notes of what something was built.
 * @param {string} record
 * @param {Files} files as they were when that began
 * @param {Date} began
 */
export function noteSources(record, files, began) {
  writeFileSync(record, textOf(files));
  utimesSync(record, began, began);
}

/**
 * Whether a file differs from what a record says without being newer than that: make would take what it made of it for up to date.
 * @param {string} record
 * @param {Files} files
 */
export function changedUnseen(record, files) {
  const known = readIfThere(record);
  if (known === undefined) return false;
  const lines = new Set(known.split('\n'));
  const since = modified(record);
  return [...files].some((file) => file[1].modified <= since && !lines.has(lineOf(file)));
}

/**
 * All files below a folder, links followed: a volume of Kubernetes has nothing else, and nodes' outputs may lie elsewhere. Of a folder
 * that a link leads to out of this one only the files are taken: what is below it may be a whole system.
 */
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { messageOf } from '../errors.js';
import { plural } from '../quantities/format.js';
import type { Unread } from './published.js';

export interface Below {
  /** Relative to the folder, each file once; a link that leads nowhere is one that cannot be read. */
  readonly files: readonly string[];
  /** What links lead to and nobody looked into. */
  readonly leftOut: readonly Unread[];
}

const isDotted = (name: string): boolean => name.startsWith('.');
const isHidden = (path: string): boolean => path.split(sep).some(isDotted);

/** null: a link that leads nowhere, or to where nothing is to be seen. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Of several paths to one place the first one stays, unless it is hidden and another is not. @returns whether this one does */
function note(found: Map<string, string>, place: string, path: string): boolean {
  const before = found.get(place);
  if (before !== undefined && !(isHidden(before) && !isHidden(path))) return false;
  found.set(place, path);
  return true;
}

/** @throws the system's error where the folder itself cannot be looked at */
export function filesBelow(root: string): Below {
  const top = realpathSync(root);
  /** By where each really lies. */
  const [files, folders] = [new Map<string, string>(), new Map<string, string>()];
  const links: string[] = [];
  const leftOut: Unread[] = [];

  const walk = (folder: string): void => {
    const place = realpathSync(join(root, folder));
    if (!note(folders, place, folder)) return;
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) note(files, join(place, entry.name), path);
    }
  };

  const noteFile = (path: string, target: Stats | null): void => {
    const own = join(root, path);
    // Editors keep who has a file open in a link of such a name.
    if (target === null && !isDotted(basename(path))) note(files, own, path);
    if (target?.isFile()) note(files, realpathSync(own), path);
  };

  const lookOutside = (folder: string, place: string): void => {
    if (!note(folders, place, folder)) return;
    let passed = 0;
    for (const name of readdirSync(place)) {
      const target = statOrNull(join(place, name));
      if (target?.isDirectory()) passed++;
      else noteFile(join(folder, name), target);
    }
    if (passed === 0) return;
    const why = `a link leads there, out of what is imported: its files are read, and ${plural(passed, 'folder')} in it not`;
    leftOut.push({ path: folder, why, damaged: false });
  };

  const follow = (link: string): void => {
    const target = statOrNull(join(root, link));
    if (!target?.isDirectory()) {
      noteFile(link, target);
      return;
    }
    const place = realpathSync(join(root, link));
    if (place === top || place.startsWith(join(top, sep))) walk(link);
    else lookOutside(link, place);
  };

  walk('');
  // More of them may be found on the way.
  for (const link of links) {
    try {
      follow(link);
    } catch (error) {
      leftOut.push({ path: link, why: messageOf(error), damaged: true });
    }
  }
  return { files: [...files.values()], leftOut };
}

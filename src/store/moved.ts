/** Where a campaign went whose folder could not be written: a link in what stays behind, because a link needs no space of a full disk. */
import { existsSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export const MOVED = 'moved-to';

/** @returns whether it could be left there: a folder that is read-only takes none */
export function leaveLink(from: string, to: string): boolean {
  const link = join(from, MOVED);
  try {
    rmSync(link, { force: true });
    symlinkSync(to, link);
    return true;
  } catch {
    return false;
  }
}

function linkIn(folder: string): string | null {
  try {
    return readlinkSync(join(folder, MOVED));
  } catch {
    return null;
  }
}

/** null: it did not go anywhere, or to where nothing is to be seen. */
export function movedTo(folder: string): string | null {
  const to = linkIn(folder);
  return to !== null && existsSync(to) ? to : null;
}

/** Where it went, of which nothing is to be seen: it may be gone, or on another machine. null: it did not go, or is there. */
export function movedOutOfSight(folder: string): string | null {
  const to = linkIn(folder);
  return to === null || existsSync(to) ? null : to;
}

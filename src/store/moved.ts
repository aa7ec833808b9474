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

/** null: it did not go anywhere, or what went is gone, so that what is here is all there is. */
export function movedTo(folder: string): string | null {
  try {
    const to = readlinkSync(join(folder, MOVED));
    return existsSync(to) ? to : null;
  } catch {
    return null;
  }
}

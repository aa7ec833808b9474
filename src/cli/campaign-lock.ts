/** One process works on one campaign. */
import { sha256 } from '../record/digest.js';
import { visitHolder } from '../socket-lock.js';
import { lockWork, type WorkLock } from './work-lock.js';

/** Such a name has room for a hundred characters, and a campaign's may be longer. */
const DIGITS = 16;

const lockName = (id: string): string => `pi-bench-work-on-${sha256(id).slice(0, DIGITS)}`;

/** Of campaigns on which this process works, by their ids. */
const held = new Map<string, WorkLock>();

/**
 * @param folder of the campaign
 * @throws UserError where another process works on it
 */
export async function lockCampaign(id: string, folder: string): Promise<Pick<WorkLock, 'release'>> {
  const lock = await lockWork(lockName(id), folder, `works on campaign ${id}`);
  held.set(id, lock);
  return {
    release() {
      held.delete(id);
      lock.release();
    },
  };
}

/** A campaign whose folder could not be written any more is this process's as well where it has gone. */
export const followCampaign = (id: string, folder: string): void => held.get(id)?.follow(folder);

/** Whether some process in this machine's network works on it; asking keeps nobody out. */
export async function isWorkedOn(id: string): Promise<boolean> {
  let held = false;
  const { gone, leave } = visitHolder(lockName(id), () => {
    held = true;
    leave();
  });
  await gone;
  return held;
}

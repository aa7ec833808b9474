/** One process works on one campaign. */
import { sha256 } from '../record/digest.js';
import { visitHolder } from '../socket-lock.js';
import { lockWork, type WorkLock } from './work-lock.js';

/** Such a name has room for a hundred characters, and a campaign's may be longer. */
const DIGITS = 16;

const lockName = (id: string): string => `pi-bench-work-on-${sha256(id).slice(0, DIGITS)}`;

/**
 * @param folder of the campaign
 * @throws UserError where another process works on it
 */
export const lockCampaign = (id: string, folder: string): Promise<WorkLock> =>
  lockWork(lockName(id), folder, `works on campaign ${id}`);

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

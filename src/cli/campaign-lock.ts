/**
 * One process works on one campaign: two would write the same files, each of them a part. A socket tells those in one network of each
 * other, and the campaign's folder those in containers of one machine.
 */
import { hostname } from 'node:os';
import { UserError } from '../errors.js';
import { sha256 } from '../record/digest.js';
import { listenOn, visitHolder } from '../socket-lock.js';
import { lockFolder } from '../store/folder-lock.js';

/** Such a name has room for a hundred characters, and a campaign's may be longer. */
const DIGITS = 16;

const lockName = (id: string): string => `pi-bench-work-on-${sha256(id).slice(0, DIGITS)}`;

export interface CampaignLock {
  release(): void;
}

/**
 * @param folder of the campaign
 * @throws UserError where another process works on it
 */
export async function lockCampaign(id: string, folder: string): Promise<CampaignLock> {
  const socket = await listenOn(lockName(id), `pid ${process.pid}`, () => {});
  if (socket === null)
    throw new UserError(
      `another pi-bench on this machine works on campaign ${id}: wait for its end, or end it`,
    );
  const own = lockFolder(folder, `pid ${process.pid} on ${hostname()}, since ${new Date().toISOString()}`);
  if ('holder' in own) {
    socket.release();
    const who = own.holder === null ? '' : ` (${own.holder})`;
    throw new UserError(
      `another pi-bench, in another container or network, works on campaign ${id}${who}: wait for its end, or end it; if it is gone for certain and a file server has not noticed, remove ${own.file}`,
    );
  }
  return {
    release() {
      own.release();
      socket.release();
    },
  };
}

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

/** One process works on one campaign: two would write the same files, each of them a part. */
import { UserError } from '../errors.js';
import { sha256 } from '../record/digest.js';
import { listenOn, type SocketLock, visitHolder } from '../socket-lock.js';

/** Such a name has room for a hundred characters, and a campaign's may be longer. */
const DIGITS = 16;

const lockName = (id: string): string => `pi-bench-work-on-${sha256(id).slice(0, DIGITS)}`;

/** @throws UserError where another process on this machine works on it */
export async function lockCampaign(id: string): Promise<SocketLock> {
  const lock = await listenOn(lockName(id), `pid ${process.pid}`, () => {});
  if (lock !== null) return lock;
  throw new UserError(
    `another pi-bench on this machine works on campaign ${id}: wait for its end, or end it`,
  );
}

/** Whether some process on this machine works on it; asking keeps nobody out. */
export async function isWorkedOn(id: string): Promise<boolean> {
  let held = false;
  const { gone, leave } = visitHolder(lockName(id), () => {
    held = true;
    leave();
  });
  await gone;
  return held;
}

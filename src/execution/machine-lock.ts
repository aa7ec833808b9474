/**
 * One campaign at a time on one machine, by a socket lock. Whoever does not want to wait can tell the holder, so that
 * neither measures beside the other unknowingly.
 */
import { listenOn, type SocketLock, takeSocketLock, visitHolder } from '../socket-lock.js';

export type MachineLock = SocketLock;

/** Told the name of a campaign that measures at the same time. */
export type OnContended = (by: string) => void;

const NAME = 'pi-bench-campaign';

/**
 * Waits for the machine.
 * @param self who wants it, for those who wait after us
 * @param onWait told who holds it
 * @param signal ends the waiting; the promise then rejects with the signal's reason
 */
export const lockMachine = (
  self: string,
  onWait: (holder: string) => void,
  onContended: OnContended,
  signal: AbortSignal,
): Promise<MachineLock> => takeSocketLock(NAME, self, onWait, onContended, signal);

/**
 * Does not wait: when somebody holds the machine, both learn that they are not alone, and we take the lock over as soon
 * as it is free, so that a third one waits for us.
 */
export async function shareMachine(self: string, onContended: OnContended): Promise<MachineLock> {
  const ownLock = await listenOn(NAME, self, onContended);
  if (ownLock !== null) return ownLock;
  const end = new AbortController();
  const { gone, leave } = visitHolder(NAME, onContended, self);
  let takenOver: MachineLock | null = null;
  void gone
    .then(() => lockMachine(self, () => {}, onContended, end.signal))
    .then((lock) => {
      takenOver = lock;
      if (end.signal.aborted) lock.release();
    })
    .catch(() => {});
  return {
    release() {
      end.abort();
      leave();
      takenOver?.release();
    },
  };
}

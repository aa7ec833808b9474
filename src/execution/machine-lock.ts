/**
 * One campaign at a time on one machine. The lock is an abstract socket: the kernel frees it when its holder ends,
 * however that happens; whoever waits learns of it at once and can be told who holds it; and whoever does not want to
 * wait can tell the holder, so that neither measures beside the other unknowingly.
 */
import { connect, createServer, type Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../errors.js';

export interface MachineLock {
  release(): void;
}

/** Told the name of a campaign that measures at the same time. */
export type OnContended = (by: string) => void;

const NAME = '\0pi-bench-campaign';
const RETRY_MS = 100;

/** null when somebody else has it. */
function listen(self: string, onContended: OnContended): Promise<MachineLock | null> {
  return new Promise((resolve, reject) => {
    const visitors = new Set<{ destroy(): void }>();
    const server: Server = createServer((socket) => {
      visitors.add(socket);
      socket.unref();
      socket.on('error', () => {});
      socket.on('close', () => visitors.delete(socket));
      socket.on('data', (name) => onContended(name.toString('utf8').trim()));
      socket.write(`${self}\n`);
    });
    server.on('error', (error) => {
      if (systemCode(error) === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(NAME, () => {
      server.unref();
      resolve({
        release() {
          server.close();
          for (const visitor of visitors) visitor.destroy();
        },
      });
    });
  });
}

/** Visits the holder until it ends or `leave` is called. `say` is what the holder is told, if anything. */
function visit(onHolder: (holder: string) => void, say?: string): { gone: Promise<void>; leave: () => void } {
  const socket = connect(NAME);
  if (say !== undefined) socket.write(`${say}\n`);
  const gone = new Promise<void>((resolve) => {
    socket.on('data', (data) => onHolder(data.toString('utf8').trim()));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
  return { gone, leave: () => socket.destroy() };
}

/**
 * Waits for the machine.
 * @param self who wants it, for those who wait after us
 * @param onWait told who holds it
 * @param signal ends the waiting; the promise then rejects with the signal's reason
 */
export async function lockMachine(
  self: string,
  onWait: (holder: string) => void,
  onContended: OnContended,
  signal: AbortSignal,
): Promise<MachineLock> {
  for (;;) {
    signal.throwIfAborted();
    const lock = await listen(self, onContended);
    if (lock !== null) return lock;
    const { gone, leave } = visit(onWait);
    signal.addEventListener('abort', leave, { once: true });
    await gone;
    signal.removeEventListener('abort', leave);
    // A holder that refuses connections must not make this a busy loop beside its measurement.
    await setTimeout(RETRY_MS);
  }
}

/**
 * Does not wait: when somebody holds the machine, both learn that they are not alone, and we take the lock over as soon
 * as it is free, so that a third one waits for us.
 */
export async function shareMachine(self: string, onContended: OnContended): Promise<MachineLock> {
  const ownLock = await listen(self, onContended);
  if (ownLock !== null) return ownLock;
  const end = new AbortController();
  const { gone, leave } = visit(onContended, self);
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

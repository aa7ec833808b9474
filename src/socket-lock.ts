/**
 * A lock that is an abstract socket: the kernel frees it when its holder ends, however that happens, and whoever waits
 * learns of it at once and can be told who holds it.
 */
import { connect, createServer, type Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from './errors.js';

export interface SocketLock {
  release(): void;
}

const RETRY_MS = 100;

/**
 * @param name of the lock, on this machine
 * @param onVisitor told what visitors say
 * @returns null when somebody else has it
 */
export function listenOn(
  name: string,
  self: string,
  onVisitor: (says: string) => void,
): Promise<SocketLock | null> {
  return new Promise((resolve, reject) => {
    const visitors = new Set<{ destroy(): void }>();
    const server: Server = createServer((socket) => {
      visitors.add(socket);
      socket.unref();
      socket.on('error', () => {});
      socket.on('close', () => visitors.delete(socket));
      socket.on('data', (text) => onVisitor(text.toString('utf8').trim()));
      socket.write(`${self}\n`);
    });
    server.on('error', (error) => {
      if (systemCode(error) === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(`\0${name}`, () => {
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
export function visitHolder(
  name: string,
  onHolder: (holder: string) => void,
  say?: string,
): { gone: Promise<void>; leave: () => void } {
  const socket = connect(`\0${name}`);
  if (say !== undefined) socket.write(`${say}\n`);
  const gone = new Promise<void>((resolve) => {
    socket.on('data', (data) => onHolder(data.toString('utf8').trim()));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
  return { gone, leave: () => socket.destroy() };
}

/**
 * Waits for the lock.
 * @param self who wants it, for those who wait after us
 * @param onWait told who holds it
 * @param signal ends the waiting; the promise then rejects with the signal's reason
 */
export async function takeSocketLock(
  name: string,
  self: string,
  onWait: (holder: string) => void,
  onVisitor: (says: string) => void,
  signal: AbortSignal,
): Promise<SocketLock> {
  for (;;) {
    signal.throwIfAborted();
    const lock = await listenOn(name, self, onVisitor);
    if (lock !== null) return lock;
    const { gone, leave } = visitHolder(name, onWait);
    signal.addEventListener('abort', leave, { once: true });
    await gone;
    signal.removeEventListener('abort', leave);
    // A holder that refuses connections must not make this a busy loop beside its work.
    await setTimeout(RETRY_MS);
  }
}

/**
 * One process works on what lies in one folder: two would write the same files, each of them a part. A socket tells those in one network
 * of each other, and the folder those in containers of one machine, or on machines that share it.
 */
import { hostname } from 'node:os';
import { UserError } from '../errors.js';
import { listenOn } from '../socket-lock.js';
import { type FolderLock, lockFolder } from '../store/folder-lock.js';

export interface WorkLock {
  /** Also of that folder, to which the work has moved; nothing where it cannot be locked. */
  follow(folder: string): void;
  release(): void;
}

/**
 * @param name of the socket, on this machine
 * @param work for whoever wants to do it, too: `works on campaign 17`
 * @throws UserError where another process does it
 */
export async function lockWork(name: string, folder: string, work: string): Promise<WorkLock> {
  const socket = await listenOn(name, `pid ${process.pid}`, () => {});
  if (socket === null)
    throw new UserError(`another pi-bench on this machine ${work}: wait for its end, or end it`);
  const self = `pid ${process.pid} on ${hostname()}, since ${new Date().toISOString()}`;
  const own = lockFolder(folder, self);
  if ('holder' in own) {
    socket.release();
    const who = own.holder === null ? '' : ` (${own.holder})`;
    throw new UserError(
      `another pi-bench, on another machine or in another container or network, ${work}${who}: wait for its end, or end it; if it is gone for certain and a file server has not noticed, remove ${own.file}`,
    );
  }
  const folders: FolderLock[] = [own];
  return {
    follow(moved) {
      const there = lockFolder(moved, self);
      if (!('holder' in there)) folders.push(there);
    },
    release() {
      for (const one of folders) one.release();
      socket.release();
    },
  };
}

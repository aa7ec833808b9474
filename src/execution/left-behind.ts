/** What a worker that has ended left behind: processes that have the files still by which it spoke. The edge to /proc. */
import { readlinkSync } from 'node:fs';
import { CHANNEL_FD } from '../inspection/job.js';
import { listLocalFolder, readLocalFile } from '../machine/local-files.js';

const STDERR_FD = 2;

/** As the kernel names them; what has ended, or is somebody else's, has none. */
function filesOf(pid: string): readonly string[] {
  return [STDERR_FD, CHANNEL_FD].flatMap((file) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${file}`)];
    } catch {
      return [];
    }
  });
}

/**
 * To be called while a worker is there; what it returns, when that has ended.
 * @returns each as a person finds it, `sleep (pid 12)`: a process has such files only from the one that started it
 */
export function watchHeirs(worker: number): () => readonly string[] {
  const own = filesOf(String(worker));
  return () =>
    listLocalFolder('/proc')
      .filter((name) => /^\d+$/.test(name) && filesOf(name).some((file) => own.includes(file)))
      .map((pid) => `${readLocalFile(`/proc/${pid}/comm`)?.trim() ?? '?'} (pid ${pid})`);
}

/** What a worker that has ended left behind: processes that have the files still by which it spoke. The edge to /proc. */
import { readlinkSync } from 'node:fs';
import type { ChildEnd } from '../child-end.js';
import { CHANNEL_FD } from '../inspection/job.js';
import { listLocalFolder, readLocalFile } from '../machine/local-files.js';
import { parseProcessState } from '../telemetry/task-stat.js';

const STDERR_FD = 2;
/** Each of many ranks would be one. */
const MOST_NAMED = 3;

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

const stateOf = (pid: string) => parseProcessState(readLocalFile(`/proc/${pid}/stat`) ?? '');
const processes = (): readonly string[] => listLocalFolder('/proc').filter((name) => /^\d+$/.test(name));

export interface Heirs {
  /** Of those that have its files, as a person finds them, `sleep (pid 12)`: a process has such files only from the one that started it. */
  readonly names: () => readonly string[];
  /**
   * Those of its process group at whose end the kernel works, as at that of ranks that were killed with it. One that is ending shows no
   * files long before the kernel closes them.
   */
  readonly ending: () => readonly number[];
}

/** To be called while a worker is there; what it returns, when that has ended. */
export function watchHeirs(worker: number): Heirs {
  const own = filesOf(String(worker));
  const group = stateOf(String(worker))?.group;
  const isEnding = (pid: string): boolean => {
    const state = stateOf(pid);
    return state?.isEnding === true && state.group === group;
  };
  return {
    names: () =>
      processes()
        .filter((pid) => filesOf(pid).some((file) => own.includes(file)))
        .map((pid) => `${readLocalFile(`/proc/${pid}/comm`)?.trim() ?? '?'} (pid ${pid})`),
    ending: () => processes().filter(isEnding).map(Number),
  };
}

/** @param reason why a launch ended as it did @param remark on its process; null: nothing is to be said */
export function withRemark(reason: string | null, remark: string | null): string | null {
  const said = [reason, remark].filter((one) => one !== null);
  return said.length === 0 ? null : said.join('; ');
}

/** What is there still of a process, and of what it started; null: nothing. */
export function leftText({ left }: ChildEnd, pid: number | undefined, { names }: Heirs): string | null {
  if (left === 'nothing') return null;
  if (left === 'itself') return `its process (pid ${pid}) was killed and is there still`;
  const all = names();
  const named = all.length === 0 ? ['something that has its files'] : all.slice(0, MOST_NAMED);
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '';
  return `what it started is there still, beside the launches after it: ${named.join(', ')}${more}`;
}

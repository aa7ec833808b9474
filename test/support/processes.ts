/** What the kernel says of processes and their threads: CPU time tells how far one has come, however long that took. */
import { readdirSync, readFileSync } from 'node:fs';

/** What stands behind the name in the stat file of a process, or of one of its threads. */
export function statFields(folder: string): readonly string[] {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** In ticks of 10 ms, as every Linux has them; 0 where it has ended. */
function cpuSecondsIn(folder: string): number {
  try {
    const fields = statFields(folder);
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Of a process, all of its threads; 0 where it has ended. */
export const cpuSeconds = (pid: number): number => cpuSecondsIn(`/proc/${pid}`);

/**
 * Of the busiest thread beside the main one. A worker starts on its main thread and measures on others, so that what these have
 * used is no start, however slow that was.
 */
export function measuringSeconds(pid: number): number {
  let threads: readonly string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended.
  }
  const others = threads.filter((tid) => Number(tid) !== pid);
  return Math.max(0, ...others.map((tid) => cpuSecondsIn(`/proc/${pid}/task/${tid}`)));
}

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

/** '' where it has ended. */
function nameIn(folder: string): string {
  try {
    return readFileSync(`${folder}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Of a process, all of its threads; 0 where it has ended. */
export const cpuSeconds = (pid: number): number => cpuSecondsIn(`/proc/${pid}`);

/** What the addon calls the thread that measures, and with it the threads that this one starts. */
const MEASURING = 'measuring';

/**
 * Of the busiest thread that measures: what a worker's start has used, with the threads of its JavaScript engine, is none of
 * it, however slow that was.
 */
export function measuringSeconds(pid: number): number {
  let threads: readonly string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended.
  }
  const folders = threads
    .map((tid) => `/proc/${pid}/task/${tid}`)
    .filter((folder) => nameIn(folder) === MEASURING);
  return Math.max(0, ...folders.map(cpuSecondsIn));
}

/** The command that a scheduler runs on a node. Pure but for where this installation stands. */
import { join } from 'node:path';
import { packageRoot } from '../package.js';
import type { Settings } from './scheduler.js';
import { type Task, taskArguments } from './task.js';

/** How nodes start pi-bench: as it was started here, or by what the submission was told. */
export function nodeCommand({ piBench }: Settings, task: Task): readonly string[] {
  const start =
    typeof piBench === 'string' ? [piBench] : [process.execPath, join(packageRoot, 'bin', 'pi-bench.mjs')];
  return [...start, ...taskArguments(task)];
}

/** For a shell. */
export const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** The last lines of a log that say most: those of the launcher, or else the very last one. In one line. */
export function tailOf(log: string, launcher: RegExp): string {
  const lines = log
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const own = lines.filter((line) => launcher.test(line)).slice(-2);
  const chosen = own.length > 0 ? own : lines.slice(-1);
  return chosen.map((line) => line.replace(/^pi-bench: /, '')).join('; ');
}

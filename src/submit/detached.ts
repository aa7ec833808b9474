/**
 * A launcher (`srun`, `mpirun`) as a process that does not end with pi-bench: its output goes to files of the submission's folder, its
 * exit code too, and by its number a later pi-bench finds it again. The edge to processes.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../store/make-folder.js';
import { attemptName, JOBS } from './names.js';

export type DetachedState =
  | { readonly phase: 'running' }
  /** It was begun on another machine, where it may run or not: nothing of it is seen here until it has ended. */
  | { readonly phase: 'elsewhere'; readonly host: string }
  /** null: it vanished without one, as when this machine was restarted. */
  | { readonly phase: 'ended'; readonly exitCode: number | null };

/** The exit code is written and then renamed: what is there is whole. */
const WRAPPER = [
  'base=$1 host=$2; shift 2',
  'printf "%s\\n" "$$" "$host" >"$base.pid.tmp" && mv "$base.pid.tmp" "$base.pid"',
  '"$@" >"$base.out" 2>"$base.err" </dev/null',
  'echo $? >"$base.exit.tmp"; mv "$base.exit.tmp" "$base.exit"',
].join('\n');

const baseOf = (folder: string, target: string, attempt: number): string =>
  join(folder, JOBS, attemptName(target, attempt));

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The number of one that was begun, and the name of its machine, which versions before this one did not note. */
function notedOf(base: string): { readonly pid: string; readonly host: string | null } {
  const [pid = '', host] = textOf(`${base}.pid`).trim().split('\n');
  return { pid, host: host ?? null };
}

/** @returns by which it is found again */
export function startDetached(
  folder: string,
  target: string,
  attempt: number,
  command: readonly string[],
): string {
  const base = baseOf(folder, target, attempt);
  makeFolder(join(folder, JOBS));
  const child = spawn('sh', ['-c', WRAPPER, 'sh', base, hostname(), ...command], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => {});
  child.unref();
  return String(child.pid ?? 0);
}

interface ProcessLine {
  readonly pid: string;
  readonly state: string;
  readonly parent: string;
  /** As waitpid(2) would say it. Of one that has not ended, or of another user's: 0. */
  readonly status: number;
}

/** null: there is no such process. */
function processLine(pid: string): ProcessLine | null {
  const stat = textOf(`/proc/${pid}/stat`);
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
  const [state = '', parent = ''] = fields;
  return stat === '' ? null : { pid, state, parent, status: Number(fields.at(-1)) };
}

/** The processes of this machine, by their parents. */
export type ProcessTree = ReadonlyMap<string, readonly ProcessLine[]>;

/** At one moment: as many files as there are processes, so once for all jobs. */
export function processTree(): ProcessTree {
  const tree = new Map<string, ProcessLine[]>();
  for (const name of readdirSync('/proc')) {
    const line = /^\d+$/.test(name) ? processLine(name) : null;
    if (line === null) continue;
    const beside = tree.get(line.parent);
    if (beside === undefined) tree.set(line.parent, [line]);
    else beside.push(line);
  }
  return tree;
}

/** A process of this number may be somebody else's by now: its command line tells. */
function alive(pid: string, isOwn: (word: string) => boolean): boolean {
  const line = processLine(pid);
  return line !== null && line.state !== 'Z' && textOf(`/proc/${pid}/cmdline`).split('\0').some(isOwn);
}

/** Whether it runs on this machine, of whichever attempt it is. */
export const isDetachedHere = (folder: string, target: string, pid: string): boolean =>
  alive(pid, (word) => word.startsWith(join(folder, JOBS, `${target}.`)));

export function detachedState(folder: string, target: string, attempt: number, pid: string): DetachedState {
  const base = baseOf(folder, target, attempt);
  // In this order: it may end between the two looks.
  const running = alive(pid, (word) => word === base);
  const code = textOf(`${base}.exit`).trim();
  if (code !== '') return { phase: 'ended', exitCode: Number(code) };
  if (running) return { phase: 'running' };
  const { host } = notedOf(base);
  return host === null || host === hostname()
    ? { phase: 'ended', exitCode: null }
    : { phase: 'elsewhere', host };
}

/** By its absence what was begun on another machine is taken for gone with that. */
export const pidFile = (target: string, attempt: number): string =>
  join(JOBS, `${attemptName(target, attempt)}.pid`);

/** One that was started although nobody noted it; null where there is none. */
export function findDetached(folder: string, target: string, attempt: number): string | null {
  const base = baseOf(folder, target, attempt);
  return existsSync(`${base}.pid`) ? notedOf(base).pid : null;
}

export const detachedOutput = (folder: string, target: string, attempt: number): string =>
  textOf(`${baseOf(folder, target, attempt)}.out`);

export const detachedErrors = (folder: string, target: string, attempt: number): string =>
  textOf(`${baseOf(folder, target, attempt)}.err`);

/**
 * Whether a launcher that runs has started something, and all of that has ended, one of them badly. What ended well may have
 * gone to the background, as ssh does with `-f`.
 */
export function isStranded(tree: ProcessTree, pid: string): boolean {
  const started = (tree.get(pid) ?? [])
    .filter(({ state }) => state !== 'Z')
    .flatMap((launcher) => tree.get(launcher.pid) ?? []);
  const allEnded = started.every(({ state }) => state === 'Z');
  return allEnded && started.some(({ status }) => status !== 0);
}

/** Ends it and what it started. */
export function endDetached(pid: string, signal: NodeJS.Signals = 'SIGTERM'): void {
  try {
    process.kill(-Number(pid), signal);
  } catch {
    // It ended by itself.
  }
}

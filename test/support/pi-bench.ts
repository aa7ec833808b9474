/** Runs the real command in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Samples } from '../../src/record/samples.js';
import type { InspectionDocument, PiBenchRecord } from '../../src/record/schema.js';
import { readInspection } from '../../src/store/read-inspection.js';
import { makeCommandServers } from './command-server.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const launcher = join(root, 'bin', 'pi-bench.mjs');

export interface Run {
  /** Exit code, or 128 + n when signal n ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Run>;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** What a campaign says of another one on this machine, which is that of another test where tests run beside each other. */
const OF_OTHERS =
  /^pi-bench: (?:waiting: campaign \S+ \(pid \d+\) is measuring on this machine|waiting for .*: campaign \S+ \(pid \d+\) is still measuring|waited for .*, which is no part of a budget|campaign \S+ \(pid \d+\) measures beside this campaign:).*\n/gm;
/** As vitest.config.ts says of the file that runs. */
const besideOthers = process.env.TESTS_BESIDE !== undefined;
const ofItself = (stderr: string): string => (besideOthers ? stderr.replaceAll(OF_OTHERS, '') : stderr);

export const NSENTER = '/usr/bin/nsenter';

/** What begins a command line that is to run in the network of the file, where it has one of its own: own-network.ts. */
const inNetwork = (): readonly string[] => {
  const { TESTS_NETWORK } = process.env;
  return TESTS_NETWORK === undefined ? [] : [NSENTER, `--net=${TESTS_NETWORK}`, '--'];
};

/** Starts `command` in a session of its own, so that the whole of it can be killed at once. */
export function start(
  command: string,
  args: readonly string[],
  cwd?: string,
  env: NodeJS.ProcessEnv = process.env,
): Running {
  // The process becomes the command, so that its number is the command's.
  const [program = command, ...words] = [...inNetwork(), command, ...args];
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  const ended = new Promise<Run>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code: code ?? 128 + (SIGNALS[signal ?? ''] ?? 0), stdout, stderr: ofItself(stderr) });
    });
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export const startPiBench = (args: readonly string[], cwd?: string, env?: NodeJS.ProcessEnv): Running =>
  start(process.execPath, [launcher, ...args], cwd, env);

/** Where and as whom a command runs; absent: here, as this process. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const serve = makeCommandServers(inNetwork);

async function served(args: readonly string[], { cwd, env = process.env }: Surroundings): Promise<Run> {
  const { code, stdout, stderr } = await serve({ args, cwd: cwd ?? process.cwd(), env: { ...env } });
  return { code, stdout, stderr: ofItself(stderr) };
}

let wasLaunched = false;

/**
 * Runs a command line to its end: the first of a test file as a person does, the others, for most of a short one is the start of its
 * process, in a process that is there already. One at a time; for those that are to run beside each other, to be hit by signals
 * or to stand in a pipe there is `startPiBench`.
 */
export function piBenchIn(where: Surroundings, ...args: readonly string[]): Promise<Run> {
  if (wasLaunched) return served(args, where);
  wasLaunched = true;
  return startPiBench(args, where.cwd, where.env).ended;
}

export const piBench = (...args: readonly string[]): Promise<Run> => piBenchIn({}, ...args);

/** Runs several command lines, in order, in one process that is there already. */
export async function piBenchEach(
  lines: readonly (readonly string[])[],
  where: Surroundings = {},
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const args of lines) runs.push(await served(args, where));
  return runs;
}

/** A folder that is gone after `use`. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-e2e-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The only campaign's folder below `out`. */
export function campaignFolder(out: string): string {
  const [only, ...others] = readdirSync(out);
  if (only === undefined || others.length > 0) throw new Error(`expected one campaign in ${out}`);
  return join(out, only);
}

export const readRecordFile = (folder: string): PiBenchRecord =>
  JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8')) as PiBenchRecord;

export const readInspectionFile = (folder: string, index: number): InspectionDocument =>
  JSON.parse(readFileSync(join(folder, 'inspections', `${index}.json`), 'utf8')) as InspectionDocument;

export function readSamples(folder: string, index: number): Samples {
  const read = readInspection(folder, `inspections/${index}.json`);
  if (read === null) throw new Error(`inspection ${index} left no document`);
  return read.samples;
}

/** The record that a command printed with --json. */
export function printedRecord({ stdout, stderr }: Run): PiBenchRecord {
  if (stdout === '') throw new Error(`no record: ${stderr}`);
  return JSON.parse(stdout) as PiBenchRecord;
}

/** Runs `matmul` with --json; the record is what it printed. */
export async function matmulRecord(
  out: string,
  ...args: string[]
): Promise<{ run: Run; record: PiBenchRecord; folder: string }> {
  const run = await piBench('matmul', '--json', '--quiet', '--out', out, ...args);
  return { run, record: printedRecord(run), folder: campaignFolder(out) };
}

/**
 * Runs `matmul` into a folder of its own, and returns that of the campaign.
 * @throws what it said, where it did not end well
 */
export async function matmulFolder(out: string, ...args: readonly string[]): Promise<string> {
  const run = await piBench('matmul', ...args, '--quiet', '--out', out);
  if (run.code !== 0) throw new Error(run.stderr);
  return campaignFolder(out);
}

/** The worker of a campaign, found by its parent; undefined when none runs. */
export function workerOf(parent: number): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (ppid === parent && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('/inspection/worker.js'))
        return Number(name);
    } catch {
      // It ended while we looked.
    }
  }
  return undefined;
}

/** Kills a campaign and its worker, which may be gone before it is its turn: it dies with its parent. */
export function killAll(parent: number): void {
  const worker = workerOf(parent);
  for (const pid of [parent, worker]) {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It was faster.
    }
  }
}

/** @param limitMs no test rests on it: what never comes ends before the test's own limit */
export async function until<T>(find: () => T | undefined, what: string, limitMs = 60_000): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end; ) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** The lines of a journal that are whole. */
export function journalOf(folder: string): readonly Record<string, unknown>[] {
  const text = readFileSync(join(folder, 'journal.ndjson'), 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

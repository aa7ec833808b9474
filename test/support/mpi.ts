/** Jobs of MPI for tests, and their running ranks, found by what the kernel says of their processes. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraryFile, type MpiLibrary } from '../../scripts/lib/mpi-libraries.mjs';
import { mpiPlace } from '../../src/mpi/place.js';
import { campaignFolder, journalOf, launcher, type Running, start, until } from './pi-bench.js';
import { measuringSeconds, statFields } from './processes.js';
import type { Slurm } from './slurm.js';

export interface TwoRanks {
  /** The library's file; '' where it is not installed. */
  readonly library: string;
  /** What its launcher needs. */
  readonly env: NodeJS.ProcessEnv;
  /** The launcher's arguments for a program of Node. */
  argumentsFor(...program: readonly string[]): readonly string[];
  /** Starts pi-bench as two ranks. */
  piBench(...args: readonly string[]): Running;
}

export function twoRanks(mpi: MpiLibrary): TwoRanks {
  const env = { ...process.env, ...mpi.environment };
  const argumentsFor = (...program: readonly string[]) => [
    ...mpi.crowd,
    '-np',
    '2',
    process.execPath,
    ...program,
  ];
  return {
    library: libraryFile(mpi.soname) ?? '',
    env,
    argumentsFor,
    piBench: (...args) => start(mpi.launcher, argumentsFor(launcher, ...args), undefined, env),
  };
}

/** The environment in which ranks are given longer to find each other than a test may take. */
export const PATIENT = { PIBENCH_RENDEZVOUS_SECONDS: '1000' };

export interface WaitingLauncher {
  readonly launcher: string;
  /** Its process, as soon as it is to start ranks. */
  readonly pid: () => Promise<number>;
}

/**
 * A launcher that says whose it is, and then waits for longer than a test may take, as in a queue.
 * @param first what it does before, as commands of a shell
 */
export function waitingLauncher(folder: string, ...first: readonly string[]): WaitingLauncher {
  const [launcher, note] = [join(folder, 'mpirun'), join(folder, 'pid')];
  const script = [
    '#!/bin/sh',
    'if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1.4"; exit; fi',
    `echo $$ >"${note}.tmp" && mv "${note}.tmp" "${note}"`,
    ...first,
    'exec sleep 1000',
    '',
  ];
  writeFileSync(launcher, script.join('\n'), { mode: 0o755 });
  const noted = (): number | undefined => (existsSync(note) ? Number(readFileSync(note, 'utf8')) : undefined);
  return { launcher, pid: () => until(noted, 'the launcher') };
}

/** A suite that no node fails: a launcher ends all processes when one says that its node did. */
export const LOOK = 'name: look\nchecks:\n  - { check: swap, level: warn }\n';

export interface RankProcess {
  readonly pid: number;
  readonly rank: number;
}

const environmentOf = (pid: number): NodeJS.ProcessEnv =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** What rank 0 measures in, whoever started it. */
const LEADER = 'mpi-worker.js';

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; at = Number(statFields(`/proc/${at}`)[1])) if (at === ancestor) return true;
  return false;
}

/** Whether a process runs in that Slurm, whose daemon has started it: it is below nobody who asked for it. */
export const runsInSlurm =
  ({ env }: Pick<Slurm, 'env'>) =>
  (pid: number): boolean =>
    environmentOf(pid).SLURM_CONF === env.SLURM_CONF;

/** Of processes of this Node, which run this script, those that a launcher has started. */
function rankProcesses(script: string, isOurs: (pid: number) => boolean): readonly RankProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const pid = Number(name);
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (line[0] !== process.execPath || line[1]?.endsWith(script) !== true || !isOurs(pid)) return [];
      const place = mpiPlace(environmentOf(pid));
      return place === null ? [] : [{ pid, rank: place.rank }];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}

/**
 * Of a campaign that was just started, its folder and the process of rank 1, as soon as the second launch is measured.
 * Where that does not come the campaign is killed.
 * @param campaign whose ranks they are: it, or what has started it
 * @param script that rank 1 runs
 * @param isOurs whether a process is one of its ranks; absent: those below it
 */
export async function secondLaunch(
  out: string,
  campaign: ChildProcess,
  script: string,
  isOurs: (pid: number) => boolean = (pid) => isBelow(pid, campaign.pid ?? 0),
): Promise<{ readonly folder: string; readonly pid: number }> {
  const top = campaign.pid ?? 0;
  try {
    const folder = await until(
      () => (existsSync(out) && readdirSync(out).length > 0 ? campaignFolder(out) : undefined),
      'its folder',
      60_000,
    );
    const hasStarted = (): boolean =>
      existsSync(join(folder, 'journal.ndjson')) &&
      journalOf(folder).filter(({ event }) => event === 'started').length === 2;
    await until(() => (hasStarted() ? true : undefined), 'the second launch', 60_000);
    // Rank 0 alone measures on a thread of its own; what waits for other ranks before that burns the main one.
    const leads = ({ rank, pid }: RankProcess): boolean => rank === 0 && measuringSeconds(pid) > 0.5;
    await until(() => rankProcesses(LEADER, isOurs).find(leads), 'rank 0 to measure', 60_000);
    const find = (): RankProcess | undefined => rankProcesses(script, isOurs).find(({ rank }) => rank === 1);
    const { pid } = await until(find, 'rank 1', 60_000);
    return { folder, pid };
  } catch (error) {
    process.kill(-top, 'SIGKILL');
    throw error;
  }
}

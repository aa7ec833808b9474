/**
 * What a process does that is a rank of an MPI job: joins it, then measures, or takes part in, one inspection after the
 * other. Rank 0 tells the others the parameters of each over MPI itself, so ranks need no file in common.
 */
import { readFileSync } from 'node:fs';
import { type Cores, placeOthers, placeThreads, readCores } from '../execution/placement.js';
import { listLocalFolder, readLocalFile } from '../machine/local-files.js';
import { mpiPlaceHere } from '../mpi/here.js';
import { isMeetingPlace, meetingSeconds } from '../mpi/rendezvous.js';
import { type MpiWorld, type NativeJob, native, type RunningInspection } from '../native.js';
import { sha256 } from '../record/digest.js';
import { snapshotPaths } from '../telemetry/paths.js';
import type { Seconds } from '../units.js';
import { reasonOf } from './failure.js';
import { finish, timeLeft } from './finish.js';
import { type Job, monotonic, type Report } from './job.js';

/** Beyond the longest wait of a rank that can end by itself: past it a call of the library may never return. */
const BEYOND_PATIENCE: Seconds = 15;
const LOOK_EVERY_MS = 1000;

/** What rank 0 tells the others. */
interface Told {
  readonly parameters: NativeJob['parameters'];
  /** Whether each rank binds its measuring thread to a CPU of its own. */
  readonly pin: boolean;
}

export interface Rank {
  readonly world: MpiWorld;
  /** As they were before anything was bound. */
  readonly cores: Cores;
  /** Absent where they have met without, and of ranks that do not lead. */
  readonly mpi: Job['mpi'];
}

/** Its file as it was opened, which an upgrade may replace while the ranks stay. No other program is asked: MPI minds a fork. */
function identify(path: string, { library: version }: MpiWorld): Job['mpi'] {
  try {
    return { version, path, sha256: sha256(readFileSync(path)) };
  } catch {
    return { version, path, sha256: null };
  }
}

/**
 * @param library of MPI, or the place where ranks meet without
 * @param expected as many ranks as the launcher started
 * @throws Error with one clear line
 */
export function joinJob(library: string, expected: number): Rank {
  const cores = readCores(readLocalFile);
  const world = isMeetingPlace(library)
    ? native().meetRanks(library, mpiPlaceHere()?.rank ?? 0, expected, meetingSeconds(process.env))
    : native().mpiOpen(library);
  if (world.size !== expected) {
    throw new Error(
      `the launcher started ${expected} ranks, but ${world.library} (${library}) sees ${world.size}: it does not belong to this launcher; name the right one with --mpi-library, or another launcher with --launcher`,
    );
  }
  const leads = world.rank === 0 && !isMeetingPlace(library);
  return { world, cores, mpi: leads ? identify(library, world) : undefined };
}

/**
 * The ranks on the host of one of them, as they told each other when they met; null: hosts of one name are told apart by nothing that
 * is known here.
 */
export function ranksBeside({ members, hosts }: MpiWorld, rank: number): readonly number[] | null {
  if (new Set(members.map(({ host }) => host)).size !== hosts) return null;
  return members.flatMap(({ host }, other) => (host === members[rank]?.host ? [other] : []));
}

interface OwnCpus {
  /** Of the thread that measures; empty: it is not bound. */
  readonly own: readonly number[];
  /** Of this rank and those beside it. */
  readonly all: readonly number[];
  readonly others: readonly number[];
}

/** Of the ranks on one host, each gets a CPU of its own; none where the launcher has left it fewer. */
function ownCpus({ cores, world }: Rank, pin: boolean): OwnCpus {
  const place = mpiPlaceHere();
  const beside = ranksBeside(world, world.rank);
  const size = place?.localSize ?? beside?.length ?? world.size;
  const at = place?.localRank ?? beside?.indexOf(world.rank) ?? world.rank;
  const all = (pin ? placeThreads(cores, size) : null) ?? [];
  const own = all[at];
  return own === undefined
    ? { own: [], all: [], others: cores.allowed }
    : { own: [own], all, others: placeOthers(cores, all) };
}

/**
 * Of rank 0: the CPUs that it can vouch for. Where its launcher has given ranks beside it others than its own, each of these has chosen
 * among its own, which nobody here knows: then it is that of its own thread alone. The world tells all ranks' CPUs together, so that
 * others which are a part of rank 0's own, as by a rankfile, are not told apart from the same: those of their threads are guessed then.
 */
export const cpusTold = (
  { cores, world }: Rank,
  { own, all }: Pick<OwnCpus, 'own' | 'all'>,
): readonly number[] => (world.cpus.every((cpu) => cores.allowed.includes(cpu)) ? all : own);

/** Takes part in what rank 0 measures, until it has no more. */
export function follow(rank: Rank): void {
  for (;;) {
    const text = native().mpiListen();
    if (text === '') break;
    const { parameters, pin } = JSON.parse(text) as Told;
    try {
      native().mpiFollow({ ...parameters, cpus: ownCpus(rank, pin).own });
    } catch {
      // Rank 0 was told, and says it.
    }
  }
  native().mpiEnd();
}

/** Of rank 0: what an order can do to the measurement while it runs. */
export interface Measuring {
  readonly ended: Promise<void>;
  cancel(): void;
}

/** An exchange that is slow for its size has as much longer as its ranks wait for each other. */
export const stuckAfter = ({ native: { parameters } }: Pick<Job, 'native'>): Seconds =>
  Number(parameters.patienceSeconds) + BEYOND_PATIENCE;

export function stuckText({ case: one }: Pick<Job, 'case'>, limit: Seconds): string {
  const library = one.parameters.transport === 'nccl' ? 'NCCL' : 'MPI';
  return `a call of ${library} took longer than ${limit} s, which is all that is waited: a rank is lost, hangs, or is just slow`;
}

/** Of rank 0. Any failure is the end of the job: who knows in which call of MPI the others are. */
export function lead(rank: Rank, told: Job, report: (message: Report) => void): Measuring {
  const job: Job = { ...told, launchedAt: monotonic() - (told.spent ?? 0) };
  const begin = { startedAt: new Date().toISOString(), began: monotonic() };
  const pin = job.case.parameters.pin === true;
  // Where a launcher left a rank too few CPUs to choose from, none is bound.
  const taken = ownCpus(rank, pin);
  native().mpiTell(JSON.stringify({ parameters: job.native.parameters, pin } satisfies Told));
  native().bindMainThread(taken.others);
  const here: Job = {
    ...job,
    cpus: cpusTold(rank, taken),
    allowedCpus: rank.world.cpus,
    ranksHere: ranksBeside(rank.world, rank.world.rank)?.length ?? null,
    mpi: rank.mpi,
  };
  const running: RunningInspection = native().inspect({
    ...job.native,
    parameters: { ...job.native.parameters, cpus: taken.own },
    snapshotPaths: snapshotPaths(readLocalFile, listLocalFolder, here.allowedCpus),
    timeLimitSeconds: timeLeft(job),
  });
  const limit = stuckAfter(job);
  const watch = setInterval(() => {
    if (native().mpiWaited() < limit) return;
    giveUp(new Error(stuckText(job, limit)), report);
  }, LOOK_EVERY_MS);
  const ended = finish(here, running, begin, report).finally(() => clearInterval(watch));
  return { ended, cancel: () => running.cancel() };
}

/** Says why, and ends this process at once: the launcher ends the others. */
export function giveUp(error: unknown, report: (message: Report) => void): never {
  const message = reasonOf(error);
  const status = message.includes('out of memory') ? 'out-of-memory' : 'failed';
  report({ event: 'failed', status, message });
  return native().leaveAtOnce(1);
}

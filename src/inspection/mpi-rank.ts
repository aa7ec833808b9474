/**
 * What a process does that is a rank of an MPI job: joins it, then measures, or takes part in, one inspection after the
 * other. Rank 0 tells the others the parameters of each over MPI itself, so ranks need no file in common.
 */
import { type Cores, placeOthers, placeThreads, readCores } from '../execution/placement.js';
import { readLocalFile } from '../machine/local-files.js';
import { mpiPlaceHere } from '../mpi/here.js';
import { isMeetingPlace, meetingSeconds } from '../mpi/rendezvous.js';
import { type MpiWorld, type NativeJob, native, type RunningInspection } from '../native.js';
import { snapshotPaths } from '../telemetry/paths.js';
import type { Seconds } from '../units.js';
import { reasonOf } from './failure.js';
import { finish, timeLeft } from './finish.js';
import { type Job, monotonic, type Report } from './job.js';

/** Longer than any wait of a rank that can end: past it a call of the library does not return any more. */
const STUCK: Seconds = 25;
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
  return { world, cores };
}

/** Of the ranks on one host, each gets a CPU of its own; none where the launcher has left it fewer. */
function ownCpus({ cores }: Rank, pin: boolean): { own: readonly number[]; others: readonly number[] } {
  const place = mpiPlaceHere();
  const all = pin && place !== null ? placeThreads(cores, place.localSize) : null;
  const own = all?.[place?.localRank ?? 0];
  return own === undefined
    ? { own: [], others: cores.allowed }
    : { own: [own], others: placeOthers(cores, all ?? []) };
}

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

/** Of rank 0. Any failure is the end of the job: who knows in which call of MPI the others are. */
export function lead(rank: Rank, told: Job, report: (message: Report) => void): Measuring {
  const job: Job = { ...told, launchedAt: monotonic() - (told.spent ?? 0) };
  const begin = { startedAt: new Date().toISOString(), began: monotonic() };
  const pin = job.cpus.length > 0;
  const { own, others } = ownCpus(rank, pin);
  native().mpiTell(JSON.stringify({ parameters: job.native.parameters, pin } satisfies Told));
  native().bindMainThread(others);
  // Where a launcher left a rank too few CPUs to choose from, none is bound.
  const cpus = own.length === 0 ? [] : job.cpus;
  const here: Job = { ...job, cpus, allowedCpus: rank.world.cpus };
  const running: RunningInspection = native().inspect({
    ...job.native,
    parameters: { ...job.native.parameters, cpus: own },
    snapshotPaths: snapshotPaths(readLocalFile, here.allowedCpus),
    timeLimitSeconds: timeLeft(job),
  });
  const watch = setInterval(() => {
    if (native().mpiWaited() < STUCK) return;
    giveUp(new Error(`a call of MPI has not returned for ${STUCK} s: a rank is lost, or hangs`), report);
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

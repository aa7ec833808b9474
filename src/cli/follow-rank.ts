/**
 * pi-bench as a rank of a job that a launcher has started: rank 0 is the campaign and speaks for all; the others take
 * part in what it measures, and say nothing.
 */

import { EXIT, messageOf, UserError } from '../errors.js';
import {
  attend,
  hasBegunWithin,
  joined,
  leave,
  type MpiCase,
  mpiCaseOf,
  startWithin,
} from '../execution/mpi-ranks.js';
import { follow, joinJob } from '../inspection/mpi-rank.js';
import { isWithin, WITHIN } from '../mpi/choice.js';
import { chooseMpiHere, mpiPlaceHere } from '../mpi/here.js';
import { argumentOf, checkMeetingPlace, isMeetingPlace } from '../mpi/rendezvous.js';
import { native } from '../native.js';
import type { Campaign } from '../record/schema.js';
import { say } from './say.js';

const MILLISECONDS_TO_SPEAK = 1500;

const isOther = (): boolean => (mpiPlaceHere()?.rank ?? 0) > 0;

/** Whether ranks other than 0 only follow, as the arguments say, which all of them have. */
const othersFollow = (args: readonly string[]): boolean =>
  (argumentOf(args, '--transport') === 'mpi' || argumentOf(args, '--rendezvous') !== undefined) &&
  !args.some((arg) => ['--help', '-h', '--version', '-V'].includes(arg));

/** Whether this process is a rank that only follows, as its arguments and its launcher say. */
export const followsArguments = (args: readonly string[]): boolean => isOther() && othersFollow(args);

/** The library of the job that a campaign is measured in; null: no job of a launcher's. */
function jobLibrary({ batches }: Pick<Campaign, 'batches'>): string | null {
  const cases = batches.flatMap((batch) => mpiCaseOf(batch.case.parameters) ?? []);
  return cases.find(({ launcher }) => isWithin(launcher))?.library ?? null;
}

/** The library of a campaign in which this process only follows; null: it does not. */
export const followedLibrary = (campaign: Pick<Campaign, 'batches'>): string | null =>
  isOther() ? jobLibrary(campaign) : null;

/** Rank 0 says why, before its launcher ends all of them. */
function leaveSilently(code: number): never {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MILLISECONDS_TO_SPEAK);
  return native().leaveAtOnce(code);
}

/** What none of the ranks goes on after, said once. @throws UserError */
export function refuseOnce(why: string): never {
  if (isOther()) leaveSilently(EXIT.usage);
  throw new UserError(why);
}

function followUntilEnd(library: () => string): void {
  // What a terminal sends to all of them, rank 0 decides upon.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});
  try {
    follow(joinJob(library(), mpiPlaceHere()?.size ?? 1));
  } catch (error) {
    // Whoever gave each rank its number has a terminal for each; a launcher would print it once more for all.
    if (mpiPlaceHere()?.launcher === 'rank') say(messageOf(error));
    leaveSilently(error instanceof UserError ? error.exitCode : EXIT.incomplete);
  }
}

/** Until rank 0 has no more to measure. */
export const followLibrary = (library: string): void => followUntilEnd(() => library);

export function followArguments(args: readonly string[]): void {
  const place = argumentOf(args, '--rendezvous');
  followUntilEnd(() =>
    place === undefined
      ? chooseMpiHere({ library: argumentOf(args, '--mpi-library') }, mpiPlaceHere()).library
      : checkMeetingPlace(place),
  );
}

/**
 * Rank 0 has refused before it met the others, who wait for it within the library: MPICH's launcher and Slurm's would let them wait
 * for ever. So it meets them, and they end. Who waits at a place without MPI has a limit, and says itself who did not come.
 */
async function letOthersGo(library: () => string): Promise<void> {
  const place = mpiPlaceHere();
  if (place === null || place.rank > 0 || place.size < 2 || hasBegunWithin()) return;
  let of: MpiCase;
  try {
    of = { library: library(), launcher: `${WITHIN}${place.launcher}`, ranks: place.size };
  } catch {
    // They find none either, and have ended.
    return;
  }
  const ranks = attend(of, startWithin(of));
  if ((await joined(ranks)) === null) await leave(ranks);
}

export async function letFollowersGo(args: readonly string[]): Promise<void> {
  if (argumentOf(args, '--rendezvous') === undefined && othersFollow(args))
    await letOthersGo(
      () => chooseMpiHere({ library: argumentOf(args, '--mpi-library') }, mpiPlaceHere()).library,
    );
}

/** The same for a campaign that the others know. */
export async function letFollowersOfGo(campaign: Pick<Campaign, 'batches'>): Promise<void> {
  const library = jobLibrary(campaign);
  if (library !== null && !isMeetingPlace(library)) await letOthersGo(() => library);
}

/** Where nothing of it is left to measure: they have to end well, too, wherever they wait. */
export async function endFollowersOf(campaign: Pick<Campaign, 'batches'>): Promise<void> {
  const library = jobLibrary(campaign);
  if (library !== null) await letOthersGo(() => library);
}

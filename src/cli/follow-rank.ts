/**
 * pi-bench as a rank of a job that a launcher has started: rank 0 is the campaign and speaks for all; the others take
 * part in what it measures, and say nothing.
 */

import { EXIT, messageOf, UserError } from '../errors.js';
import { mpiCaseOf } from '../execution/mpi-ranks.js';
import { follow, joinJob } from '../inspection/mpi-rank.js';
import { isWithin } from '../mpi/choice.js';
import { chooseMpiHere, mpiPlaceHere } from '../mpi/here.js';
import { argumentOf, checkMeetingPlace } from '../mpi/rendezvous.js';
import { native } from '../native.js';
import type { Campaign } from '../record/schema.js';
import { say } from './say.js';

const MILLISECONDS_TO_SPEAK = 1500;

const isOther = (): boolean => (mpiPlaceHere()?.rank ?? 0) > 0;

/** Whether this process is a rank that only follows, as its arguments and its launcher say. */
export const followsArguments = (args: readonly string[]): boolean =>
  isOther() &&
  (argumentOf(args, '--transport') === 'mpi' || argumentOf(args, '--rendezvous') !== undefined) &&
  !args.some((arg) => ['--help', '-h', '--version', '-V'].includes(arg));

/** The library of a campaign in which this process only follows; null: it does not. */
export function followedLibrary({ batches }: Pick<Campaign, 'batches'>): string | null {
  if (!isOther()) return null;
  const cases = batches.flatMap((batch) => mpiCaseOf(batch.case.parameters) ?? []);
  return cases.find(({ launcher }) => isWithin(launcher))?.library ?? null;
}

/** Rank 0 says why, before its launcher ends all of them. */
function leaveSilently(code: number): never {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MILLISECONDS_TO_SPEAK);
  return native().leaveAtOnce(code);
}

function followUntilEnd(library: () => string): void {
  // What a terminal sends to all of them, rank 0 decides upon.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
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

/** Who the ranks of a collective are: how many, where they run, and who starts them, by transport. */
import { ordinalOf } from '../devices/device.js';
import { UserError } from '../errors.js';
import { usableCpus } from '../machine/capacity.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription } from '../machine/types.js';
import { WITHIN } from '../mpi/choice.js';
import { chooseMpiHere, mpiPlaceHere, startsOnlyHere } from '../mpi/here.js';
import { isOfScheduler, type MpiPlace } from '../mpi/place.js';
import { checkMeetingPlace } from '../mpi/rendezvous.js';
import { parseCount } from '../quantities/parse.js';
import { MOST_RANKS } from './collective-cases.js';
import type { Flags } from './indicator.js';

const askedRanks = (flags: Flags): number | null =>
  flags.ranks === undefined ? null : parseCount(String(flags.ranks), '--ranks', MOST_RANKS);

/** @throws UserError where a launcher has started more than a case can have */
function checkSize({ launcher, size }: MpiPlace): void {
  if (size <= MOST_RANKS) return;
  throw new UserError(
    `${launcher} has started ${size} ranks, and a collective takes at most ${MOST_RANKS}: start no more`,
  );
}

/** Ranks on this host. Where nothing says how many there are, they are counted when they have met. */
const perHostOf = (here: number | null): { readonly perHost?: number } =>
  here === null ? {} : { perHost: here };

/** A rank for each process that was told where to meet, each with a GPU of its own. */
function metRanksOf(flags: Flags) {
  const place = mpiPlaceHere();
  if (place === null)
    throw new UserError(
      '--rendezvous takes a process for each rank: say which this one is with --rank and --ranks, or start them with mpirun or srun',
    );
  const asked = askedRanks(flags);
  if (asked !== null && asked !== place.size)
    throw new UserError(
      `--ranks ${asked}, but ${place.launcher} has started ${place.size}: leave --ranks out`,
    );
  checkSize(place);
  return {
    rendezvous: checkMeetingPlace(String(flags.rendezvous)),
    launcher: `${WITHIN}${place.launcher}`,
    ranks: place.size,
    ...perHostOf(place.localSize),
    pin: flags.pin === true,
  };
}

/** A rank for each GPU, from the one that is named on. */
function gpuRanksOf(flags: Flags, { gpus }: MachineDescription) {
  if (flags.rendezvous !== undefined) return metRanksOf(flags);
  const first = ordinalOf(String(flags.device));
  const here = (gpus?.devices ?? []).filter(({ ordinal }) => ordinal >= first).length;
  const ranks = flags.ranks === undefined ? here : parseCount(String(flags.ranks), '--ranks', MOST_RANKS);
  if (ranks > here)
    throw new UserError(
      `--ranks ${ranks} takes a GPU for each from ${flags.device} on, and there ${here === 1 ? 'is' : 'are'} ${here}`,
    );
  return { ranks, pin: flags.pin === true };
}

/** What a case of MPI has beside the others: whose ranks, and by whom they are started. */
function mpiOf(flags: Flags, machine: MachineDescription) {
  const own = mpiPlaceHere();
  // One process that a launcher has started may start others.
  const mayStart = own?.size === 1 && (flags.launcher !== undefined || isOfScheduler(own));
  const place = mayStart ? null : own;
  const asked = askedRanks(flags);
  if (place !== null && asked !== null && asked !== place.size)
    throw new UserError(
      `--ranks ${asked}, but ${place.launcher} has started ${place.size}: leave --ranks out`,
    );
  if (place !== null) checkSize(place);
  const text = (name: string): string | undefined =>
    flags[name] === undefined ? undefined : String(flags[name]);
  const chosen = chooseMpiHere({ library: text('mpi-library'), launcher: text('launcher') }, place);
  const all = place === null ? ranksOf(flags, machine, false).ranks : place.size;
  const here = place === null ? (startsOnlyHere(chosen.launcher) ? all : null) : place.localSize;
  const { pin } = ranksOf({ ...flags, ranks: here ?? all }, machine, here !== null);
  return { ...chosen, ranks: all, pin, ...perHostOf(here) };
}

/** @param allHere whether they are known to share the CPUs of this host */
function ranksOf(
  flags: Flags,
  machine: MachineDescription,
  allHere = true,
): { readonly ranks: number; readonly pin: boolean } {
  const available = usableCpus(machine);
  // Without --ranks a machine of more CPUs is measured, too.
  const ranks = askedRanks(flags) ?? Math.min(MOST_RANKS, Math.max(2, available));
  const cpus = parseCpuList(machine.limits.allowedCpus)?.length ?? available;
  if (allHere && flags.pin === true && ranks > cpus)
    throw new UserError(
      `--pin needs a CPU for each of ${ranks} ranks, and ${cpus} may be used here: leave it out`,
    );
  return { ranks, pin: typeof flags.pin === 'boolean' ? flags.pin : ranks <= available };
}

/** What the flags say of a case's ranks, by its transport. @throws UserError */
export const ranksBy = {
  shm: (flags: Flags, machine: MachineDescription) => ranksOf(flags, machine),
  mpi: mpiOf,
  nccl: gpuRanksOf,
  gloo: (flags: Flags, machine: MachineDescription) => ranksOf(flags, machine),
} as const;

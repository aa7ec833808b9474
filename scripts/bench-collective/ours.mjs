// Our collectives over shared memory for `bench-collective.mjs`, and how near its two CPUs are to each other meanwhile.
//
// The CPUs of a virtual machine are what its host makes of them from one moment to the next: two that shared a cache may
// lie apart a second later, where all that passes between them takes several times as long, for us and for MPI. So the
// time that they take to meet is measured before and after each turn, and turns are compared where it was the same.
import { addon, job, median } from '../lib/measure.mjs';

const RANKS = 2;

const inspected = async (operation, bytes, cpus, options) => {
  const parameters = {
    transport: 'shm',
    operation,
    dtype: 'float32',
    redop: 'sum',
    pattern: 'ring',
    ranks: RANKS,
    root: 0,
    count: bytes / 4,
    inPlace: 0,
    sync: 'barrier',
    fresh: 1,
    workers: 'threads',
    algorithm: '',
    patienceSeconds: 20,
    cpus,
    isa: '',
    seed: 1,
  };
  const outcome = await addon().inspect(job('collective', parameters, options)).result;
  if (outcome.verification?.passed !== true)
    throw new Error(`our own ${operation} is wrong at ${bytes} bytes: ${outcome.verification?.firstWrong}`);
  return outcome;
};

/** Of an all-reduce: its time, its share of the ceiling (null: not known) and its algorithm. */
export async function timeOfOurs(bytes, cpus, seconds) {
  const options = { repetitions: 0, budgetSeconds: seconds, least: 5, most: 20_000 };
  const outcome = await inspected('all-reduce', bytes, cpus, options);
  const time = median(outcome.samples.seconds);
  const { moving } = outcome.ceilings;
  return {
    time,
    share: moving === undefined ? null : moving.bytes / moving.rate / time,
    how: outcome.implementation.split(/, (?:chose )?/).at(-1),
  };
}

/** Seconds that the CPUs take to meet. */
export async function meetingTime(cpus) {
  const options = { repetitions: 0, budgetSeconds: 0.01, least: 50, most: 2_000 };
  return median((await inspected('barrier', 0, cpus, options)).samples.seconds);
}

/**
 * Labels turns by what was seen before and after them: `near`, `far` (more than twice the shortest time to meet of
 * all), or `moved`, where it changed.
 * @template {{ before: number, after: number }} Turn
 * @param {readonly Turn[]} turns
 */
export function labelled(turns) {
  const nearest = Math.min(...turns.flatMap(({ before, after }) => [before, after]));
  const labelOf = (time) => (time > 2 * nearest ? 'far' : 'near');
  return turns.map((turn) => {
    const [before, after] = [labelOf(turn.before), labelOf(turn.after)];
    return { ...turn, label: before === after ? before : 'moved' };
  });
}

/**
 * A rank of an MPI job, started by a launcher, or below a rank that one has started: `mpi-worker LIBRARY RANKS`. The
 * one with rank 0 reads jobs from its standard input and speaks on its standard output, which launchers pass on.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { mpiPlaceHere } from '../mpi/here.js';
import { native } from '../native.js';
import { type Job, type Order, type Report, SPOKEN } from './job.js';
import { follow, giveUp, joinJob, lead, type Measuring, type Rank } from './mpi-rank.js';

const MILLISECONDS_TO_SPEAK = 2500;

const [library = '', ranks = '1'] = process.argv.slice(2);

function report(message: Report): void {
  try {
    writeSync(1, `${SPOKEN}${JSON.stringify(message)}\n`);
  } catch {
    // Nobody listens any more: the document is what counts.
  }
}

native().dieWithParent();
// A terminal sends Ctrl-C, and its end, to the whole group; the campaign decides what it means and says so.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});

function join(): Rank {
  try {
    return joinJob(library, Number(ranks));
  } catch (error) {
    if ((mpiPlaceHere()?.rank ?? 0) === 0) return giveUp(error, report);
    // A launcher ends all ranks as soon as one has failed: rank 0 has to say why before.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MILLISECONDS_TO_SPEAK);
    return native().leaveAtOnce(1);
  }
}

function takeJobs(rank: Rank): void {
  let measuring: Measuring | null = null;
  let work = Promise.resolve();
  let cancelled = false;
  let ending = false;
  const end = (): void => {
    native().mpiTell('');
    native().mpiEnd();
    process.exit(0);
  };
  const carryOut = (job: Job): Promise<void> => {
    measuring = lead(rank, job, report);
    // Somebody may have been in a hurry.
    if (cancelled) measuring.cancel();
    return measuring.ended;
  };
  const orders = createInterface({ input: process.stdin });
  orders.on('line', (line) => {
    const message = JSON.parse(line) as Job | Order;
    if (!('order' in message))
      work = work.then(() => carryOut(message)).catch((error) => giveUp(error, report));
    else if (message.order === 'cancel') {
      cancelled = true;
      measuring?.cancel();
    } else {
      ending = true;
      void work.then(end);
    }
  });
  // Whoever gave the orders is gone, and whoever comes next must have the machine, and the files, for himself.
  orders.on('close', () => {
    if (!ending) native().leaveAtOnce(1);
  });
}

const rank = join();
if (rank.world.rank === 0) {
  report({ event: 'joined', world: rank.world });
  takeJobs(rank);
} else {
  follow(rank);
  process.exit(0);
}

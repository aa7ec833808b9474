// npm run bench:collective [-- --sizes 8,4096 --rounds 7 --seconds 0.3]: our all-reduce over shared memory (2 ranks, float32
// sum) against Open MPI and MPICH over our own mpi transport, where they are installed, in turns; that transport against a C
// program that calls them; and, beside all targets, Gloo over our own gloo transport, where its plugin is built. In each round
// every size is measured once with each of them, in an order drawn anew; compared are the ratios of one round: the faster MPI's
// time / ours. `open`: the 95 % interval holds the target. What is compared: ours reads and writes buffers that its ranks share,
// as threads or by allocation; MPI has to take any memory, and is called as any program calls it, with the library's own choice
// of algorithm and one CPU for each rank.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coresHere } from '../dist/cli/here.js';
import { placeThreads } from '../dist/execution/placement.js';
import { formatSeconds } from '../dist/quantities/format.js';
import { candidates, gloo, timeOfMpi, timeOfTransport } from './bench-collective/libraries.mjs';
import { addon, intervalOf, job, median } from './lib/measure.mjs';

const RANKS = 2;
const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [8, 4 * KIB, 32 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB];
const SHARE_OF_CEILING = 0.95;
const AGREEMENT = 0.1;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: SIZES.join(',') },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '0.3' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

/** How many times faster than the faster of the libraries, by size; null: no target. */
function targetOf(bytes) {
  if (bytes === 8) return 1.7;
  if (bytes >= 4 * KIB && bytes <= 256 * KIB) return 4;
  if (bytes >= MIB && bytes <= 16 * MIB) return 2.5;
  return bytes === 64 * MIB ? 5 : null;
}

async function timeOfOurs(bytes, cpus) {
  const parameters = {
    transport: 'shm',
    operation: 'all-reduce',
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
  const options = { repetitions: 0, budgetSeconds: seconds, least: 5, most: 20_000 };
  const outcome = await addon().inspect(job('collective', parameters, options)).result;
  if (outcome.verification?.passed !== true)
    throw new Error(`our own result is wrong at ${bytes} bytes: ${outcome.verification?.firstWrong}`);
  const time = median(outcome.samples.seconds);
  const { moving } = outcome.ceilings;
  return {
    time,
    share: moving === undefined ? null : moving.bytes / moving.rate / time,
    how: outcome.implementation.split(/, (?:chose )?/).at(-1),
  };
}

function shuffled(items) {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

const verdict = (ratios, target) => {
  if (target === null) return '';
  const [low, high] = intervalOf(ratios);
  if (median(ratios) >= target) return 'meets';
  return low < target && high >= target ? 'open' : 'MISSES';
};

/** Our mpi transport beside the C program, from the size on where the two kinds of barrier before a call do not matter. */
function printAgreement(name) {
  process.stdout.write(
    `\n${name}: our mpi transport / a C program that calls it (within ${AGREEMENT * 100} % from 4 KiB to 16 MiB)\n`,
  );
  let missed = 0;
  for (const [bytes, some] of found) {
    const ratios = some.map(({ times, plain }) => times[name] / plain[name]);
    const [low, high] = intervalOf(ratios);
    const counts = bytes >= 4 * KIB && bytes <= 16 * MIB;
    const agrees = Math.abs(median(ratios) - 1) <= AGREEMENT;
    const open = low <= 1 + AGREEMENT && high >= 1 - AGREEMENT;
    const said = !counts ? '' : agrees ? 'agrees' : open ? 'open' : 'DIFFERS';
    if (said === 'DIFFERS') missed += 1;
    const text = (which) => formatSeconds(median(some.map((one) => one[which][name])), 3).padStart(9);
    process.stdout.write(
      `${String(bytes).padStart(9)}  ${text('times')}  ${text('plain')}  ${median(ratios).toFixed(2)}  ${`${low.toFixed(2)} to ${high.toFixed(2)}`.padEnd(14)}  ${said}\n`,
    );
  }
  return missed;
}

const cpus = placeThreads(coresHere(), RANKS);
if (cpus === null) throw new Error(`${RANKS} ranks need as many CPUs, and fewer may be used here`);
const folder = mkdtempSync(join(tmpdir(), 'pi-bench-collective-'));
const found = new Map(sizes.map((bytes) => [bytes, []]));
try {
  const mpis = candidates(folder, RANKS);
  const others = gloo(RANKS);
  const libraries = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const bytes of shuffled(sizes)) {
      /** Over our mpi transport, and by the C program. */
      const [times, plain] = [{}, {}];
      let ours;
      const turns = [
        async () => {
          ours = await timeOfOurs(bytes, cpus);
        },
        ...mpis.flatMap((one) => [
          () => {
            times[one.name] = timeOfTransport(one, bytes);
          },
          () => {
            const { time, library } = timeOfMpi(one, bytes, seconds);
            plain[one.name] = time;
            libraries.set(one.name, library);
          },
        ]),
        ...others.map((one) => () => {
          times[one.name] = timeOfTransport(one, bytes);
        }),
      ];
      for (const turn of shuffled(turns)) await turn();
      found.get(bytes).push({ ours, times, plain });
    }
  }
  process.stdout.write(
    `all-reduce float32 sum, ${RANKS} ranks, ${rounds} rounds in turns; ${[...libraries.values()].join(', ')}\n\n`,
  );
  const names = mpis.map(({ name }) => name);
  const shown = [...names, ...others.map(({ name }) => name)];
  process.stdout.write(
    `${'bytes'.padStart(9)}  ${'ours'.padStart(9)}  ${shown.map((name) => name.padStart(9)).join('  ')}  ${'x faster'.padStart(8)}  ${'95 %'.padEnd(14)}  target  ${''.padEnd(6)}  of ceiling  algorithm\n`,
  );
  let missed = 0;
  for (const [bytes, some] of found) {
    const times = shown.map((name) => median(some.map((one) => one.times[name])));
    const ratios = some.map(
      ({ ours, times: all }) => Math.min(...names.map((name) => all[name])) / ours.time,
    );
    const target = targetOf(bytes);
    const compared = names.length > 0;
    const [low, high] = compared ? intervalOf(ratios) : [0, 0];
    const said = compared ? verdict(ratios, target) : '';
    const shares = some.flatMap(({ ours }) => ours.share ?? []);
    const share = shares.length === 0 ? null : median(shares);
    const under = bytes >= 4 * MIB && share !== null && share < SHARE_OF_CEILING;
    if (said === 'MISSES' || under) missed += 1;
    const text = (value) => formatSeconds(value, 3).padStart(9);
    process.stdout.write(
      `${String(bytes).padStart(9)}  ${text(median(some.map(({ ours }) => ours.time)))}  ${times.map(text).join('  ')}  ${(compared ? median(ratios).toFixed(2) : '').padStart(8)}  ${(compared ? `${low.toFixed(2)} to ${high.toFixed(2)}` : '').padEnd(14)}  ${String(target ?? '').padStart(6)}  ${said.padEnd(6)}  ${(share === null ? '' : `${(share * 100).toFixed(1)} %`).padStart(10)}${under ? ' <' : '  '} ${some.at(-1).ours.how}\n`,
    );
  }
  process.stdout.write(
    `\n< under the target of ${SHARE_OF_CEILING} of the ceiling: passes of both ranks over memory of their own, whose inputs are rewritten as the all-reduce’s are, in the same launch\n`,
  );
  for (const name of names) missed += printAgreement(name);
  if (missed > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

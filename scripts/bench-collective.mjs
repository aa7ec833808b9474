// npm run bench:collective [-- --sizes 8,4096 --rounds 7 --seconds 0.3 --imb FILE --osu FILE --threads serialized]: our
// all-reduce over shared memory (2 ranks, float32 sum) against Open MPI and MPICH over our own mpi transport, where they are
// installed, in turns; that transport against a C program that calls them, and against each IMB-MPI1 or osu_allreduce that is
// named; and, beside all targets, Gloo over our own gloo transport, where its plugin is built. All of these programs ask MPI
// for the level of threads that our ranks need, which are processes of several threads, or for `--threads single`. In each round
// every size is measured once with each of them, in an order drawn anew; compared are the ratios of one round: the faster MPI's
// time / ours. A target is met or missed where all of the 95 % interval is on that side of it (verdicts.mjs). Compared are only
// turns in which the two CPUs were equally near to each other (ours.mjs), and rows are apart where that changed in between. What
// is compared: ours reads and writes buffers that its ranks share, as threads or by allocation; MPI has to take any memory, and
// is called as any program calls it, with the library's own choice of algorithm and one CPU for each rank.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coresHere } from '../dist/cli/here.js';
import { placeThreads } from '../dist/execution/placement.js';
import { formatSeconds } from '../dist/quantities/format.js';
import { benchmarks } from './bench-collective/benchmarks.mjs';
import {
  candidates,
  gloo,
  rankTimesOfTransport,
  THREAD_NAMES,
  timeOfMpi,
  timeOfTransport,
} from './bench-collective/libraries.mjs';
import { labelled, meetingTime, timeOfOurs } from './bench-collective/ours.mjs';
import { AGREEMENT, againstTarget, agreement, intervalText } from './bench-collective/verdicts.mjs';
import { shuffled } from './lib/draw.mjs';
import { orEnd, positiveNumber, readFlags, wholeNumber, wholeNumbers } from './lib/flags.mjs';
import { median } from './lib/measure.mjs';

const RANKS = 2;
const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [8, 4 * KIB, 32 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB];
const SHARE_OF_CEILING = 0.95;

const USAGE = `npm run bench:collective -- [flags]: our all-reduce beside Open MPI's, MPICH's and Gloo's
  --sizes LIST    bytes: 8 to 64 MiB
  --rounds N      7
  --seconds S     of a turn: 0.3
  --threads NAME  of MPI: serialized, single
  --imb FILE      an IMB-MPI1 to agree with; several times for several
  --osu FILE      an osu_allreduce, likewise
`;
const values = readFlags(USAGE, {
  sizes: { type: 'string', default: SIZES.join(',') },
  rounds: { type: 'string', default: '7' },
  seconds: { type: 'string', default: '0.3' },
  threads: { type: 'string', default: 'serialized' },
  imb: { type: 'string', multiple: true },
  osu: { type: 'string', multiple: true },
});
const { threads } = values;
const { sizes, rounds, seconds } = orEnd(() => {
  if (!THREAD_NAMES.includes(threads))
    throw new Error(`--threads takes ${THREAD_NAMES.join(' or ')}, not ${threads}`);
  return {
    sizes: wholeNumbers('--sizes', values.sizes),
    rounds: wholeNumber('--rounds', values.rounds),
    seconds: positiveNumber('--seconds', values.seconds),
  };
});

/** How many times faster than the faster of the libraries, by size; null: no target. */
function targetOf(bytes) {
  if (bytes === 8) return 1.7;
  if (bytes >= 4 * KIB && bytes <= 256 * KIB) return 4;
  if (bytes >= MIB && bytes <= 16 * MIB) return 2.5;
  return bytes === 64 * MIB ? 5 : null;
}

/**
 * Our mpi transport beside another caller of the same library, from the size on where the two kinds of barrier before a call
 * do not matter.
 * @param pick of a round, the turns that are compared
 * @param timesOf the values of these turns, in seconds
 */
function printAgreement(title, pick, timesOf) {
  process.stdout.write(`\n${title} (within ${AGREEMENT * 100} % from 4 KiB to 16 MiB)\n`);
  let missed = 0;
  for (const [bytes, some] of found) {
    const alike = some.map(pick).filter(inOne);
    if (alike.length === 0) continue;
    const times = alike.map((turns) => timesOf(...turns.map(({ value }) => value)));
    const ratios = times.map(([ours, theirs]) => ours / theirs);
    const counts = bytes >= 4 * KIB && bytes <= 16 * MIB;
    const said = counts ? agreement(ratios) : '';
    if (said === 'DIFFERS') missed += 1;
    const text = (which) => formatSeconds(median(times.map((pair) => pair[which])), 3).padStart(9);
    process.stdout.write(
      `${String(bytes).padStart(9)}  ${text(0)}  ${text(1)}  ${median(ratios).toFixed(2)}  ${intervalText(ratios).padEnd(14)}  ${said}\n`,
    );
  }
  return missed;
}

/** Whether the CPUs were equally near in all of these turns, and in one of them alone. */
const inOne = (turns) => turns.every(({ label }) => label !== 'moved' && label === turns[0].label);

const cpus = placeThreads(coresHere(), RANKS);
if (cpus === null) throw new Error(`${RANKS} ranks need as many CPUs, and fewer may be used here`);
const folder = mkdtempSync(join(tmpdir(), 'pi-bench-collective-'));
const found = new Map(sizes.map((bytes) => [bytes, []]));
try {
  const mpis = candidates({ folder, ranks: RANKS, threads });
  const programs = benchmarks(values, mpis, { folder, ranks: RANKS, threads });
  const alsoClean = mpis.filter(({ name }) => programs.some((one) => one.name === name));
  const others = gloo(RANKS);
  const libraries = new Map();
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    for (const bytes of shuffled(sizes, Math.random)) {
      const turns = [
        { of: 'ours', name: 'ours', take: () => timeOfOurs(bytes, cpus, seconds) },
        ...mpis.flatMap((one) => [
          { of: 'times', name: one.name, take: () => timeOfTransport(one, bytes) },
          {
            of: 'plain',
            name: one.name,
            take: () => {
              const { time, library } = timeOfMpi(one, bytes, seconds);
              libraries.set(one.name, library);
              return time;
            },
          },
        ]),
        ...others.map((one) => ({ of: 'beside', name: one.name, take: () => timeOfTransport(one, bytes) })),
        ...alsoClean.map((one) => ({
          of: 'clean',
          name: one.name,
          take: () => rankTimesOfTransport(one, bytes),
        })),
        ...programs.map(({ kind, name, take }) => ({ of: kind, name, take: () => take(bytes) })),
      ];
      let before = await meetingTime(cpus);
      for (const { of, name, take } of shuffled(turns, Math.random)) {
        const value = await take();
        const after = await meetingTime(cpus);
        taken.push({ bytes, round, of, name, value, before, after });
        before = after;
      }
    }
  }
  for (const turn of labelled(taken)) {
    const those = found.get(turn.bytes);
    those[turn.round] ??= { times: {}, plain: {}, beside: {}, clean: {}, IMB: {}, OSU: {} };
    if (turn.of === 'ours') those[turn.round].ours = turn;
    else those[turn.round][turn.of][turn.name] = turn;
  }
  process.stdout.write(
    `all-reduce float32 sum, ${RANKS} ranks, ${rounds} rounds in turns; ${[...libraries.values()].join(', ')}; threads: ${threads}\n\n`,
  );
  const names = mpis.map(({ name }) => name);
  process.stdout.write(
    `${'bytes'.padStart(9)}  ${'CPUs meet in'.padEnd(14)}  rounds  ${'ours'.padStart(9)}  ${[...names, ...others.map(({ name }) => name)].map((name) => name.padStart(9)).join('  ')}  ${'x faster'.padStart(8)}  ${'95 %'.padEnd(14)}  target  ${''.padEnd(6)}  of ceiling  ${''.padEnd(6)}  algorithm\n`,
  );
  let missed = 0;
  for (const [bytes, all] of found) {
    for (const label of ['near', 'far']) {
      const ours = all.flatMap((one) => (one.ours.label === label ? one.ours.value : []));
      if (ours.length === 0) continue;
      const meeting = all.flatMap(({ ours: { label: own, before, after } }) =>
        own === label ? [before, after] : [],
      );
      const some = all.filter(
        (one) => one.ours.label === label && inOne([one.ours, ...Object.values(one.times)]),
      );
      const compared = names.length > 0 && some.length > 0;
      const ratios = some.map(
        (one) => Math.min(...Object.values(one.times).map(({ value }) => value)) / one.ours.value.time,
      );
      const target = targetOf(bytes);
      const said = compared && target !== null ? againstTarget(ratios, target) : '';
      const shares = ours.flatMap(({ share }) => share ?? []);
      const share = shares.length === 0 ? null : median(shares);
      const ofCeiling = bytes < 4 * MIB || shares.length === 0 ? '' : againstTarget(shares, SHARE_OF_CEILING);
      if (said === 'MISSES' || ofCeiling === 'MISSES') missed += 1;
      const text = (value) => formatSeconds(value, 3).padStart(9);
      const times = names.map((name) =>
        compared ? text(median(some.map((one) => one.times[name].value))) : ''.padStart(9),
      );
      const beside = others.map(({ name }) => {
        const those = all.flatMap((one) => (one.beside[name].label === label ? one.beside[name].value : []));
        return those.length === 0 ? ''.padStart(9) : text(median(those));
      });
      process.stdout.write(
        `${String(bytes).padStart(9)}  ${`${label} ${formatSeconds(median(meeting), 2)}`.padEnd(14)}  ${String(some.length).padStart(6)}  ${text(median(ours.map(({ time }) => time)))}  ${[...times, ...beside].join('  ')}  ${(compared ? median(ratios).toFixed(2) : '').padStart(8)}  ${(compared ? intervalText(ratios) : '').padEnd(14)}  ${String(target ?? '').padStart(6)}  ${said.padEnd(6)}  ${(share === null ? '' : `${(share * 100).toFixed(1)} %`).padStart(10)}  ${ofCeiling.padEnd(6)}  ${ours.at(-1).how}\n`,
      );
    }
  }
  const moved = labelled(taken).filter(({ label }) => label === 'moved').length;
  process.stdout.write(
    `\nCPUs meet in: a barrier before and after each turn (far: more than twice the shortest of all); rounds: in which all turns had them so. Of ${taken.length} turns they moved in ${moved}, which count nowhere.\n`,
  );
  process.stdout.write(
    `\nof ceiling: target ${SHARE_OF_CEILING}, from 4 MiB on; passes of both ranks over memory of their own, whose inputs are rewritten as the all-reduce’s are, in the same launch\n\n95 %: exact order statistics, at the least 95 %, which fewer than 6 rounds have not (few); meets, MISSES: all of it is on that side of the target; open: the target lies inside\n`,
  );
  for (const name of names)
    missed += printAgreement(
      `${name}: our mpi transport / a C program that calls it`,
      (round) => [round.times[name], round.plain[name]],
      (ours, theirs) => [ours, theirs],
    );
  for (const { kind, name, figure, ofTimes } of programs)
    missed += printAgreement(
      `${name}: our mpi transport / ${kind}’s all-reduce, both with inputs that nobody rewrites; ${figure}`,
      (round) => [round.clean[name], round[kind][name]],
      (ours, { time, repetitions }) => [ofTimes(ours, RANKS, repetitions), time],
    );
  if (missed > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// Others' benchmarks of MPI for `bench-collective.mjs`, where somebody has built them: the Intel MPI Benchmarks (IMB-MPI1)
// and OSU's (osu_allreduce, of version 7.3 or later). Both begin each call together by a barrier and never rewrite what is
// reduced. Each prints another figure of its ranks' times; the same is made here of the times that ours keeps.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../lib/measure.mjs';
import { MPI_LIBRARIES } from '../lib/mpi-libraries.mjs';

const MICROSECOND = 1e-6;
/**
 * IMB prints means, which one interruption of milliseconds doubles: so it makes many short ones, the median of which counts.
 * Of the largest sizes as many repetitions as these MiB come to.
 */
const IMB_MEANS = 9;
const IMB_ITERATIONS = ['-iter', '250,200', '-time', '1'];

/**
 * @typedef {object} Printed what such a program says of one size
 * @property {number} time in seconds
 * @property {number} repetitions that are in it
 */

/** Rows of whole and decimal numbers, below a line that names their columns. */
function rowsBelow(text, heading) {
  const lines = text.split('\n').map((line) => line.trim());
  const at = lines.findIndex((line) => heading.test(line));
  return lines
    .slice(at + 1)
    .filter((line) => at >= 0 && /^\d+(\s+[\d.]+)+$/.test(line))
    .map((line) => line.split(/\s+/).map(Number));
}

/**
 * Of what IMB-MPI1 prints for Allreduce: the greatest of the ranks' means, in the median of all rows of a size.
 * @returns {Printed | undefined}
 */
export function readImb(text, bytes) {
  const rows = rowsBelow(text, /^#bytes\s+#repetitions\s+t_min\[usec\]\s+t_max\[usec\]/).filter(
    ([size]) => size === bytes,
  );
  if (rows.length === 0) return undefined;
  return { time: median(rows.map((row) => row[3])) * MICROSECOND, repetitions: rows[0][1] };
}

/**
 * Of what `osu_allreduce -f -z50` prints: the median of the means over ranks.
 * @returns {Printed | undefined}
 */
export function readOsu(text, bytes) {
  const heading =
    /^# Size\s+Avg Latency\(us\)\s+Min Latency\(us\)\s+Max Latency\(us\)\s+Iterations\s+P50 Tail Lat\(us\)$/;
  const row = rowsBelow(text, heading).find(([size]) => size === bytes);
  return row && { time: row[5] * MICROSECOND, repetitions: row[4] };
}

/** The MPI library that a program is linked to, by what `ldd` prints of it. */
export const linkedMpi = (said) => MPI_LIBRARIES.find(({ soname }) => said.includes(`${soname} =>`));

/**
 * As IMB reckons: the greatest of the ranks' means over as many repetitions in a row, in the median of all such rows.
 * @param {ArrayLike<number>} times of each repetition and rank, repetition by repetition
 */
export function slowestMean(times, ranks, repetitions) {
  const row = Math.min(repetitions, times.length / ranks);
  const means = [];
  for (let begin = 0; begin + row * ranks <= times.length; begin += row * ranks) {
    const sums = new Array(ranks).fill(0);
    for (let i = 0; i < row * ranks; i++) sums[i % ranks] += times[begin + i];
    means.push(Math.max(...sums) / row);
  }
  return median(means);
}

/** As OSU's reckons: the median of the means over ranks. */
export function medianMean(times, ranks) {
  const means = new Array(times.length / ranks).fill(0);
  for (let i = 0; i < times.length; i++) means[Math.floor(i / ranks)] += times[i] / ranks;
  return median(means);
}

const PROGRAMS = {
  IMB: {
    figure: 'the mean of the slowest rank',
    read: readImb,
    ofTimes: slowestMean,
    argumentsFor: (bytes, { folder, ranks, threads }) => {
      const lengths = join(folder, 'lengths');
      writeFileSync(lengths, `${bytes}\n`.repeat(IMB_MEANS));
      // It cuts lengths off at 4 MiB unless this says otherwise.
      const size = ['-npmin', String(ranks), '-msglog', '0:30', '-msglen', lengths];
      return ['Allreduce', ...size, ...IMB_ITERATIONS, '-thread_level', threads];
    },
  },
  OSU: {
    figure: 'the median of the ranks’ mean',
    read: readOsu,
    ofTimes: medianMean,
    argumentsFor: (bytes) => ['-f', '-z50', '-T', 'mpi_float', '-m', `${bytes}:${bytes}`],
  },
};

/**
 * @param {'IMB' | 'OSU'} kind
 * @param {string} file
 * @param {readonly { name: string, command: string, launch: readonly string[], env: NodeJS.ProcessEnv }[]} mpis those that are compared
 */
function foundBenchmark(kind, file, mpis, { folder, ranks, threads }) {
  const { status, stdout, stderr } = spawnSync('ldd', [file], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`--${kind.toLowerCase()} ${file} is no program: ${(stderr || stdout).trim()}`);
  const name = linkedMpi(stdout)?.name;
  const mpi = mpis.find((one) => one.name === name);
  if (mpi === undefined)
    throw new Error(
      `--${kind.toLowerCase()} ${file} is linked to ${name ?? 'no MPI that is known'}, which is not compared here: build it with ${MPI_LIBRARIES.map(({ compiler }) => compiler).join(' or ')}`,
    );
  const { figure, read, ofTimes, argumentsFor } = PROGRAMS[kind];
  /** @returns {Printed} */
  const take = (bytes) => {
    const args = [...mpi.launch, file, ...argumentsFor(bytes, { folder, ranks, threads })];
    const done = spawnSync(mpi.command, args, { encoding: 'utf8', env: mpi.env, timeout: 60_000 });
    const printed = done.status === 0 ? read(done.stdout, bytes) : undefined;
    if (printed === undefined)
      throw new Error(`${kind} of ${name} printed nothing for ${bytes} bytes: ${done.stderr}${done.stdout}`);
    return printed;
  };
  return { kind, name, figure, ofTimes, take };
}

/**
 * Those that were given, each with the library that it is linked to.
 * @param {{ imb?: readonly string[], osu?: readonly string[] }} files
 */
export const benchmarks = ({ imb = [], osu = [] }, mpis, options) => [
  ...imb.map((file) => foundBenchmark('IMB', file, mpis, options)),
  ...osu.map((file) => foundBenchmark('OSU', file, mpis, options)),
];

// The libraries that `bench-collective.mjs` compares with: MPI's, each called by a plain C program and by our own mpi transport;
// Gloo, by our own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromNpy } from '../../dist/store/npy.js';
import { unzip } from '../../dist/store/zip.js';
import { GLOO_NEEDED, glooPluginThere } from '../lib/gloo-plugin.mjs';
import { MPI_LIBRARIES, programFile } from '../lib/mpi-libraries.mjs';
import { packageRoot } from '../lib/tree.mjs';

/** What a program gets that calls MPI_Init: the variable that says so, and its values. Numbers are those of MPI_Query_thread. */
const THREAD_LEVELS = {
  'Open MPI': { variable: 'OMPI_MPI_THREAD_LEVEL', single: '0', serialized: '2' },
  MPICH: {
    variable: 'MPIR_CVAR_DEFAULT_THREAD_LEVEL',
    single: 'MPI_THREAD_SINGLE',
    serialized: 'MPI_THREAD_SERIALIZED',
  },
};
const THREADS = { single: 0, serialized: 2 };
/** By the names of `-thread_level` of IMB. */
export const THREAD_NAMES = Object.keys(THREADS);

/**
 * Compiles the program for each library that is there.
 * @param {{ folder: string, ranks: number, threads: string }} options
 */
export function candidates({ folder, ranks, threads }) {
  return MPI_LIBRARIES.flatMap(({ name, compiler, headers, launcher, bind, environment }) => {
    const [cc, mpirun] = [programFile(compiler), programFile(launcher)];
    if (cc === undefined || mpirun === undefined) {
      process.stdout.write(`${name}: not compared, ${compiler} or ${launcher} is not installed\n`);
      return [];
    }
    const program = join(folder, launcher);
    const source = join(packageRoot, 'scripts', 'bench-collective', 'mpi.c');
    const built = spawnSync(cc, ['-O3', source, '-o', program], { encoding: 'utf8' });
    if (built.status !== 0) {
      const why = built.stderr.split('\n').find((line) => line.includes('error')) ?? `status ${built.status}`;
      process.stdout.write(
        `${name}: not compared, ${compiler} cannot compile what calls it (Debian has its headers in ${headers}): ${why}\n`,
      );
      return [];
    }
    const transport = ['--transport', 'mpi', '--launcher', mpirun];
    const level = { [THREAD_LEVELS[name].variable]: THREAD_LEVELS[name][threads] };
    const env = { ...process.env, ...environment, ...level };
    const launch = [...bind, '-np', String(ranks)];
    return [{ name, ranks, threads, transport, command: mpirun, launch, program, env }];
  });
}

/** Gloo where it is installed and its plugin built: shown beside, for its ranks talk over TCP. */
export function gloo(ranks) {
  if (glooPluginThere()) return [{ name: 'Gloo', ranks, transport: ['--transport', 'gloo'] }];
  process.stdout.write(
    `Gloo: not compared, its plugin is not built (npm run build:plugins, with ${GLOO_NEEDED})\n`,
  );
  return [];
}

export function timeOfMpi({ name, ranks, threads, command, launch, program, env }, bytes, seconds) {
  const done = spawnSync(command, [...launch, program, String(bytes), String(seconds)], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  });
  if (done.status !== 0) throw new Error(`${name} ended with ${done.status ?? done.signal}: ${done.stderr}`);
  const said = JSON.parse(done.stdout);
  if (said.ranks !== ranks) throw new Error(`${name} ran ${said.ranks} ranks instead of ${ranks}`);
  if (said.threads !== THREADS[threads])
    throw new Error(`${name} was asked for the level ${THREADS[threads]} of threads and has ${said.threads}`);
  if (said.wrong > 0) throw new Error(`${name} gave ${said.wrong} wrong elements at ${bytes} bytes`);
  return { time: said.median, library: said.library };
}

/** Why launches of a record were not measured. */
const reasonsIn = (text) =>
  text === ''
    ? ''
    : JSON.parse(text)
        .batches.flatMap(({ inspections }) => inspections.map(({ reason }) => reason))
        .join('; ');

/** The record of the same call by one of pi-bench's own transports, in a launch of its own; its ranks bind their measuring threads. */
function launched({ name, ranks, transport }, bytes, out, more = []) {
  const what = ['collective', 'all-reduce', ...transport, '--ranks', String(ranks), '--bytes', String(bytes)];
  const how = ['--inspections', '1', '--json', '--quiet', '--no-wait', '--out', out, ...more];
  const done = spawnSync(process.execPath, [join(packageRoot, 'bin', 'pi-bench.mjs'), ...what, ...how], {
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 2 ** 28,
  });
  if (done.status !== 0)
    throw new Error(
      `pi-bench over ${name} ended with ${done.status}: ${done.stderr} ${reasonsIn(done.stdout)}`,
    );
  return JSON.parse(done.stdout);
}

function withFolder(use) {
  const out = mkdtempSync(join(tmpdir(), 'pi-bench-collective-'));
  try {
    return use(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The median of the slowest rank's times. */
export const timeOfTransport = (one, bytes) =>
  withFolder((out) => launched(one, bytes, out).batches[0].elapsed.median);

/** Seconds of each repetition and rank, repetition by repetition, of inputs that are never rewritten, as others' benchmarks leave them. */
export const rankTimesOfTransport = (one, bytes) =>
  withFolder((out) => {
    launched(one, bytes, out, ['--inputs', 'clean']);
    const [campaign = ''] = readdirSync(out);
    const samples = unzip(readFileSync(join(out, campaign, 'inspections', '0.npz')));
    const times = samples.find(({ name }) => name === 'rank_elapsed_ns.npy');
    if (times === undefined) throw new Error(`pi-bench over ${one.name} kept no times of its ranks`);
    return fromNpy(times.bytes).map((nanoseconds) => nanoseconds * 1e-9);
  });

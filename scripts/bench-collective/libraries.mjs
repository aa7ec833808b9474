// The libraries that `bench-collective.mjs` compares with: MPI's, each called by a plain C program and by our own mpi transport;
// Gloo, by our own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GLOO_NEEDED, glooPluginThere } from '../lib/gloo-plugin.mjs';
import { MPI_LIBRARIES, programFile } from '../lib/mpi-libraries.mjs';
import { packageRoot } from '../lib/tree.mjs';

/** Compiles the program for each library that is there. */
export function candidates(folder, ranks) {
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
    const all = [...bind, '-np', String(ranks), program];
    return [{ name, ranks, transport, command: mpirun, args: all, environment }];
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

export function timeOfMpi({ name, ranks, command, args, environment }, bytes, seconds) {
  const done = spawnSync(command, [...args, String(bytes), String(seconds)], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 60_000,
  });
  if (done.status !== 0) throw new Error(`${name} ended with ${done.status ?? done.signal}: ${done.stderr}`);
  const said = JSON.parse(done.stdout);
  if (said.ranks !== ranks) throw new Error(`${name} ran ${said.ranks} ranks instead of ${ranks}`);
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

/** The same call by one of pi-bench's own transports, in a launch of its own; its ranks bind their measuring threads. */
export function timeOfTransport({ name, ranks, transport }, bytes) {
  const out = mkdtempSync(join(tmpdir(), 'pi-bench-collective-'));
  const what = ['collective', 'all-reduce', ...transport, '--ranks', String(ranks)];
  const how = [
    '--bytes',
    String(bytes),
    '--inspections',
    '1',
    '--json',
    '--quiet',
    '--no-wait',
    '--out',
    out,
  ];
  try {
    const done = spawnSync(process.execPath, [join(packageRoot, 'bin', 'pi-bench.mjs'), ...what, ...how], {
      encoding: 'utf8',
      timeout: 120_000,
      maxBuffer: 2 ** 28,
    });
    if (done.status !== 0)
      throw new Error(
        `pi-bench over ${name} ended with ${done.status}: ${done.stderr} ${reasonsIn(done.stdout)}`,
      );
    return JSON.parse(done.stdout).batches[0].elapsed.median;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInstalled, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import { programFile } from '../../src/programs.js';
import { secondLaunch, twoRanks } from '../support/mpi.js';
import { piBench, printedRecord, readRecordFile, withFolder } from '../support/pi-bench.js';

const STARTS = 300;
const COLLECTIVE = ['collective', 'all-reduce', '--transport', 'mpi'];
const QUIET = ['--no-wait', '--quiet'];

for (const mpi of MPI_LIBRARIES) {
  describe.skipIf(!isInstalled(mpi))(
    `${mpi.name} (skipped where ${mpi.launcher} or ${mpi.soname} is not installed)`,
    () => {
      const { library, env, argumentsFor, piBench: within } = twoRanks(mpi);

      it(`starts ${STARTS} jobs of two ranks, of which none ends before it is asked to`, () => {
        const worker = programFile('inspection/mpi-worker');
        const args = argumentsFor(worker, library, '2');
        const bad = Array.from({ length: STARTS }, () => {
          const input = '{"order":"end"}\n';
          const run = spawnSync(mpi.launcher, args, { env, input, encoding: 'utf8', timeout: 60_000 });
          return run.status === 0 ? [] : [`${run.status ?? run.signal}: ${run.stdout}${run.stderr}`];
        }).flat();
        expect(bad).toEqual([]);
      });

      it('has one rank of a job killed: resumed in a new job, the campaign has all of its launches', () =>
        withFolder(async (out) => {
          const what = [...COLLECTIVE, '--bytes', '4MiB', '--duration', '3s', '--inspections', '2'];
          const { child, ended } = within(...what, ...QUIET, '--out', out);
          const { folder, pid } = await secondLaunch(out, child, 'pi-bench.mjs');
          process.kill(pid, 'SIGKILL');
          expect((await ended).code).not.toBe(0);

          const alone = await piBench('resume', folder, ...QUIET);
          expect(alone.stderr).toMatch(
            /begun within \S+ with 2 ranks, and no launcher has started this process: finish it with mpirun -np 2 pi-bench resume/,
          );
          expect(alone.code).toBe(64);

          const resumed = await within('resume', folder, ...QUIET).ended;
          expect(resumed.stderr).toBe('');
          expect(resumed.code).toBe(0);
          const { batches, status } = readRecordFile(folder);
          expect(status).toBe('complete');
          expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([['passed', 2]]);
        }));

      it('has more ranks than CPUs: measured, right and flagged', () =>
        withFolder(async (out) => {
          const ranks = String(Math.min(8, 2 * availableParallelism()));
          const how = ['--launcher', mpi.launcher, '--ranks', ranks, '--bytes', '8,64KiB', '--no-pin'];
          const few = ['--inspections', '1', '--reps', '30', '--warmup', '5', '--json', '--out', out];
          const run = await piBench(...COLLECTIVE, ...how, ...few, ...QUIET);
          expect(run.stderr).toBe('');
          const { batches } = printedRecord(run);
          expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([
            ['passed', 1],
            ['passed', 1],
          ]);
        }));

      it('has a host that does not exist: one clear line, soon', () =>
        withFolder(async (out) => {
          const said = 'ssh: Could not resolve hostname nowhere: Name or service not known';
          const agent = join(out, 'ssh');
          writeFileSync(agent, `#!/bin/sh\necho '${said}' >&2\nexit 255\n`);
          chmodSync(agent, 0o755);
          const hosts =
            mpi.name === 'MPICH'
              ? ['-launcher', 'ssh', '-launcher-exec', agent, '-hosts', 'localhost,nowhere', '-ppn', '1']
              : ['--mca', 'plm_rsh_agent', agent, '-H', 'localhost:1,nowhere:1'];
          const launcher = [mpi.launcher, ...hosts].join(' ');
          const began = performance.now();
          const run = await piBench(
            ...[...COLLECTIVE, '--launcher', launcher, '--ranks', '2', '--bytes', '8', '--no-pin'],
            ...[...QUIET, '--out', join(out, 'results')],
          );
          expect(run.stderr).toBe(`pi-bench: the launcher cannot start all ranks: ${said}\n`);
          expect(run.code).toBe(64);
          expect(performance.now() - began).toBeLessThan(30_000);
        }));
    },
  );
}

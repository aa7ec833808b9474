/** What is refused or said of processes that MPI's launchers have started; little is measured, so what else is running does not matter. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInstalled, libraryFile, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import { LOOK, PATIENT, twoRanks, waitingLauncher } from '../support/mpi.js';
import { launcher, piBench, start, startPiBench, withFolder } from '../support/pi-bench.js';

const SHORT = ['--reps', '30', '--warmup', '5', '--no-wait', '--quiet', '--json'];

for (const mpi of MPI_LIBRARIES) {
  describe.skipIf(!isInstalled(mpi))(
    `${mpi.name} (skipped where ${mpi.launcher} or ${mpi.soname} is not installed)`,
    () => {
      const { env, argumentsFor, piBench: within } = twoRanks(mpi);

      it('refuses in the job of its launcher what rank 0 alone reads, and no other rank waits for it', () =>
        withFolder(async (out) => {
          const what = ['collective', 'all-reduce', '--transport', 'mpi', '--out', out, ...SHORT];
          const refused = { '--ranks 3': '--ranks 3, but', '--bytes 10': '--bytes 10 is no multiple' };
          for (const [asked, text] of Object.entries(refused)) {
            const run = await within(...what, ...asked.split(' ')).ended;
            expect(run.stderr.split(`pi-bench: ${text}`)).toHaveLength(2);
            expect(run.code).toBe(64);
          }
          expect(readdirSync(out)).toEqual([]);
        }));

      it('without --transport mpi is a campaign of each process, which is said once', () =>
        withFolder(async (out) => {
          const run = await within('collective', 'all-reduce', '--bytes', '4KiB', '--out', out, ...SHORT)
            .ended;
          expect(run.code, run.stderr).toBe(0);
          expect(
            run.stderr.split('has started 2 processes, and each makes this campaign for itself'),
          ).toHaveLength(2);
          expect(readdirSync(out)).toHaveLength(2);
        }));

      it('qualifies the node once for each process, which is said once', () =>
        withFolder(async (folder) => {
          writeFileSync(join(folder, 'look.yaml'), LOOK);
          const args = argumentsFor(launcher, 'qualify', '--suite', 'look.yaml', '--quiet');
          const own = { ...env, XDG_STATE_HOME: join(folder, 'state') };
          const run = await start(mpi.launcher, args, folder, own).ended;
          expect(
            run.stderr.split('has started 2 processes, and each qualifies this node for itself'),
            run.stderr,
          ).toHaveLength(2);
          expect(readdirSync(join(folder, 'results'))).toHaveLength(2);
        }));

      it('qualifies no node by a suite that measures between ranks, which is said once, before anything is measured', () =>
        withFolder(async (folder) => {
          const parameters = '{ operation: all-reduce, transport: mpi, bytes: 4KiB }';
          const entry = `{ indicator: collective, parameters: ${parameters}, labels: { part: ranks } }`;
          writeFileSync(
            join(folder, 'ranks.yaml'),
            `name: ranks\ncampaign:\n  measure:\n    - ${entry}\nchecks:\n  - { check: correctness }\n`,
          );
          const args = argumentsFor(launcher, 'qualify', '--suite', 'ranks.yaml', '--quiet');
          const run = await start(mpi.launcher, args, folder, env).ended;
          expect(run.stderr.split('pi-bench: suite ranks measures between ranks'), run.stderr).toHaveLength(
            2,
          );
          expect(run.code).toBe(64);
          expect(existsSync(join(folder, 'results'))).toBe(false);
        }));
    },
  );
}

describe('a launcher that waits, as in a queue', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is ended by %s, and the command with it, before anything is measured', (signal, expected) =>
    withFolder(async (folder) => {
      const { launcher: mpirun, pid } = waitingLauncher(folder);
      const [library, out] = [join(folder, 'libmpi.so.40'), join(folder, 'results')];
      writeFileSync(library, '');
      const what = ['collective', 'all-reduce', '--transport', 'mpi', '--ranks', '2', '--out', out];
      const by = ['--launcher', mpirun, '--mpi-library', library];
      const { child, ended } = startPiBench([...what, ...by], undefined, { ...process.env, ...PATIENT });
      const waiting = await pid();
      child.kill(signal);
      const { code, stderr } = await ended;
      expect(stderr).toBe(
        `pi-bench: ${signal}: ending the ranks that are tried\npi-bench: stopped while its ranks were tried: nothing was launched\n`,
      );
      expect(code).toBe(expected);
      expect(existsSync(`/proc/${waiting}`)).toBe(false);
      expect(existsSync(out)).toBe(false);
    }));
});

describe.skipIf(!MPI_LIBRARIES.every(isInstalled))(
  'a library of another launcher (skipped without Open MPI and MPICH)',
  () => {
    for (const [i, mpi] of MPI_LIBRARIES.entries()) {
      it(`is an error before anything is measured: ${mpi.name}’s`, () =>
        withFolder(async (out) => {
          const launcher = MPI_LIBRARIES[1 - i]?.launcher ?? '';
          const what = ['collective', 'all-reduce', '--transport', 'mpi', '--ranks', '2'];
          const other = ['--launcher', launcher, '--mpi-library', libraryFile(mpi.soname) ?? ''];
          const run = await piBench(...what, ...other, '--out', out, ...SHORT);
          expect(run.code).toBe(64);
          expect(run.stderr.trim().split('\n')).toHaveLength(1);
          expect(run.stderr).toMatch(
            /the launcher started 2 ranks, but .* sees 1: it does not belong to this launcher/,
          );
          expect(readdirSync(out)).toEqual([]);
        }));
    }
  },
);

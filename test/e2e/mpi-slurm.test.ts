import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { libraryFile, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import { LOOK, runsInSlurm, secondLaunch } from '../support/mpi.js';
import {
  launcher as entry,
  printedRecord,
  type Run,
  type Running,
  readRecordFile,
  start,
  startPiBench,
  withFolder,
} from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';

const SHORT = ['--bytes', '8,64KiB', '--reps', '30', '--warmup', '5', '--inspections', '1', '--no-pin'];
/** The part of Slurm through which each library's ranks find each other. */
const PARTS = { 'Open MPI': 'pmix', MPICH: 'pmi2' } as const;

const installed = MPI_LIBRARIES.flatMap(({ name, soname }) => {
  const library = libraryFile(soname);
  return library === undefined ? [] : [{ name, library, part: PARTS[name] }];
});

describe.skipIf(installed.length === 0)('ranks that srun starts (skipped where no MPI is installed)', () => {
  let slurm: Slurm | string;
  beforeAll(async () => {
    slurm = await startSlurm({ nodes: 1, isolate: false });
  });
  afterAll(async () => {
    if (typeof slurm !== 'string') await slurm.stop();
  });

  const WHAT = ['collective', 'all-reduce', '--transport', 'mpi'];

  const srun = ({ env }: Slurm, part: string, library: string, out: string): Promise<Run> => {
    const what = [entry, ...WHAT, '--mpi-library', library, ...SHORT];
    const rest = ['--no-wait', '--quiet', '--json', '--out', out];
    // Quiet: where the step before it is not quite over, it would say that it waits for that.
    const how = ['--quiet', `--mpi=${part}`, '-n', '2'];
    return start('srun', [...how, process.execPath, ...what, ...rest], undefined, env).ended;
  };

  /** pi-bench itself, which starts its ranks by srun. */
  const byLauncher = (
    { env }: Slurm,
    launcher: string,
    library: string,
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
  ): Running => {
    const how = ['--launcher', launcher, '--mpi-library', library, '--ranks', '2', '--no-pin'];
    return startPiBench([...WHAT, ...how, '--no-wait', '--quiet', ...args], undefined, { ...env, ...more });
  };

  /** Why ranks of this library cannot be started here; null: they can. */
  const missing = ({ env }: Slurm, part: string): string | null => {
    const { stdout, stderr } = spawnSync('srun', ['--mpi=list'], { encoding: 'utf8', env });
    if (!`${stdout}${stderr}`.includes(part)) return `this Slurm was built without ${part}`;
    const tried = spawnSync('srun', ['--quiet', `--mpi=${part}`, 'true'], { encoding: 'utf8', env });
    // Debian's plugin opens the file that only its development package has.
    return tried.stderr.includes('can not load PMIx library') ? 'apt-get install libpmix-dev' : null;
  };

  for (const { name, library, part } of installed) {
    it(`of ${name} are one job, of which rank 0 speaks`, ({ skip }) =>
      withFolder(async (out) => {
        if (typeof slurm === 'string') return skip(slurm);
        const why = missing(slurm, part);
        if (why !== null) return skip(why);
        const run = await srun(slurm, part, library, out);
        expect(run.stderr).toBe('');
        const { batches } = printedRecord(run);
        expect(batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
        expect(batches[0]?.case.parameters.launcher).toBe('within slurm');
      }));

    it(`of ${name} are none in a step of one task, as a shell in a job is: a launcher starts them there`, ({
      skip,
    }) =>
      withFolder(async (out) => {
        if (typeof slurm === 'string') return skip(slurm);
        const what = [entry, ...WHAT, '--mpi-library', library, '--ranks', '2', ...SHORT];
        const rest = ['--no-wait', '--quiet', '--json', '--out', out];
        const step = ['--quiet', '-n', '1', process.execPath, ...what, ...rest];
        const run = await start('srun', step, undefined, slurm.env).ended;
        expect(run.stderr).toBe('');
        const { batches } = printedRecord(run);
        expect(batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
        expect(batches[0]?.case.parameters.launcher).toMatch(/\/mpi(run|exec)/);
      }));

    it(`of ${name} are started in such a step on one of several hosts of a job, too, on that host`, ({
      skip,
    }) =>
      withFolder(async (out) => {
        const two = await startSlurm({ nodes: 2, isolate: false });
        if (typeof two === 'string') return skip(two);
        try {
          const what = [entry, ...WHAT, '--mpi-library', library, '--ranks', '2', ...SHORT];
          const rest = ['--no-wait', '--quiet', '--json', '--out', out];
          const step = ['srun', '--quiet', '-N', '1', '-n', '1', process.execPath, ...what, ...rest];
          const run = await start('salloc', ['--quiet', '-N', '2', ...step], undefined, two.env).ended;
          expect(run.stderr).toBe('');
          const { batches } = printedRecord(run);
          expect(batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
          expect(batches[0]?.stack.implementation).toContain('2 processes on 1 host');
        } finally {
          await two.stop();
        }
      }));

    if (name !== 'MPICH') continue;
    it('of MPICH, one of which is killed: it is named, and what was measured before is kept', ({ skip }) =>
      withFolder(async (out) => {
        if (typeof slurm === 'string') return skip(slurm);
        const why = missing(slurm, part);
        if (why !== null) return skip(why);
        const long = ['--bytes', '4KiB,8MiB', '--inspections', '1', '--seed', '1', '--reps', '20000'];
        const launcher = `srun --quiet --mpi=${part}`;
        const running = byLauncher(slurm, launcher, library, [...long, '--warmup', '0', '--out', out]);
        const ours = runsInSlurm(slurm);
        const { folder, pid } = await secondLaunch(out, running.child, 'mpi-worker.js', ours);
        process.kill(pid, 'SIGKILL');
        const { code, stderr } = await running.ended;
        expect(stderr).toBe('');
        expect(code).toBe(2);
        const ends = readRecordFile(folder).batches.flatMap(({ inspections }) => inspections);
        expect(ends.map(({ status }) => status).sort()).toEqual(['crashed', 'measured']);
        // Where the other one was copying from it just then, UCX ends that one, and Slurm may say how that one ended and no more.
        expect(ends.find(({ status }) => status === 'crashed')?.reason).toMatch(
          /^rank 1 of 2 on \S+ was (killed by signal 9 \(SIGKILL\)|gone: another, which read or wrote its memory, .*), last heard of in phase/,
        );
      }));
  }

  it('without MPI’s part of Slurm are alone, and refused', ({ skip }) =>
    withFolder(async (out) => {
      if (typeof slurm === 'string') return skip(slurm);
      const run = await srun(slurm, 'none', installed.at(-1)?.library ?? '', out);
      expect(run.stderr).toMatch(/the launcher started 2 ranks, but .* sees 1/);
      expect(run.code).not.toBe(0);
    }));

  it('for a qualification qualify the node each, which is said once', ({ skip }) =>
    withFolder(async (folder) => {
      if (typeof slurm === 'string') return skip(slurm);
      writeFileSync(join(folder, 'look.yaml'), LOOK);
      const what = [process.execPath, entry, 'qualify', '--suite', 'look.yaml', '--quiet'];
      const env = { ...slurm.env, XDG_STATE_HOME: join(folder, 'state') };
      const run = await start('srun', ['--quiet', '-n', '2', ...what], folder, env).ended;
      expect(
        run.stderr.split('slurm has started 2 processes, and each qualifies this node for itself'),
        run.stderr,
      ).toHaveLength(2);
      expect(readdirSync(join(folder, 'results'))).toHaveLength(2);
    }));

  it('of which one never comes: one line, soon, before anything is measured', ({ skip }) =>
    withFolder(async (folder) => {
      if (typeof slurm === 'string') return skip(slurm);
      const { library, part } = installed.at(-1) ?? { library: '', part: '' };
      const why = missing(slurm, part);
      if (why !== null) return skip(why);
      const late = join(folder, 'late.sh');
      writeFileSync(late, '#!/bin/sh\n[ "$SLURM_PROCID" != 1 ] || sleep 600\n');
      chmodSync(late, 0o755);
      const out = join(folder, 'results');
      const launcher = `srun --quiet --mpi=${part} --task-prolog=${late}`;
      const soon = { PIBENCH_RENDEZVOUS_SECONDS: '2' };
      const run = await byLauncher(slurm, launcher, library, ['--bytes', '8', '--out', out], soon).ended;
      expect(run.stderr).toBe('pi-bench: 2 ranks did not find each other within 2 s\n');
      expect(run.code).toBe(64);
      expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
    }));
});

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { launcher as entry, start, withFolder } from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';

const SHORT = ['--bytes', '8,64KiB', '--reps', '30', '--warmup', '5', '--inspections', '1', '--no-pin'];

const MPICH = '/usr/lib/x86_64-linux-gnu/libmpich.so.12';

describe.skipIf(!existsSync(MPICH))('ranks that srun starts (skipped where MPICH is not installed)', () => {
  let slurm: Slurm | string;
  beforeAll(async () => {
    slurm = await startSlurm({ nodes: 1, isolate: false });
  });
  afterAll(async () => {
    if (typeof slurm !== 'string') await slurm.stop();
  });

  it('of MPICH are one job, of which rank 0 speaks', ({ skip }) =>
    withFolder(async (out) => {
      if (typeof slurm === 'string') return skip(slurm);
      const library = ['--mpi-library', MPICH];
      const what = [entry, 'collective', 'all-reduce', '--transport', 'mpi', ...library, ...SHORT];
      const rest = ['--no-wait', '--quiet', '--json', '--out', out];
      const srun = ['--mpi=pmi2', '-n', '2', process.execPath, ...what, ...rest];
      const run = await start('srun', srun, undefined, slurm.env).ended;
      expect(run.stderr).toBe('');
      const { batches } = JSON.parse(run.stdout) as PiBenchRecord;
      expect(batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
      expect(batches[0]?.case.parameters.launcher).toBe('within slurm');
    }));

  it('without MPI’s part of Slurm are alone, and refused', ({ skip }) =>
    withFolder(async (out) => {
      if (typeof slurm === 'string') return skip(slurm);
      const library = ['--mpi-library', MPICH];
      const what = [
        entry,
        'collective',
        'all-reduce',
        '--transport',
        'mpi',
        ...library,
        ...SHORT,
        '--out',
        out,
      ];
      const run = await start(
        'srun',
        ['--mpi=none', '-n', '2', process.execPath, ...what],
        undefined,
        slurm.env,
      ).ended;
      expect(run.stderr).toMatch(/the launcher started 2 ranks, but .* sees 1/);
      expect(run.code).not.toBe(0);
    }));
});

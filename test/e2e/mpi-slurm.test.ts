import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { libraryFile, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import { launcher as entry, printedRecord, type Run, start, withFolder } from '../support/pi-bench.js';
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

  const srun = ({ env }: Slurm, part: string, library: string, out: string): Promise<Run> => {
    const what = [
      entry,
      'collective',
      'all-reduce',
      '--transport',
      'mpi',
      '--mpi-library',
      library,
      ...SHORT,
    ];
    const rest = ['--no-wait', '--quiet', '--json', '--out', out];
    // Quiet: where the step before it is not quite over, it would say that it waits for that.
    const how = ['--quiet', `--mpi=${part}`, '-n', '2'];
    return start('srun', [...how, process.execPath, ...what, ...rest], undefined, env).ended;
  };

  for (const { name, library, part } of installed)
    it(`of ${name} are one job, of which rank 0 speaks`, ({ skip }) =>
      withFolder(async (out) => {
        if (typeof slurm === 'string') return skip(slurm);
        const parts = spawnSync('srun', ['--mpi=list'], { encoding: 'utf8', env: slurm.env });
        if (!`${parts.stdout}${parts.stderr}`.includes(part))
          return skip(`this Slurm was built without ${part}`);
        const run = await srun(slurm, part, library, out);
        // Debian's plugin opens the file that only its development package has.
        if (run.stderr.includes('can not load PMIx library')) return skip('apt-get install libpmix-dev');
        expect(run.stderr).toBe('');
        const { batches } = printedRecord(run);
        expect(batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
        expect(batches[0]?.case.parameters.launcher).toBe('within slurm');
      }));

  it('without MPI’s part of Slurm are alone, and refused', ({ skip }) =>
    withFolder(async (out) => {
      if (typeof slurm === 'string') return skip(slurm);
      const run = await srun(slurm, 'none', installed.at(-1)?.library ?? '', out);
      expect(run.stderr).toMatch(/the launcher started 2 ranks, but .* sees 1/);
      expect(run.code).not.toBe(0);
    }));
});

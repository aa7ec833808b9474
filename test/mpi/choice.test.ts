import { describe, expect, it } from 'vitest';
import {
  chooseMpi,
  type HostCpus,
  launchCommand,
  launcherKind,
  type MpiSystem,
  startsAllHere,
} from '../../src/mpi/choice.js';
import type { MpiPlace } from '../../src/mpi/place.js';

const OPEN_MPI = 'mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n';
const HYDRA = 'HYDRA build details:\n    Version:                                 4.0.2\n';
const LIB = '/usr/lib/x86_64-linux-gnu';

/** A system of files, where each stands for itself or for another, and programs with what they say. */
const systemOf = (
  files: Readonly<Record<string, string>>,
  says: Readonly<Record<string, string>>,
): MpiSystem => ({
  architecture: 'x64',
  loaderFolders: [],
  linkerCache: () => '',
  path: ['/usr/bin'],
  realPath: (path) => files[path] ?? null,
  versionOf: (program) => says[program] ?? null,
});

const BOTH = systemOf(
  {
    '/usr/bin/mpirun': '/usr/bin/orterun',
    '/usr/bin/mpirun.mpich': '/usr/bin/mpiexec.hydra',
    [`${LIB}/libmpi.so.40`]: `${LIB}/libmpi.so.40.30.4`,
    [`${LIB}/libmpich.so.12`]: `${LIB}/libmpich.so.12.2.2`,
    '/opt/mpich/lib/libmpi.so.12': '/opt/mpich/lib/libmpi.so.12.3',
    '/opt/mpich/bin/mpirun': '/opt/mpich/bin/mpirun',
  },
  { '/usr/bin/mpirun': OPEN_MPI, '/usr/bin/mpirun.mpich': HYDRA, '/opt/mpich/bin/mpirun': HYDRA },
);

const place = (launcher: MpiPlace['launcher']): MpiPlace => ({
  launcher,
  rank: 0,
  size: 2,
  localRank: 0,
  localSize: 2,
});

describe('the MPI that is measured', () => {
  it('is that of mpirun, unless told otherwise', () => {
    expect(chooseMpi({}, null, BOTH)).toEqual({
      library: `${LIB}/libmpi.so.40.30.4`,
      launcher: '/usr/bin/mpirun',
    });
  });

  it('is that of the launcher that is named, with what it is told', () => {
    expect(chooseMpi({ launcher: 'mpirun.mpich -genv A 1' }, null, BOTH)).toEqual({
      library: `${LIB}/libmpich.so.12.2.2`,
      launcher: '/usr/bin/mpirun.mpich -genv A 1',
    });
  });

  it('lies beside its launcher where it was installed apart', () => {
    expect(chooseMpi({ launcher: '/opt/mpich/bin/mpirun' }, null, BOTH).library).toBe(
      '/opt/mpich/lib/libmpi.so.12.3',
    );
  });

  it('is the library that is named, with the launcher that suits it', () => {
    expect(chooseMpi({ library: `${LIB}/libmpich.so.12` }, null, BOTH).launcher).toBe(
      '/usr/bin/mpirun.mpich',
    );
  });

  it('is found by its name alone, where the loader looks', () => {
    expect(chooseMpi({ library: 'libmpich.so.12' }, null, BOTH)).toEqual({
      library: `${LIB}/libmpich.so.12.2.2`,
      launcher: '/usr/bin/mpirun.mpich',
    });
    expect(() => chooseMpi({ library: 'libmpi.so.41' }, null, BOTH)).toThrow(/where the loader looks/);
  });

  it('under a launcher is the one that belongs to it', () => {
    expect(chooseMpi({}, place('openmpi'), BOTH)).toEqual({
      library: `${LIB}/libmpi.so.40.30.4`,
      launcher: 'within openmpi',
    });
    expect(chooseMpi({}, place('hydra'), BOTH).library).toBe(`${LIB}/libmpich.so.12.2.2`);
  });

  it('is refused in one line where it is not there', () => {
    const nothing = systemOf({}, {});
    expect(() => chooseMpi({}, null, nothing)).toThrow(/none is in PATH/);
    expect(() => chooseMpi({ launcher: 'mpirun.no' }, null, BOTH)).toThrow(/there is no such program/);
    expect(() => chooseMpi({ library: '/no/libmpi.so' }, null, BOTH)).toThrow(/there is no such file/);
    expect(() => chooseMpi({}, place('hydra'), nothing)).toThrow(/--mpi-library/);
    expect(() => chooseMpi({ launcher: 'mpirun' }, place('hydra'), BOTH)).toThrow(/has started 2 already/);
  });
});

describe('a launcher', () => {
  it('is known by what it says', () => {
    expect(launcherKind(OPEN_MPI)).toBe('openmpi');
    expect(launcherKind('mpirun (PRRTE) 3.0.1')).toBe('openmpi');
    expect(launcherKind(HYDRA)).toBe('hydra');
    expect(launcherKind('slurm 22.05.8')).toBe('slurm');
    expect(launcherKind('GNU coreutils 9')).toBeNull();
  });

  const commandOf = (
    launcher: string,
    kind: MpiPlace['launcher'],
    ranks: number,
    host: HostCpus = { cpus: 2, cores: 2 },
  ) => launchCommand(launcher, kind, ranks, ['node', 'rank.js'], { ...host, root: false }).args.join(' ');

  it('of Open MPI leaves ranks unbound, and lets them share CPUs only where they must', () => {
    expect(commandOf('mpirun', 'openmpi', 2)).toBe('--bind-to none -np 2 node rank.js');
    expect(commandOf('mpirun --bind-to core', 'openmpi', 4)).toBe(
      '--bind-to core --oversubscribe -np 4 node rank.js',
    );
    expect(launchCommand('mpirun', 'openmpi', 2, [], { cpus: 2, cores: 2, root: true }).args).toContain(
      '--allow-run-as-root',
    );
  });

  it('of Open MPI has places for as many ranks as there are CPUs: by itself it has one for each core', () => {
    const smt = { cpus: 16, cores: 8 };
    expect(commandOf('mpirun', 'openmpi', 8, smt)).toBe('--bind-to none -np 8 node rank.js');
    for (const ranks of [9, 16])
      expect(commandOf('mpirun', 'openmpi', ranks, smt)).toBe(
        `--bind-to none --use-hwthread-cpus -np ${ranks} node rank.js`,
      );
    expect(commandOf('mpirun', 'openmpi', 17, smt)).toBe(
      '--bind-to none --oversubscribe -np 17 node rank.js',
    );
    for (const own of ['--use-hwthread-cpus', '--oversubscribe', '-H n1:16'])
      expect(commandOf(`mpirun ${own}`, 'openmpi', 16, smt)).toBe(
        `${own} --bind-to none -np 16 node rank.js`,
      );
    expect(commandOf('mpirun.mpich', 'hydra', 16, smt)).toBe('-np 16 node rank.js');
  });

  it('of Open MPI is not told to let them share CPUs where hosts are named: they may have more than this one', () => {
    for (const hosts of ['-H n1:16,n2:16', '--host n1,n2', '--hostfile hosts', '--map-by ppr:2:node'])
      expect(commandOf(`mpirun ${hosts}`, 'openmpi', 32)).toBe(`${hosts} --bind-to none -np 32 node rank.js`);
    expect(commandOf('mpirun --mca pml ob1', 'openmpi', 32)).toContain('--oversubscribe');
  });

  it('starts all ranks here, for all that is known, where neither it nor a job names hosts', () => {
    expect(startsAllHere('mpirun', 'openmpi', { PATH: '/bin' })).toBe(true);
    expect(startsAllHere('mpirun.mpich', 'hydra', {})).toBe(true);
    expect(startsAllHere('mpirun -H n1:16,n2:16', 'openmpi', {})).toBe(false);
    expect(startsAllHere('srun', 'slurm', {})).toBe(false);
    expect(startsAllHere('flux run', 'flux', {})).toBe(false);
    for (const name of ['SLURM_JOB_ID', 'PBS_JOBID', 'HYDRA_HOST_FILE', 'OMPI_MCA_orte_default_hostfile'])
      expect(startsAllHere('mpirun', 'openmpi', { [name]: '7' })).toBe(false);
  });

  it('of Slurm gives its input to rank 0 alone, and ends all ranks with the first that fails', () => {
    expect(commandOf('srun --mpi=pmi2', 'slurm', 2)).toBe(
      '--mpi=pmi2 --input=0 --kill-on-bad-exit=1 -n 2 node rank.js',
    );
    expect(commandOf('srun --kill-on-bad-exit=0', 'slurm', 2)).toBe(
      '--kill-on-bad-exit=0 --input=0 -n 2 node rank.js',
    );
  });

  it('of MPICH takes nothing more', () => {
    expect(commandOf('mpirun.mpich -iface lo', 'hydra', 2)).toBe('-iface lo -np 2 node rank.js');
  });
});

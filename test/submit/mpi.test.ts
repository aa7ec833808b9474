import { describe, expect, it } from 'vitest';
import { hostsOf, kindOf, launchCommand, mpi } from '../../src/submit/mpi.js';
import { saidByMpirun } from '../../src/submit/mpi-words.js';
import { environmentOfCampaign } from '../../src/submit/on-node.js';
import { taskOf } from './support.js';

const TASK = taskOf();

describe('MPI as a launcher', () => {
  it('reads hosts of both kinds of host files, each once', () => {
    expect(hostsOf('# a comment\nn1 slots=4\nn2:8\n\nn1\nn3\n')).toEqual(['n1', 'n2', 'n3']);
    expect(hostsOf('n1,n2')).toEqual(['n1', 'n2']);
  });

  it('refuses a list that is none', () => {
    expect(() => hostsOf('n1;rm -rf')).toThrow(/is no name of a node/);
    expect(() => mpi.settingsOf({})).toThrow(/say which hosts/);
    expect(() => mpi.settingsOf({ hosts: '#', mpirun: 'mpirun' })).toThrow('the list of hosts is empty');
    expect(() => mpi.settingsOf({ hostfile: '/nowhere' })).toThrow(/cannot read the host file/);
  });

  it.each([
    ['mpirun (Open MPI) 4.1.4', 'openmpi'],
    ['HYDRA build details:\n    Version: 4.0.2', 'mpich'],
    ['Intel(R) MPI Library for Linux* OS, Version 2021.9', 'intel'],
    ['srun: slurm 22.05', null],
  ])('knows %s', (version, kind) => {
    expect(kindOf(version)).toBe(kind);
  });

  it('starts one process on one host, bound to no CPU, with the name that the list has', () => {
    const open = launchCommand('openmpi', 'mpirun', {}, TASK, true).join(' ');
    expect(open).toMatch(
      /^mpirun --allow-run-as-root --host n1 -np 1 --bind-to none env PI_BENCH_NODE=n1 \S*node /,
    );
    expect(launchCommand('openmpi', 'mpirun', {}, TASK, false)).not.toContain('--allow-run-as-root');
    expect(launchCommand('mpich', 'mpirun', { piBench: '/opt/p' }, TASK, true).join(' ')).toMatch(
      /^mpirun -hosts n1 -n 1 -bind-to none env PI_BENCH_NODE=n1 \/opt\/p on-node /,
    );
  });

  it('leaves nothing in the campaign’s environment by which it would take itself for a rank', () => {
    const env = {
      PATH: '/bin',
      OMPI_COMM_WORLD_SIZE: '1',
      PMI_RANK: '0',
      PMIX_RANK: '0',
      SLURM_PROCID: '0',
      SLURM_JOB_ID: '7',
    };
    expect(environmentOfCampaign(env)).toEqual({ PATH: '/bin', SLURM_JOB_ID: '7' });
    const tuned = {
      OMPI_MCA_coll_tuned_use_dynamic_rules: '1',
      MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM: 'ring',
      PMIX_MCA_gds: 'hash',
    };
    expect(environmentOfCampaign({ ...tuned, OMPI_MCA_ess: 'x', MV2_COMM_WORLD_RANK: '0' })).toEqual(tuned);
  });

  it.each([
    [
      'a way that lets nobody in',
      'root@n1: Permission denied (publickey).\n----------------------------\nORTE was unable to reliably start one or more daemons.\nThis usually is caused by:\n----------------------------\n',
      '',
      'root@n1: Permission denied (publickey).',
    ],
    [
      'a way that ends',
      'no host n9\n----------------------------\nORTE was unable to reliably start one or more daemons.\nThis usually\n\n* not finding\n----------------------------\n',
      '',
      'no host n9; ORTE was unable to reliably start one or more daemons.',
    ],
    [
      'a program that was killed, by Open MPI',
      'pi-bench: launch 1 of 1 measured\n----------------------------\nPrimary job  terminated normally, but 1 process returned\na non-zero exit code.\n----------------------------\n----------------------------\nmpirun noticed that process rank 0 with PID 7 on node 192.0.2.2 exited on signal 9 (Killed).\n----------------------------\n',
      '',
      'mpirun noticed that process rank 0 with PID 7 on node 192.0.2.2 exited on signal 9 (Killed).',
    ],
    [
      'a program that was killed, by MPICH',
      'pi-bench: launch 1 of 1 measured\n',
      '\n============================\n=   EXIT CODE: 9\n============================\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\nThis typically refers to\n',
      'the program on the host ended: Killed (signal 9)',
    ],
    ['a program that is not there', 'env: /opt/node: No such file\n', '', 'env: /opt/node: No such file'],
    ['nothing', '', '', ''],
  ])('says of %s what tells most, in one line', (_, log, output, expected) => {
    expect(saidByMpirun(log, output)).toBe(expected);
  });
});

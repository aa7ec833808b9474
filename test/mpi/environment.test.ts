import { describe, expect, it } from 'vitest';
import { launcherEnvironment } from '../../src/mpi/environment.js';

const STEP = {
  PATH: '/bin',
  SLURM_JOB_ID: '7',
  SLURM_JOBID: '7',
  SLURM_JOB_NUM_NODES: '1',
  SLURM_NODELIST: 'n1',
  SLURM_NTASKS: '1',
  SLURM_PROCID: '0',
  SLURM_STEP_ID: '0',
  SLURM_STEP_NUM_TASKS: '1',
  PMIX_RANK: '0',
};

describe('a launcher that is started', () => {
  it('in such a step is told how its user tunes PMIx', () => {
    expect(launcherEnvironment({ ...STEP, PMIX_MCA_gds: 'hash' })).toMatchObject({ PMIX_MCA_gds: 'hash' });
  });

  it('in a step of one task of a job on one host takes nothing for its own of what that step says of itself', () => {
    expect(launcherEnvironment(STEP)).toEqual({ PATH: '/bin', SLURM_JOB_ID: '7', SLURM_JOB_NUM_NODES: '1' });
  });

  it('in such a step on one of several hosts of a job does not do so either: there is place for one rank, on hosts of which it is told two', () => {
    const step = { ...STEP, SLURM_JOB_NUM_NODES: '2', SLURM_NODELIST: 'n[1-2]', SLURM_NNODES: '1' };
    expect(launcherEnvironment(step)).toEqual({
      PATH: '/bin',
      SLURM_JOB_ID: '7',
      SLURM_JOB_NUM_NODES: '2',
      SLURM_NNODES: '1',
    });
  });

  it.each([
    [
      'in the shell that salloc gives on the first of several hosts, which it finds by that',
      { ...STEP, SLURM_JOB_NUM_NODES: '2', SLURM_NNODES: '2' },
    ],
    ['in a batch script, which is no step', { PATH: '/bin', SLURM_JOBID: '7', SLURM_PROCID: '0' }],
    ['anywhere else', { PATH: '/bin', OMPI_MCA_pml: 'ob1' }],
  ])('%s is told all', (_, environment) => {
    expect(launcherEnvironment(environment)).toBe(environment);
  });
});

import { describe, expect, it } from 'vitest';
import { mpiPlace } from '../../src/mpi/place.js';

describe('a process knows its rank before MPI does', () => {
  it('from Open MPI', () => {
    const environment = {
      OMPI_COMM_WORLD_RANK: '3',
      OMPI_COMM_WORLD_SIZE: '4',
      OMPI_COMM_WORLD_LOCAL_RANK: '1',
      OMPI_COMM_WORLD_LOCAL_SIZE: '2',
      PMIX_RANK: '3',
    };
    expect(mpiPlace(environment)).toEqual({
      launcher: 'openmpi',
      rank: 3,
      size: 4,
      localRank: 1,
      localSize: 2,
    });
  });

  it('from MPICH, also under Slurm', () => {
    const environment = {
      PMI_RANK: '1',
      PMI_SIZE: '2',
      PMI_FD: '9',
      MPI_LOCALRANKID: '0',
      MPI_LOCALNRANKS: '1',
      SLURM_PROCID: '0',
      SLURM_STEP_ID: '0',
      SLURM_STEP_NUM_TASKS: '1',
    };
    expect(mpiPlace(environment)).toEqual({
      launcher: 'hydra',
      rank: 1,
      size: 2,
      localRank: 0,
      localSize: 1,
    });
  });

  it('from a step of Slurm, but not from its batch script, which is none', () => {
    const batch = { SLURM_PROCID: '0', SLURM_NTASKS: '4', SLURM_LOCALID: '0', SLURM_JOB_ID: '7' };
    expect(mpiPlace(batch)).toBeNull();
    const step = { ...batch, SLURM_PROCID: '3', SLURM_STEP_ID: '0', SLURM_STEP_NUM_TASKS: '4' };
    expect(mpiPlace({ ...step, SLURM_LOCALID: '1', SLURM_STEP_TASKS_PER_NODE: '2(x2)' })).toEqual({
      launcher: 'slurm',
      rank: 3,
      size: 4,
      localRank: 1,
      localSize: 2,
    });
  });

  it('from a step of Slurm whose hosts have different numbers of ranks, by the place of its own', () => {
    const step = {
      SLURM_PROCID: '3',
      SLURM_NTASKS: '5',
      SLURM_STEP_ID: '0',
      SLURM_STEP_NUM_TASKS: '5',
      SLURM_STEP_TASKS_PER_NODE: '2(x2),1',
    };
    const sizes = ['0', '1', '2'].map(
      (host) => mpiPlace({ ...step, SLURM_NODEID: host, SLURM_LOCALID: '0' })?.localSize,
    );
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('from Flux, which says how many ranks this host has only where it is the only one', () => {
    const task = { FLUX_TASK_RANK: '1', FLUX_JOB_SIZE: '4', FLUX_TASK_LOCAL_ID: '1' };
    const of = { launcher: 'flux', rank: 1, size: 4, localRank: 1 };
    expect(mpiPlace({ ...task, FLUX_JOB_NNODES: '2' })).toEqual({ ...of, localSize: null });
    expect(mpiPlace({ ...task, FLUX_JOB_NNODES: '1' })).toEqual({ ...of, localSize: 4 });
  });

  it('and where its launcher says nothing of hosts, neither how many are on this one nor its place there', () => {
    expect(mpiPlace({ PMI_RANK: '1', PMI_SIZE: '2' })).toMatchObject({ localRank: null, localSize: null });
    expect(mpiPlace({ PMI_RANK: '0', PMI_SIZE: '1' })).toMatchObject({ localRank: 0, localSize: 1 });
  });

  it('where nobody has started it, it is none', () => {
    expect(mpiPlace({ PATH: '/bin', PMIX_RANK: '0' })).toBeNull();
    expect(mpiPlace({ PMI_RANK: '2', PMI_SIZE: '2' })).toBeNull();
    expect(mpiPlace({ OMPI_COMM_WORLD_RANK: 'x', OMPI_COMM_WORLD_SIZE: '2' })).toBeNull();
  });
});

/** What a rank knows of the others, and how long it is waited for. */
import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/inspection/job.js';
import { cpusTold, ranksBeside, stuckAfter, stuckText } from '../../src/inspection/mpi-rank.js';
import type { MpiWorld } from '../../src/native.js';

const worldOf = (hosts: number, ...names: readonly string[]): MpiWorld => ({
  rank: 0,
  size: names.length,
  library: 'Open MPI 4.1.4',
  hosts,
  members: names.map((host, process) => ({ host, process })),
  cpus: [0],
});

describe('the ranks on a host', () => {
  it('are those that gave its name when they met', () => {
    const world = worldOf(2, 'n1', 'n2', 'n1', 'n2', 'n2');
    expect(ranksBeside(world, 0)).toEqual([0, 2]);
    expect(ranksBeside(world, 3)).toEqual([1, 3, 4]);
  });

  it('are not known where two hosts have one name', () => {
    expect(ranksBeside(worldOf(2, 'localhost', 'localhost'), 0)).toBeNull();
  });
});

describe('the CPUs of ranks, each bound to its own', () => {
  const told = (allowed: readonly number[], ofAll: readonly number[]) => {
    const cores = { allowed, siblings: (cpu: number) => [cpu], kinds: [], nodes: [] };
    const world = { ...worldOf(1, 'n1', 'n1'), cpus: ofAll };
    return cpusTold({ world, cores, mpi: undefined }, { own: [1], all: [1, 2] });
  };

  it('are told where all ranks choose among the same', () => {
    expect(told([0, 1, 2], [0, 1, 2])).toEqual([1, 2]);
  });

  it('are told of rank 0 alone where its launcher has given others to another: there nobody here knows which that chose', () => {
    expect(told([0, 1, 2], [0, 1, 2, 16, 17, 18])).toEqual([1]);
  });
});

describe('a call that does not return', () => {
  const jobOf = (transport: string, patienceSeconds: number): Pick<Job, 'native' | 'case'> =>
    ({ case: { parameters: { transport } }, native: { parameters: { patienceSeconds } } }) as unknown as Job;

  it('is waited for longer than any rank waits for another, the longer the more is exchanged', () => {
    expect(stuckAfter(jobOf('mpi', 10))).toBe(25);
    expect(stuckAfter(jobOf('mpi', 96))).toBe(111);
  });

  it('is told with what it may be, and whose it is', () => {
    const rest = 'took longer than 25 s, which is all that is waited: a rank is lost, hangs, or is just slow';
    expect(stuckText(jobOf('mpi', 10), 25)).toBe(`a call of MPI ${rest}`);
    expect(stuckText(jobOf('nccl', 10), 25)).toBe(`a call of NCCL ${rest}`);
  });
});

import { describe, expect, it } from 'vitest';
import {
  type Loss,
  lateText,
  lossText,
  startLossText,
  unreachableHost,
} from '../../src/execution/mpi-loss.js';

const lossOf = (said: string, more: Partial<Loss> = {}): Loss => ({
  code: 137,
  signal: null,
  said,
  ranks: 2,
  members: [
    { host: 'one', process: 100 },
    { host: 'two', process: 200 },
  ],
  ...more,
});

describe('why the ranks of a job ended', () => {
  it('says which rank Open MPI lost', () => {
    const said =
      '--------------------------------------------------------------------------\n' +
      'Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n' +
      '--------------------------------------------------------------------------\n' +
      'mpirun noticed that process rank 1 with PID 0 on node two exited on signal 9 (Killed).\n';
    expect(lossText(lossOf(said))).toBe('rank 1 of 2 on two was killed by signal 9 (SIGKILL)');
  });

  it('finds the rank of the process that MPICH names, which need not be the one that was lost first', () => {
    const said =
      '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 200 RUNNING AT two\n=   EXIT CODE: 9\n' +
      '=   CLEANING UP REMAINING PROCESSES\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n';
    expect(lossText(lossOf(said))).toBe(
      'a rank of 2 was killed by signal 9 (SIGKILL); MPICH names rank 1 on two',
    );
  });

  it('says which rank another found gone, where UCX ended that other one for it', () => {
    const copied =
      '[two:200 :0:207]      cma_ep.c:81   process_vm_readv(pid=201 {0x7f,524288}-->{0x7e,524288}) returned -1: No such process\n';
    const hydra = (pid: number, signal: string) =>
      `=   PID ${pid} RUNNING AT two\n=   EXIT CODE: 1\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: ${signal}\n`;
    const members = [
      { host: 'two', process: 200 },
      { host: 'two', process: 201 },
    ];
    expect(lossText(lossOf(copied + hydra(200, 'Aborted (signal 6)'), { members }))).toBe(
      'rank 1 of 2 on two was gone: another, which read or wrote its memory, was told that there is no such process',
    );
    expect(lossText(lossOf(copied + hydra(201, 'Killed (signal 9)'), { members }))).toBe(
      'a rank of 2 was killed by signal 9 (SIGKILL); MPICH names rank 1 on two',
    );
    const slurm = 'srun: error: two: task 0: Aborted (core dumped)\n';
    expect(lossText(lossOf(copied + slurm, { members }))).toMatch(/^rank 1 of 2 on two was gone: /);
    expect(lossText(lossOf(`${copied}${slurm}srun: error: two: task 1: Killed\n`, { members }))).toBe(
      'rank 1 of 2 on two was killed by signal 9 (SIGKILL)',
    );
    // Of a process that is none of the job's ranks nothing follows, nor of another host's.
    const elsewhere = members.map(({ process }) => ({ host: 'one', process }));
    expect(lossText(lossOf(copied + hydra(200, 'Aborted (signal 6)'), { members: elsewhere }))).toBe(
      'a rank of 2 was killed by signal 6 (SIGABRT)',
    );
  });

  it('says which task Slurm lost first, and how', () => {
    const ends: Readonly<Record<string, string>> = {
      Killed: 'was killed by signal 9 (SIGKILL)',
      'Segmentation fault (core dumped)': 'was killed by signal 11 (SIGSEGV)',
      'Exited with exit code 3': 'ended with exit code 3',
      'Out Of Memory': 'ended: Out Of Memory',
    };
    for (const [words, how] of Object.entries(ends)) {
      const said =
        `srun: error: n1: task 1: ${words}\nsrun: Terminating StepId=2.0\n` +
        'slurmstepd: error: *** STEP 2.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***\nsrun: error: n1: task 0: Killed\n';
      expect(lossText(lossOf(said))).toBe(`rank 1 of 2 on two ${how}`);
    }
  });

  it('says otherwise what the launcher said first', () => {
    const said = `${'-'.repeat(70)}\nThere are not enough slots available in the system to satisfy the 4\nslots that were requested by the application:\n\n  node\n`;
    expect(lossText(lossOf(said, { code: 1, members: [] }))).toBe(
      'the job of 2 ranks ended with exit code 1: There are not enough slots available in the system to satisfy the 4 slots that were requested by the application:',
    );
    expect(lossText(lossOf('', { code: null, signal: 'SIGTERM' }))).toBe(
      'the job of 2 ranks was ended by SIGTERM',
    );
  });
});

describe('why ranks ended while they started', () => {
  it('is said with what may keep a crash from happening, and of nothing else', () => {
    const crash = 'YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n';
    const hydra = `=   PID 200 RUNNING AT two\n=   EXIT CODE: 139\n${crash}`;
    expect(startLossText(lossOf(hydra, { members: [] }))).toMatch(
      /^a rank of 2 was killed by signal 11 \(SIGSEGV\) before .*UCX_MEM_EVENTS=no/,
    );
    const killed = 'mpirun noticed that process rank 1 with PID 0 on node two exited on signal 9 (Killed).\n';
    expect(startLossText(lossOf(killed, { members: [] }))).toBe(
      'rank 1 of 2 was killed by signal 9 (SIGKILL)',
    );
  });
});

describe('ranks that did not find each other in time', () => {
  it('are said with what their launcher said meanwhile', () => {
    const said = 'srun: job 5 queued and waiting for resources\n';
    expect(lateText({ ranks: 2, said }, 60)).toBe(
      '2 ranks did not find each other within 60 s; what was said: srun: job 5 queued and waiting for resources',
    );
    expect(lateText({ ranks: 2, said: '' }, 60)).toBe('2 ranks did not find each other within 60 s');
  });
});

describe('a host that cannot be reached', () => {
  it('is known by what ssh says of it', () => {
    for (const line of [
      'ssh: Could not resolve hostname nowhere: Name or service not known\r',
      'ssh: connect to host 192.0.2.7 port 22: No route to host',
      'Host key verification failed.',
      'me@node2: Permission denied (publickey).',
    ])
      expect(unreachableHost(line)).toBe(line.trim());
  });

  it('is not what ranks, libraries or a login say beside', () => {
    for (const line of ['Welcome to node2', 'cat: /etc/secret: Permission denied', '', '[node2:1] mca: bml'])
      expect(unreachableHost(line)).toBeNull();
  });
});

/** Ranks that srun starts on two nodes, one of which fails in mid-run: only its slurmd, or all that runs there. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { libraryFile } from '../../scripts/lib/mpi-libraries.mjs';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { runsInSlurm, secondLaunch } from '../support/mpi.js';
import { launcher, readRecordFile, type Running, start, startPiBench, withFolder } from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';

const LIBRARY = libraryFile('libmpich.so.12');
/** Until Slurm knows that a node does not answer. */
const PATIENCE_S = 6;
/** So long pi-bench waits for ranks, which Slurm never starts on a node that is down. */
const JOIN_S = 20;
/** One such wait, and what Slurm takes to give up a node. */
const MOST_MS = 90_000;

type Ends = PiBenchRecord['batches'][number]['inspections'];

/** A campaign of four launches on both nodes, in whose second something happens. Returns how its launches ended. */
async function launchesOn(slurm: Slurm, happens: () => Promise<void>): Promise<Ends> {
  return withFolder(async (out) => {
    const what = ['collective', 'all-reduce', '--transport', 'mpi', '--mpi-library', LIBRARY ?? ''];
    const how = ['--launcher', 'srun --mpi=pmi2 --nodes=2', '--ranks', '2', '--no-pin', '--bytes', '4KiB'];
    const long = ['--duration', '3s', '--inspections', '4', '--no-wait', '--quiet', '--out', out];
    const env = { ...slurm.env, PIBENCH_RENDEZVOUS_SECONDS: String(JOIN_S) };
    const running = startPiBench([...what, ...how, ...long], undefined, env);
    const { folder } = await secondLaunch(out, running.child, 'mpi-worker.js', runsInSlurm(slurm));
    const begin = performance.now();
    await happens();
    const run = await running.ended;
    console.log(performance.now() - begin, run, JSON.stringify(readRecordFile(folder).batches.flatMap(b=>b.inspections.map(i=>[i.status,i.reason]))));
    expect(performance.now() - begin).toBeLessThan(MOST_MS);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(2);
    return readRecordFile(folder).batches.flatMap(({ inspections }) => inspections);
  });
}

const withSlurm = async (skip: (why: string) => void, use: (slurm: Slurm) => Promise<void>): Promise<void> => {
  const slurm = await startSlurm({ nodes: 2, isolate: false, patience: PATIENCE_S });
  if (typeof slurm === 'string') return skip(slurm);
  try {
    await use(slurm);
  } finally {
    await slurm.stop();
  }
};

describe.skipIf(LIBRARY === undefined)('ranks on two nodes of Slurm (skipped where MPICH is not installed)', () => {
  it('whose slurmd ends measure to their end; the next are not waited for twice', ({ skip }) =>
    withSlurm(skip, async (slurm) => {
      const ends = await launchesOn(slurm, () => slurm.killDaemon('n2'));
      expect(ends.map(({ status }) => status)).toEqual(['measured', 'measured', 'failed', 'failed']);
      expect(ends[2]?.reason).toMatch(/^2 ranks did not find each other within 20 s; what was said: srun: /);
      expect(ends[3]?.reason).toBe(ends[2]?.reason);
    }));

  it('one of which is lost with all that runs there: its rank is named, and what was measured is kept', ({
    skip,
  }) =>
    withSlurm(skip, async (slurm) => {
      const ends = await launchesOn(slurm, () => slurm.killNode('n2'));
      expect(ends.map(({ status }) => status)).toEqual(['measured', 'crashed', 'failed', 'failed']);
      expect(ends[1]?.reason).toMatch(/^rank 1 of 2 /);
    }));
});

describe.skipIf(LIBRARY === undefined)('a job of srun (skipped where MPICH is not installed)', () => {
  it('has one rank killed: its launch fails soon, and resumed in a new job the campaign has all of them', ({
    skip,
  }) =>
    withSlurm(skip, async (slurm) =>
      withFolder(async (out) => {
        const within = (...args: readonly string[]): Running => {
          const how = ['--quiet', '--mpi=pmi2', '-n', '2', process.execPath, launcher];
          return start('srun', [...how, ...args, '--no-wait', '--quiet'], undefined, slurm.env);
        };
        const what = ['collective', 'all-reduce', '--transport', 'mpi', '--mpi-library', LIBRARY ?? ''];
        const long = ['--bytes', '4KiB', '--duration', '3s', '--inspections', '3', '--no-pin', '--out', out];
        const { child, ended } = within(...what, ...long);
        const { folder, pid } = await secondLaunch(out, child, 'pi-bench.mjs', runsInSlurm(slurm));
        const begin = performance.now();
        process.kill(pid, 'SIGKILL');
        const run = await ended;
        console.log(performance.now() - begin, run, readdirSync(folder));
        expect(performance.now() - begin).toBeLessThan(MOST_MS);
        expect(run.code).not.toBe(0);

        const resumed = await within('resume', folder).ended;
        expect(resumed.stderr).toBe('');
        expect(resumed.code).toBe(0);
        const [batch] = readRecordFile(folder).batches;
        expect([batch?.verified, batch?.measured]).toEqual(['passed', 3]);
      }),
    ));
});

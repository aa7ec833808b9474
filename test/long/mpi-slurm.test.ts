/** Ranks that srun starts on two nodes, one of which fails in mid-run: only its slurmd, or all that runs there. */
import { describe, expect, it } from 'vitest';
import { libraryFile } from '../../scripts/lib/mpi-libraries.mjs';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { runsInSlurm, secondLaunch } from '../support/mpi.js';
import {
  launcher,
  type Running,
  readRecordFile,
  start,
  startPiBench,
  withFolder,
} from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';

const LIBRARY = libraryFile('libmpich.so.12');
/** Until Slurm knows that a node does not answer. */
const PATIENCE_S = 6;
/** So long pi-bench waits for ranks, which Slurm never starts on a node that is down. */
const JOIN_S = 20;
/** One such wait, and what Slurm takes to give up a node. */
const MOST_MS = 90_000;

type Ends = PiBenchRecord['batches'][number]['inspections'];

/** A campaign of five launches on both nodes, in whose second something happens. Returns how its launches ended. */
async function launchesOn(slurm: Slurm, happens: () => Promise<void>): Promise<Ends> {
  return withFolder(async (out) => {
    const what = ['collective', 'all-reduce', '--transport', 'mpi', '--mpi-library', LIBRARY ?? ''];
    const how = ['--launcher', 'srun --mpi=pmi2 --nodes=2', '--ranks', '2', '--no-pin', '--bytes', '4MiB'];
    const long = ['--duration', '3s', '--inspections', '5', '--no-wait', '--quiet', '--out', out];
    const env = { ...slurm.env, PIBENCH_RENDEZVOUS_SECONDS: String(JOIN_S) };
    const running = startPiBench([...what, ...how, ...long], undefined, env);
    const { folder } = await secondLaunch(out, running.child, 'mpi-worker.js', runsInSlurm(slurm));
    const begin = performance.now();
    await happens();
    const run = await running.ended;
    expect(performance.now() - begin).toBeLessThan(MOST_MS);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(2);
    return readRecordFile(folder).batches.flatMap(({ inspections }) => inspections);
  });
}

const withSlurm = async (
  skip: (why: string) => void,
  use: (slurm: Slurm) => Promise<void>,
): Promise<void> => {
  const slurm = await startSlurm({ nodes: 2, isolate: false, patience: PATIENCE_S });
  if (typeof slurm === 'string') return skip(slurm);
  try {
    await use(slurm);
  } finally {
    await slurm.stop();
  }
};

describe.skipIf(LIBRARY === undefined)(
  'ranks on two nodes of Slurm (skipped where MPICH is not installed)',
  () => {
    /** What the launches come to when Slurm knows by itself that the node is down: only one of them is waited for. */
    const expectNotWaitedTwice = (ends: Ends): void => {
      const [before, last] = ends.slice(-2).map(({ reason }) => reason);
      expect(last).toMatch(/^2 ranks did not find each other within 20 s; what was said: srun: /);
      expect(before).toBe(last);
    };

    it('whose slurmd ends measure to their end; the next are not started, and not waited for twice', ({
      skip,
    }) =>
      withSlurm(skip, async (slurm) => {
        const ends = await launchesOn(slurm, () => slurm.killDaemon('n2'));
        expect(ends.map(({ status }) => status)).toEqual([
          ...['measured', 'measured'],
          ...['failed', 'failed', 'failed'],
        ]);
        // Slurm may not know yet.
        expect(ends[2]?.reason).toMatch(
          /^2 ranks did not find each other|^those of 2 ranks that belong on n2/,
        );
        expectNotWaitedTwice(ends);
      }));

    it('one of which is lost with all that runs there: its rank is named, and what was measured is kept', ({
      skip,
    }) =>
      withSlurm(skip, async (slurm) => {
        const ends = await launchesOn(slurm, () => slurm.killNode('n2'));
        expect(ends.slice(0, 2).map(({ status }) => status)).toEqual(['measured', 'crashed']);
        expect(ends[1]?.reason).toMatch(/^rank 1 of 2 on \S+ was killed by signal 9 \(SIGKILL\)/);
        expectNotWaitedTwice(ends);
      }));
  },
);

describe.skipIf(LIBRARY === undefined)('a job of srun (skipped where MPICH is not installed)', () => {
  const what = ['collective', 'all-reduce', '--transport', 'mpi', '--mpi-library', LIBRARY ?? ''];
  const long = ['--bytes', '4MiB', '--duration', '3s', '--inspections', '3', '--no-pin'];

  /** pi-bench as two ranks. */
  const within = ({ env }: Slurm, more: readonly string[], ...args: readonly string[]): Running => {
    const how = ['--quiet', '--mpi=pmi2', '-n', '2', ...more, process.execPath, launcher];
    return start('srun', [...how, ...args, '--no-wait', '--quiet'], undefined, env);
  };

  /** One rank is killed in the second launch. Returns the campaign's folder, when srun has ended. */
  async function loseOne(slurm: Slurm, out: string, more: readonly string[]): Promise<string> {
    const { child, ended } = within(slurm, more, ...what, ...long, '--out', out);
    const { folder, pid } = await secondLaunch(out, child, 'pi-bench.mjs', runsInSlurm(slurm));
    const begin = performance.now();
    process.kill(pid, 'SIGKILL');
    expect((await ended).code).not.toBe(0);
    expect(performance.now() - begin).toBeLessThan(MOST_MS);
    return folder;
  }

  it('of which a rank is killed finds out by itself, and its record has what was measured before', ({
    skip,
  }) =>
    withSlurm(skip, (slurm) =>
      withFolder(async (out) => {
        const { batches } = readRecordFile(await loseOne(slurm, out, []));
        expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([['passed', 1]]);
        expect(batches[0]?.inspections[1]?.reason).toMatch(
          /^(?:a call of MPI has not returned for 25 s: a rank is lost, or hangs|rank 1 of 2 did not arrive)/,
        );
      }),
    ));

  it('that ends with its first rank: resumed in a new one, the campaign has all of its launches', ({
    skip,
  }) =>
    withSlurm(skip, (slurm) =>
      withFolder(async (out) => {
        const folder = await loseOne(slurm, out, ['--kill-on-bad-exit=1']);
        const resumed = await within(slurm, [], 'resume', folder).ended;
        expect(resumed.stderr).toBe('');
        expect(resumed.code).toBe(0);
        const { batches } = readRecordFile(folder);
        expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([['passed', 3]]);
      }),
    ));
});

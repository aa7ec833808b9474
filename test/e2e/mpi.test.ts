import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import {
  campaignFolder,
  launcher as entry,
  piBench,
  readRecordFile,
  root,
  start,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';

const SHORT = ['--reps', '30', '--warmup', '5', '--no-wait', '--quiet', '--json'];
const AS_ROOT = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };

const which = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** What a loader finds under a name. */
function library(soname: string): string | undefined {
  const cache = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? '';
  return cache
    .split('\n')
    .find((line) => line.includes(`${soname} (`))
    ?.split(' => ')[1];
}

interface Mpi {
  readonly name: string;
  readonly launcher: string;
  readonly library: string;
  /** That ranks may be more than CPUs. */
  readonly crowd: readonly string[];
  /** What is said when rank 1 is killed: MPICH ends the other, and names any of the two. */
  readonly lost: RegExp;
}
const MPIS: readonly Mpi[] = [
  {
    name: 'Open MPI',
    launcher: 'mpirun.openmpi',
    library: 'libmpi.so.40',
    crowd: ['--oversubscribe'],
    lost: /^rank 1 of 2 on \S+ was killed by signal 9 \(SIGKILL\), in phase/,
  },
  {
    name: 'MPICH',
    launcher: 'mpirun.mpich',
    library: 'libmpich.so.12',
    crowd: [],
    lost: /^a rank of 2 was killed by signal 9 \(SIGKILL\); MPICH names rank [01]/,
  },
];
interface Wrong {
  readonly dtype: string;
  readonly redop: string;
}
/** MPICH 4.0 compares unsigned numbers as signed ones, also where a C program asks it to. */
const isKnown = ({ dtype, redop }: Wrong): boolean =>
  dtype === 'uint8' && (redop === 'min' || redop === 'max');

const isHere = ({ launcher, library: soname }: Mpi): boolean =>
  which(launcher) !== undefined && library(soname) !== undefined;

const reasonsOf = ({ batches }: PiBenchRecord): readonly string[] =>
  batches.flatMap(({ inspections }) => inspections.flatMap(({ reason }) => reason ?? []));

/** Kernel ids of processes whose command line names all of these. */
const processesWith = (...words: readonly string[]): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return (
          line[0] === process.execPath && words.every((word) => line.some((part) => part.includes(word)))
        );
      } catch {
        return false;
      }
    });

for (const mpi of MPIS) {
  describe.skipIf(!isHere(mpi))(
    `${mpi.name} (skipped where ${mpi.launcher} or ${mpi.library} is not installed)`,
    () => {
      const file = library(mpi.library) ?? '';

      it('gives right results of every operation, data type and operator', () => {
        const args = [
          ...mpi.crowd,
          '-np',
          '2',
          process.execPath,
          join(root, 'test/support/mpi-operations.mjs'),
          file,
        ];
        const said = execFileSync(mpi.launcher, args, {
          encoding: 'utf8',
          env: { ...process.env, ...AS_ROOT },
        });
        const { count, wrong, ranks } = JSON.parse(said) as {
          count: number;
          wrong: Wrong[];
          ranks: number;
        };
        expect(ranks).toBe(2);
        expect(wrong.filter((one) => mpi.name !== 'MPICH' || !isKnown(one))).toEqual([]);
        expect(count).toBeGreaterThan(150);
      });

      it('is measured with fresh ranks for each launch', () =>
        withFolder(async (out) => {
          const what = ['collective', 'all-reduce', '--transport', 'mpi', '--launcher', mpi.launcher];
          const sizes = ['--ranks', '2', '--bytes', '8,64KiB', '--inspections', '1', '--out', out];
          const run = await piBench(...what, ...sizes, ...SHORT);
          expect(run.stderr).toBe('');
          const record = JSON.parse(run.stdout) as PiBenchRecord;
          expect(reasonsOf(record)).toEqual([]);
          expect(run.code).toBe(0);
          expect(written.record.safeParse(record).error).toBeUndefined();
          expect(brokenRules(record)).toEqual([]);
          for (const batch of record.batches) {
            expect(batch.verified).toBe('passed');
            expect(batch.stack.implementation).toMatch(
              new RegExp(`^${mpi.name} \\d+\\.\\d+.*, 2 processes on 1 host, MPI_Allreduce$`),
            );
            expect(batch.ranks?.ranks).toHaveLength(2);
            // A library does not say how long it waits.
            expect(batch.ranks?.useful).toBeNull();
            expect(batch.inspections[0]?.notChecked.map(({ flag }) => flag)).not.toContain(
              'launches-not-independent',
            );
          }
        }));

      it('is measured in the job of its launcher, where only rank 0 speaks', () =>
        withFolder(async (out) => {
          const args = [
            ...mpi.crowd,
            '-np',
            '2',
            process.execPath,
            entry,
            'collective',
            'all-to-all',
            '--transport',
            'mpi',
          ];
          const sizes = ['--bytes', '4KiB', '--inspections', '2', '--out', out];
          const run = await start(mpi.launcher, [...args, ...sizes, ...SHORT], undefined, {
            ...process.env,
            ...AS_ROOT,
          }).ended;
          expect(run.stderr).toBe('');
          expect(run.code).toBe(0);
          const { batches } = JSON.parse(run.stdout) as PiBenchRecord;
          expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([['passed', 2]]);
          const why = batches[0]?.inspections.map(({ notChecked }) => notChecked.map(({ flag }) => flag));
          for (const flags of why ?? []) expect(flags).toContain('launches-not-independent');
        }));

      it('names a rank that is killed, and keeps what was measured before', () =>
        withFolder(async (out) => {
          const what = [
            'collective',
            'all-reduce',
            '--transport',
            'mpi',
            '--launcher',
            mpi.launcher,
            '--ranks',
            '2',
          ];
          const long = [
            '--bytes',
            '4KiB,8MiB',
            '--reps',
            '20000',
            '--warmup',
            '0',
            '--inspections',
            '1',
            '--seed',
            '1',
          ];
          const { ended } = startPiBench([...what, ...long, '--out', out, '--no-wait', '--quiet']);
          const folder = await until(
            () => (existsSync(out) && readdirSync(out).length > 0 ? campaignFolder(out) : undefined),
            'its folder',
          );
          const journal = (): string =>
            existsSync(join(folder, 'journal.ndjson'))
              ? readFileSync(join(folder, 'journal.ndjson'), 'utf8')
              : '';
          await until(() => (journal().includes('"ended"') ? true : undefined), 'the first launch', 60_000);
          const pids = await until(() => {
            const found = processesWith('mpi-worker.js');
            return found.length === 2 ? found : undefined;
          }, 'the second’s ranks');
          // They join, and begin to measure.
          await new Promise((resolve) => setTimeout(resolve, 2500));
          // Of two, the one that does not lead was started last.
          process.kill(Math.max(...pids), 'SIGKILL');
          const run = await ended;
          expect(run.code).toBe(2);
          const { batches } = readRecordFile(folder);
          const ends = batches.flatMap(({ inspections }) => inspections);
          expect(ends.map(({ status }) => status).sort()).toEqual(['crashed', 'measured']);
          expect(ends.find(({ status }) => status === 'crashed')?.reason).toMatch(mpi.lost);
        }));
    },
  );
}

describe.skipIf(!MPIS.every(isHere))(
  'a library of another launcher (skipped without Open MPI and MPICH)',
  () => {
    for (const [i, mpi] of MPIS.entries()) {
      it(`is an error before anything is measured: ${mpi.name}’s`, () =>
        withFolder(async (out) => {
          const other = MPIS[1 - i]?.launcher ?? '';
          const args = [
            'collective',
            'all-reduce',
            '--transport',
            'mpi',
            '--launcher',
            other,
            '--ranks',
            '2',
          ];
          const run = await piBench(
            ...args,
            '--mpi-library',
            library(mpi.library) ?? '',
            '--out',
            out,
            ...SHORT,
          );
          expect(run.code).toBe(64);
          expect(run.stderr.trim().split('\n')).toHaveLength(1);
          expect(run.stderr).toMatch(
            /the launcher started 2 ranks, but .* sees 1: it does not belong to this launcher/,
          );
          expect(readdirSync(out)).toEqual([]);
        }));
    }
  },
);

/** MPI's ranks as they measure, and what is said where one is lost; mpi-said.test.ts has what is said without measuring. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInstalled, MPI_LIBRARIES, type MpiLibrary } from '../../scripts/lib/mpi-libraries.mjs';
import { brokenRules } from '../../src/record/check.js';
import { written } from '../../src/record/schema.js';
import { secondLaunch, twoRanks } from '../support/mpi.js';
import {
  campaignFolder,
  printedRecord,
  readRecordFile,
  root,
  startPiBench,
  withFolder,
} from '../support/pi-bench.js';

const SHORT = ['--reps', '30', '--warmup', '5', '--no-wait', '--quiet', '--json'];

/**
 * What is said when rank 1 is killed: MPICH ends the other, and names any of the two. Where that one was copying from rank 1 just then,
 * UCX ends it before, and says who was gone.
 */
const LOST: Readonly<Record<MpiLibrary['name'], RegExp>> = {
  'Open MPI': /^rank 1 of 2 on \S+ was killed by signal 9 \(SIGKILL\), last heard of in phase/,
  MPICH:
    /^(a rank of 2 was killed by signal 9 \(SIGKILL\); MPICH names rank [01]|rank 1 of 2 on \S+ was gone: )/,
};

interface Wrong {
  readonly dtype: string;
  readonly redop: string;
}
/** MPICH 4.0 compares unsigned numbers as signed ones, also where a C program asks it to. */
const isKnown = ({ dtype, redop }: Wrong): boolean =>
  dtype === 'uint8' && (redop === 'min' || redop === 'max');

interface Operations {
  readonly ranks: number;
  readonly count: number;
  readonly wrong: readonly Wrong[];
  readonly altered: { readonly passed: boolean } | null;
  readonly lost: string;
}

for (const mpi of MPI_LIBRARIES) {
  describe.skipIf(!isInstalled(mpi))(
    `${mpi.name} (skipped where ${mpi.launcher} or ${mpi.soname} is not installed)`,
    () => {
      const { library, env, argumentsFor, piBench: within } = twoRanks(mpi);

      it('gives right results of every operation, data type and operator, and wrong or missing ranks are seen', () => {
        const program = join(root, 'test/support/mpi-operations.mjs');
        const args = argumentsFor(program, library);
        const { stdout } = spawnSync(mpi.launcher, args, { encoding: 'utf8', env, timeout: 110_000 });
        const said = stdout.split('\n').find((line) => line.startsWith('{')) ?? 'null';
        const { ranks, count, wrong, altered, lost } = JSON.parse(said) as Operations;
        expect(ranks).toBe(2);
        expect(wrong.filter((one) => mpi.name !== 'MPICH' || !isKnown(one))).toEqual([]);
        expect(count).toBeGreaterThan(150);
        expect(altered?.passed).toBe(false);
        expect(lost).toBe('rank 1 of 2 did not arrive within 1 s');
      });

      it('is measured with fresh ranks for each launch; a killed one is named, and the others are kept', () =>
        withFolder(async (out) => {
          const what = ['collective', 'all-reduce', '--transport', 'mpi', '--launcher', mpi.launcher];
          const sizes = ['--ranks', '2', '--bytes', '4KiB,8MiB', '--inspections', '1', '--seed', '1'];
          const long = ['--reps', '20000', '--warmup', '0', '--no-wait', '--quiet'];
          const { child, ended } = startPiBench([...what, ...sizes, ...long, '--out', out]);
          const { folder, pid } = await secondLaunch(out, child, 'mpi-worker.js');
          process.kill(pid, 'SIGKILL');
          expect((await ended).code).toBe(2);
          const record = readRecordFile(folder);
          expect(written.record.safeParse(record).error).toBeUndefined();
          expect(brokenRules(record)).toEqual([]);
          const ends = record.batches.flatMap(({ inspections }) => inspections);
          expect(ends.map(({ status }) => status).sort()).toEqual(['crashed', 'measured']);
          expect(ends.find(({ status }) => status === 'crashed')?.reason).toMatch(LOST[mpi.name]);

          const batch = record.batches.find(({ measured }) => measured === 1);
          expect(batch?.verified).toBe('passed');
          expect(batch?.stack.implementation).toMatch(
            new RegExp(`^${mpi.name} \\d+\\.\\d+.*, 2 processes on 1 host, MPI_Allreduce$`),
          );
          // As the rank's own process has it.
          if (!existsSync('/sys/class/infiniband') && !existsSync('/dev/knem') && !existsSync('/dev/xpmem'))
            expect(batch?.stack.environment).toHaveProperty('UCX_MEM_EVENTS');
          expect(batch?.ranks?.ranks).toHaveLength(2);
          // A library does not say how long it waits.
          expect(batch?.ranks?.useful).toBeNull();
          const notChecked = batch?.inspections[0]?.notChecked.map(({ flag }) => flag);
          expect(notChecked).not.toContain('launches-not-independent');
        }));

      it('is measured by a suite of one’s own, too, which has a verdict by it', () =>
        withFolder(async (folder) => {
          const parameters = `{ operation: all-reduce, transport: mpi, launcher: ${mpi.launcher}, ranks: 2, bytes: 4KiB }`;
          const entry = `{ indicator: collective, parameters: ${parameters}, repetitions: 30, inspections: 1, labels: { part: all-reduce } }`;
          const checks = ['correctness', 'complete'].map((check) => `  - { check: ${check} }`);
          writeFileSync(
            join(folder, 'ranks.yaml'),
            ['name: ranks', 'campaign:', '  measure:', `    - ${entry}`, 'checks:', ...checks, ''].join('\n'),
          );
          const own = { ...env, XDG_STATE_HOME: join(folder, 'state') };
          const run = await startPiBench(
            ['qualify', '--suite', 'ranks.yaml', '--no-wait', '--quiet', '--json'],
            folder,
            own,
          ).ended;
          expect(run.code, run.stderr).toBe(0);
          const { batches, qualification } = printedRecord(run);
          expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([['passed', 1]]);
          expect(qualification?.outcome).toBe('qualified');
        }));

      it('is measured in the job of its launcher, where only rank 0 speaks', () =>
        withFolder(async (out) => {
          const what = ['collective', 'all-to-all', '--transport', 'mpi', '--bytes', '4KiB'];
          const run = await within(...what, '--inspections', '2', '--out', out, ...SHORT).ended;
          expect(run.stderr).toBe('');
          expect(run.code).toBe(0);
          const { batches } = printedRecord(run);
          expect(batches.map(({ verified, measured }) => [verified, measured])).toEqual([['passed', 2]]);
          const why = batches[0]?.inspections.map(({ notChecked }) => notChecked.map(({ flag }) => flag));
          for (const flags of why ?? []) expect(flags).toContain('launches-not-independent');
          const folder = campaignFolder(out);
          // Nothing is left to measure: the others, who wait for rank 0, end well with it.
          const complete = await within('resume', folder, '--json').ended;
          expect(complete.stderr).toBe('');
          expect(complete.code).toBe(0);
          expect(printedRecord(complete).status).toBe('complete');
          // Begun by another pi-bench: rank 0 finds out when the others wait for it already.
          rmSync(join(folder, 'inspections', '0.npz'));
          const journal = join(folder, 'journal.ndjson');
          writeFileSync(
            journal,
            readFileSync(journal, 'utf8').replace(/(?<="piBench":\{"version":")[^"]*/, '0.0'),
          );
          const again = await within('resume', folder).ended;
          expect(again.stderr).toMatch(/^pi-bench: this campaign was begun by pi-bench 0\.0/);
          expect(again.code).toBe(64);
        }));
    },
  );
}

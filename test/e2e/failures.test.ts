import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAwaited, waitingLibrary } from '../support/libraries.js';
import {
  campaignFolder,
  launcher,
  piBench,
  readInspectionFile,
  readRecordFile,
  readSamples,
  start,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';
import { measuringSeconds } from '../support/processes.js';
import { there } from '../support/there.js';

/** Of one thread: where two share CPUs with others, each repetition waits for both. */
const MEASURED = ['matmul', '--size', '256', '--threads', '1', '--warmup', '5'];

/** Sends a signal to the worker of the first launch, amid its repetitions. */
async function hitFirstWorker(signal: NodeJS.Signals, out: string) {
  const go = join(out, 'go');
  const few = ['--size', '64', '--threads', '1', '--warmup', '5', '--reps', '400', '--inspections', '3'];
  const library = waitingLibrary(out, go, 200);
  const results = join(out, 'results');
  const running = startPiBench(['matmul', ...few, '--stack', `cblas:${library}`, '--out', results]);
  await until(() => (isAwaited(go) ? true : undefined), 'its repetitions');
  process.kill(await until(() => workerOf(running.child.pid ?? 0), 'the worker'), signal);
  writeFileSync(go, '');
  const run = await running.ended;
  return { run, record: readRecordFile(campaignFolder(results)) };
}

describe('a launch that is lost', () => {
  it.each([
    ['SIGKILL', 'killed', /killed by SIGKILL, last heard of in phase/],
    ['SIGSEGV', 'crashed', /crashed with SIGSEGV, last heard of in phase/],
  ] as const)('to %s is recorded with its reason, the others go on, and the exit code says incomplete', (signal, status, reason) =>
    withFolder(async (out) => {
      const { run, record } = await hitFirstWorker(signal, out);
      const batch = record.batches[0];
      expect(batch?.inspections[0]?.status).toBe(status);
      expect(batch?.inspections[0]?.reason).toMatch(reason);
      expect(batch?.inspections.slice(1).map((launch) => launch.status)).toEqual(['measured', 'measured']);
      expect([batch?.measured, batch?.planned]).toEqual([2, 3]);
      expect(record.status).toBe('incomplete');
      expect(there(record.accounting, 'accounting').lost).toBeGreaterThan(0);
      expect(run.stdout).toContain('2 of 3 launches');
      expect(run.code).toBe(2);
    }));

  it('to its time limit keeps what was measured until then', () =>
    withFolder(async (out) => {
      const run = await piBench(
        ...MEASURED,
        ...['--reps', '1000000', '--inspections', '1', '--timeout', '2500ms', '--out', out],
      );
      const folder = campaignFolder(out);
      const launch = readRecordFile(folder).batches[0]?.inspections[0];
      expect(launch?.status).toBe('timed-out');
      expect(launch?.reason).toMatch(/reached its limit of 2\.500 s/);
      // The limit counts the start, too: a slow one leaves few repetitions.
      const kept = readSamples(folder, 0).seconds.length;
      expect(kept).toBeGreaterThan(0);
      expect(launch?.statistics?.n).toBe(kept);
      expect(run.code).toBe(2);
    }));

  it('to a lack of memory is recorded as that', () =>
    withFolder(async (out) => {
      // The address space is limited for the whole family; Node itself needs much of it.
      const size = '9000';
      const limited = `ulimit -v 1900000; exec ${process.execPath} ${launcher} matmul --size ${size} --reps 1 --inspections 1 --out ${out}`;
      const { stderr, code } = await start('bash', ['-c', limited]).ended;
      expect(stderr).toMatch(/out of memory|out-of-memory/);
      expect(code).toBe(2);
      expect(readRecordFile(campaignFolder(out)).batches[0]?.inspections[0]?.status).toBe('out-of-memory');
    }));
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s stops cleanly: the record says interrupted and holds all that was measured', (signal, code) =>
    withFolder(async (out) => {
      const args = [...MEASURED, '--reps', '6000', '--inspections', '2'];
      const running = startPiBench([...args, '--out', out]);
      const folder = await until(() => {
        try {
          return campaignFolder(out);
        } catch {
          return undefined;
        }
      }, 'the campaign');
      // Into the repetitions of the second launch.
      await until(() => {
        try {
          return readInspectionFile(folder, 0);
        } catch {
          return undefined;
        }
      }, 'the first document');
      const worker = await until(() => {
        const second = workerOf(running.child.pid ?? 0);
        return second !== undefined && measuringSeconds(second) > 0.15 ? second : undefined;
      }, 'the second launch to measure');
      // As a terminal does: to all of the group.
      for (const pid of [worker, running.child.pid ?? 0]) process.kill(pid, signal);
      const run = await running.ended;
      expect(run.code).toBe(code);
      const record = readRecordFile(folder);
      expect(record.status).toBe('interrupted');
      const [first, second] = record.batches[0]?.inspections ?? [];
      expect(first?.status).toBe('measured');
      expect(first?.statistics?.n).toBe(6_000);
      expect(second?.status).toBe('interrupted');
      expect(second?.statistics?.n).toBeGreaterThan(0);
      expect(second?.verification?.passed).toBe(true);

      const resumed = await piBench('resume', folder);
      expect(resumed.code).toBe(0);
      expect(readRecordFile(folder).status).toBe('complete');
      expect(readRecordFile(folder).batches[0]?.inspections.map(({ statistics }) => statistics?.n)).toEqual([
        6_000, 6_000,
      ]);
    }));
});

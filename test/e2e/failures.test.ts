import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAwaited, waitingLibrary } from '../support/libraries.js';
import {
  campaignFolder,
  launcher,
  readRecordFile,
  start,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';
import { there } from '../support/there.js';

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

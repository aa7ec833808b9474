/** A launch whose repetitions take longer than one waits for a process that is to end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tinyLibrary } from '../support/libraries.js';
import {
  campaignFolder,
  piBench,
  readRecordFile,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';

let folder = '';
let slow: readonly string[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-stopping-'));
  const path = tinyLibrary(folder, 'sleeps', 'SLEEPS=8');
  const few = ['--size', '8', '--threads', '1', '--inspections', '1', '--warmup', '0'];
  slow = ['matmul', ...few, '--reps', '5', '--quiet', '--stack', `cblas:${path}`];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('keeps all that was measured when a signal comes in the middle of one', () =>
  withFolder(async (out) => {
    const running = startPiBench([...slow, '--out', out]);
    await until(() => workerOf(running.child.pid ?? 0), 'the worker');
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const [launch] = readRecordFile(campaignFolder(out)).batches[0]?.inspections ?? [];
    expect(launch).toMatchObject({ status: 'interrupted', verification: { passed: true } });
    expect(launch?.statistics?.n).toBe(2);
  }));

it('keeps all that was measured when its time ends in the middle of one', () =>
  withFolder(async (out) => {
    expect((await piBench(...slow, '--timeout', '11s', '--out', out)).code).toBe(2);
    const [launch] = readRecordFile(campaignFolder(out)).batches[0]?.inspections ?? [];
    expect(launch).toMatchObject({ status: 'timed-out', verification: { passed: true } });
    expect(launch?.statistics?.n).toBe(2);
  }));

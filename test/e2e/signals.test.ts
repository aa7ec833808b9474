/** Signals that end a campaign amid the repetitions of a launch: these may be over before, where others run as well. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  campaignFolder,
  launcher,
  piBench,
  readInspectionFile,
  readRecordFile,
  start,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';
import { measuringSeconds } from '../support/processes.js';

/** Of one thread: where two share CPUs with others, each repetition waits for both. */
const MEASURED = ['matmul', '--size', '256', '--threads', '1', '--warmup', '5'];
/** Of a launch, which measures for longer than it takes to find that it does. */
const REPETITIONS = 6000;

const campaignBegun = (out: string): Promise<string> =>
  until(() => {
    try {
      return campaignFolder(out);
    } catch {
      return undefined;
    }
  }, 'the campaign');

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s stops cleanly: the record says interrupted and holds all that was measured', (signal, code) =>
    withFolder(async (out) => {
      const args = [...MEASURED, '--reps', String(REPETITIONS), '--inspections', '2'];
      const running = startPiBench([...args, '--out', out]);
      const folder = await campaignBegun(out);
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
      expect(first?.statistics?.n).toBe(REPETITIONS);
      expect(second?.status).toBe('interrupted');
      expect(second?.statistics?.n).toBeGreaterThan(0);
      expect(second?.verification?.passed).toBe(true);

      const resumed = await piBench('resume', folder);
      expect(resumed.code).toBe(0);
      expect(readRecordFile(folder).status).toBe('complete');
      expect(readRecordFile(folder).batches[0]?.inspections.map(({ statistics }) => statistics?.n)).toEqual([
        REPETITIONS,
        REPETITIONS,
      ]);
    }));

  it('SIGHUP does not end a campaign under nohup, nor a launch of it, wherever that is: it goes on to its result', () =>
    withFolder(async (out) => {
      const how = '--reps 3000 --inspections 4 --quiet --no-wait'.split(' ');
      const args = [...MEASURED, ...how, '--out', out];
      // A shell, as it is what a person types nohup into.
      const running = start('bash', ['-c', 'nohup "$@"', 'bash', process.execPath, launcher, ...args]);
      const folder = await campaignBegun(out);
      const isOver = (): boolean =>
        existsSync(join(folder, 'record.json')) || running.child.exitCode !== null;
      // As where a session ends: to all of the job, again and again, in whatever it is at.
      while (!isOver()) {
        process.kill(-(running.child.pid ?? 0), 'SIGHUP');
        await setTimeout(20);
      }
      const run = await running.ended;
      expect(run.stderr).not.toContain('stopping');
      expect(run.code).toBe(0);
      const record = readRecordFile(folder);
      expect(record.status).toBe('complete');
      const [batch] = record.batches;
      expect(batch?.inspections.map(({ status }) => status)).toEqual(Array(4).fill('measured'));
    }));

  it('ends a self-test: what was cut short is no fault that was missed', async () => {
    const running = startPiBench(['doctor', '--self-test']);
    const parent = running.child.pid ?? 0;
    const worker = await until(() => workerOf(parent), 'the first launch');
    // As a terminal does: to all of the group.
    for (const pid of [worker, parent]) process.kill(pid, 'SIGINT');
    const run = await running.ended;
    expect(run.code).toBe(130);
    expect(run.stdout).toContain('Self-test');
    expect(run.stdout).not.toMatch(/MISSED|caught /);
  });

  it('that comes once more ends it at once, and says how the campaign is gone on with', () =>
    withFolder(async (out) => {
      const args = [...MEASURED, '--reps', '2000', '--inspections', '2', '--no-wait'];
      const running = startPiBench([...args, '--out', out]);
      const parent = running.child.pid ?? 0;
      let told = '';
      running.child.stderr?.on('data', (text) => {
        told += String(text);
      });
      const worker = await until(() => {
        const first = workerOf(parent);
        return first !== undefined && measuringSeconds(first) > 0.05 ? first : undefined;
      }, 'the first launch to measure');
      // It would answer the first signal with a record.
      process.kill(worker, 'SIGSTOP');
      try {
        process.kill(parent, 'SIGINT');
        await until(
          () => (told.includes('stopping after') ? true : undefined),
          'the first signal to be taken',
        );
        // Two within 300 ms are one.
        await setTimeout(400);
        process.kill(parent, 'SIGINT');
        const run = await running.ended;
        expect(run.code).toBe(130);
        const folder = campaignFolder(out);
        expect(run.stderr).toContain(
          `pi-bench: SIGINT once more: ended at once, without a record; pi-bench resume ${folder} goes on`,
        );
        expect(existsSync(join(folder, 'record.json'))).toBe(false);
      } finally {
        try {
          process.kill(worker, 'SIGKILL');
        } catch {
          // It died with its parent.
        }
      }
      expect((await piBench('resume', campaignFolder(out), '--no-wait')).code).toBe(0);
    }));
});

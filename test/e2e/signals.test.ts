/** Signals that end a campaign amid the repetitions of a launch: these may be over before, where others run as well. */
import { describe, expect, it } from 'vitest';
import {
  campaignFolder,
  piBench,
  readInspectionFile,
  readRecordFile,
  startPiBench,
  until,
  withFolder,
  workerOf,
} from '../support/pi-bench.js';
import { measuringSeconds } from '../support/processes.js';

/** Of one thread: where two share CPUs with others, each repetition waits for both. */
const MEASURED = ['matmul', '--size', '256', '--threads', '1', '--warmup', '5'];

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

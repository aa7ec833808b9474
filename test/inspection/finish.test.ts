/** What a worker says of where it is while it measures. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finish } from '../../src/inspection/finish.js';
import type { Job, Report } from '../../src/inspection/job.js';
import type { RunningInspection } from '../../src/native.js';

const SECOND = 1000;

/** An inspection whose phase the test decides, with what is said of it. */
function inspection(gate: boolean) {
  const at = { phase: 'allocate', taken: 0 };
  const said: string[] = [];
  let fail: (error: Error) => void = () => {};
  const running: RunningInspection = {
    result: new Promise((_, reject) => {
      fail = reject;
    }),
    progress: () => ({ ...at }),
    cancel() {},
  };
  const job = { framework: null, native: { gate } } as unknown as Job;
  const report = (message: Report): void => {
    if (message.event === 'progress') said.push(`${message.phase} ${message.taken}`);
  };
  const ended = finish(job, running, { startedAt: '', began: 0 }, report).catch(() => {});
  const enter = async (phase: string, milliseconds: number): Promise<void> => {
    at.phase = phase;
    await vi.advanceTimersByTimeAsync(milliseconds);
  };
  const end = async (): Promise<void> => {
    fail(new Error('the end'));
    await ended;
  };
  return { at, said, enter, end };
}

describe('a worker', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('tells at once that what it measures is loaded and is called, and once', async () => {
    const { said, enter, end } = inspection(false);
    await enter('allocate', 0.3 * SECOND);
    expect(said).toEqual([]);
    await enter('warm-up', 40);
    expect(said).toEqual(['warm-up 0']);
    await enter('warm-up', 0.4 * SECOND);
    await enter('calibrate', 0.1 * SECOND);
    expect(said).toEqual(['warm-up 0']);
    await end();
  });

  it('says nothing of its own accord that would fall into the repetitions, but for its progress', async () => {
    const { at, said, enter, end } = inspection(false);
    // So short a start that nobody looked while it lasted.
    await enter('measure', SECOND);
    expect(said).toEqual([]);
    at.taken = 7;
    await enter('measure', SECOND);
    expect(said).toEqual(['measure 7']);
    await end();
  });

  it('tells at once that it is at the gate', async () => {
    const { said, enter, end } = inspection(true);
    await enter('warm-up', 40);
    await enter('gate', 40);
    expect(said).toEqual(['warm-up 0', 'gate 0']);
    await enter('gate', 0.2 * SECOND);
    await enter('measure', 0.2 * SECOND);
    expect(said).toEqual(['warm-up 0', 'gate 0']);
    await end();
  });
});

/** What becomes of a launch whose process cannot even be started, and of one that is to end. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEADLINE } from '../../src/execution/engine.js';
import { makeLimit, patienceFor } from '../../src/execution/limit.js';
import { makeLocalEngine } from '../../src/execution/local.js';
import { monotonic } from '../../src/inspection/job.js';
import { timerMs } from '../../src/timer.js';
import { jobOf, launchOf } from './support.js';

describe('a launch that the system does not start', () => {
  it('has failed, and the campaign goes on', async () => {
    // More than the kernel takes for arguments and environment.
    const environment = Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`BIG_${i}`, 'x'.repeat(120_000)]),
    );
    const end = await makeLocalEngine(null).launch(jobOf({ environment, timeout: 1 }), {
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    expect(end).toMatchObject({ status: 'failed', path: null });
    expect(end.reason).toMatch(/^could not be started: .*E2BIG/);
  });
});

describe('a launch that is told to end', () => {
  const WRITTEN = { event: 'written', path: 'there', ended: 'interrupted', passed: null, refused: [] };
  const endedBy = (signal: AbortSignal) =>
    launchOf(
      `writeSync(3, ${JSON.stringify(`${JSON.stringify(WRITTEN)}\n`)}); process.exit(0);`,
      undefined,
      signal,
    );

  it.each([
    ['a signal', AbortSignal.abort(), 'stopped by a signal'],
    ['a deadline', AbortSignal.abort(DEADLINE), 'ended by the deadline; what was measured is kept'],
  ])('by %s says by what', async (_, signal, reason) => {
    expect(await endedBy(signal)).toMatchObject({ status: 'interrupted', reason, path: 'there' });
  });
});

describe('a launch that should have ended', () => {
  afterEach(() => void vi.useRealTimers());

  it('may end its running repetition, by what those before it took, but not for ever', () => {
    expect(patienceFor('measure', 4, 20)).toBe(10);
    expect(patienceFor('measure', 1, 1000)).toBe(60);
  });

  it('may verify and write what it has', () => {
    for (const phase of ['cool-down', 'verify', 'done']) expect(patienceFor(phase, 4, 20)).toBe(60);
  });

  it('is ended where it shows no progress, and not while it does', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    const endedAfter = (taken: () => number): number => {
      const began = monotonic();
      let ended = Number.NaN;
      const seen = () => ({ phase: 'measure', taken: taken(), measuringSince: began - 0.2 });
      makeLimit(seen, () => (ended = monotonic() - began)).after(0.02, 0.5);
      vi.runAllTimers();
      return ended;
    };
    // One repetition in 0.22 s: the next one gets twice that.
    expect(endedAfter(() => 1)).toBeCloseTo(0.02 + 0.44, 2);
    let taken = 0;
    expect(endedAfter(() => ++taken)).toBeCloseTo(0.02 + 0.5, 2);
    expect(taken).toBeGreaterThan(1);
  });

  it('is waited for no longer where it has measured nothing', () => {
    expect(patienceFor('measure', 0, 20)).toBe(0);
    expect(patienceFor('warm-up', 0, 0)).toBe(0);
    expect(patienceFor('start', 0, 0)).toBe(0);
  });
});

describe('a timer', () => {
  it('of years lasts as long as timers can, and does not end at once', () => {
    expect(timerMs(1.5)).toBe(1500);
    expect(timerMs(-1)).toBe(0);
    expect(timerMs(1e9)).toBe(2 ** 31 - 1);
  });
});

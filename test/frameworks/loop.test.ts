/** The loop with the addon's clock and products of this test's own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PreparedProduct } from '../../src/frameworks/adapter.js';
import { type Control, type Loop, NOTHING_TAKEN, repeat, samplesOf } from '../../src/frameworks/loop.js';
import { native } from '../../src/native.js';
import { productOf } from './support.js';

function loop(
  run: PreparedProduct['run'],
  change: Partial<Omit<Loop, 'job'>> & { readonly job?: Partial<Loop['job']> } = {},
) {
  const control: Control = { phase: 'measure', taken: 0, cancelled: false };
  return {
    control,
    loop: {
      product: productOf(run),
      evict: () => {},
      callsPerSample: 1,
      deadline: Number.POSITIVE_INFINITY,
      control,
      breathe: async () => {},
      ...change,
      job: { repetitions: 5, budgetSeconds: 0, least: 1, most: 1, cold: false, ...change.job },
    } satisfies Loop,
  };
}

describe('the loop of frameworks', () => {
  it('makes exactly the repetitions that were asked for, each of so many calls', async () => {
    let calls = 0;
    const { loop: asked } = loop(() => void ++calls, { callsPerSample: 3 });
    const taken = await repeat(asked);
    expect(taken.count).toBe(5);
    expect(calls).toBe(15);
    const { seconds, entries, disturbed, wallSeconds, cancelled } = samplesOf(taken, 3, false);
    expect(entries[0]).toBe(0);
    expect(seconds).toHaveLength(5);
    const last = (entries[4] ?? 0) + 3 * (seconds[4] ?? 0);
    expect(wallSeconds).toBeCloseTo(last, 12);
    expect([disturbed, cancelled]).toEqual([null, false]);
  });

  it('ends a repetition when its promise is kept, not when it is given', async () => {
    const { loop: asked } = loop(() => sleep(20), { job: { repetitions: 2 } });
    const { seconds } = samplesOf(await repeat(asked), 1, true);
    // A timer may be early by less than a millisecond.
    for (const one of seconds) expect(one).toBeGreaterThan(0.019);
  });

  it('goes on for a time, within its limits', async () => {
    const short = { repetitions: 0, budgetSeconds: 0, least: 7, most: 100 };
    expect((await repeat(loop(() => {}, { job: short }).loop)).count).toBe(7);
    const long = { repetitions: 0, budgetSeconds: 1e9, least: 1, most: 9 };
    expect((await repeat(loop(() => {}, { job: long }).loop)).count).toBe(9);
  });

  it('brings operands out of the caches before each repetition, outside of it', async () => {
    let evictions = 0;
    const evict = (): void => {
      ++evictions;
      for (const until = native().endCall() + 5e6; native().endCall() < until; );
    };
    const taken = await repeat(loop(() => {}, { evict, job: { cold: true } }).loop);
    expect(evictions).toBe(5);
    // The first lies before the first repetition, and so outside of the time that all of them take.
    expect(taken.evicting).toBeGreaterThanOrEqual(20e6);
    expect(taken.evicting).toBeLessThan((taken.exits[4] ?? 0) - (taken.entries[0] ?? 0));
    const { seconds } = samplesOf(taken, 1, true);
    expect(Math.min(...seconds)).toBeLessThan(0.005);
  });

  it('stops when somebody cancels and when its time is up, and keeps what it has', async () => {
    const cancelling = loop(() => {});
    const cancelled = await repeat({
      ...cancelling.loop,
      breathe: async () => {
        cancelling.control.cancelled = cancelling.control.taken === 2;
      },
    });
    expect(cancelled).toMatchObject({ count: 3, cancelled: true, outOfTime: false });
    const late = await repeat(loop(() => {}, { deadline: 0 }).loop);
    expect(late).toMatchObject({ count: 1, cancelled: false, outOfTime: true });
  });

  it('that never began has no samples', () => {
    const { seconds, wallSeconds, cancelled } = samplesOf(NOTHING_TAKEN, 1, true);
    expect(seconds).toHaveLength(0);
    expect([wallSeconds, cancelled]).toEqual([0, true]);
  });
});

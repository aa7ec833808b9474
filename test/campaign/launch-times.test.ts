/** How long the launches to come take: what a budget leaves out, and what the progress line says is left. */
import { describe, expect, it } from 'vitest';
import { createLaunchTimes } from '../../src/campaign/launch-times.js';
import type { BatchSpec } from '../../src/record/schema.js';
import { specOf } from '../support/campaign.js';

const lasting = (seconds: number, more: Partial<BatchSpec> = {}): BatchSpec =>
  specOf({
    sampling: { kind: 'budget', seconds, least: 1, most: 1e6 },
    warmup: { kind: 'count', count: 1 },
    ...more,
  });
const counted = (): BatchSpec => specOf({ sampling: { kind: 'fixed', repetitions: 10 } });

describe('a launch that is asked for a time', () => {
  it('takes what is asked of it, warm-up included, before any has ended', () => {
    const times = createLaunchTimes([lasting(900), lasting(1, { warmup: { kind: 'time', seconds: 0.5 } })]);
    expect(times.expected(0)).toBe(900);
    expect(times.expected(1)).toBe(1.5);
  });

  it('takes what others took beyond what was asked of them, too, until one of its own has ended', () => {
    const times = createLaunchTimes([lasting(900), lasting(1), lasting(2)]);
    times.ended(1, 1.25, true);
    times.ended(2, 2.75, true);
    expect(times.expected(0)).toBe(900.5);
    times.ended(0, 300, true);
    expect(times.expected(0)).toBe(300);
    expect(times.expected(1)).toBe(1.25);
  });

  it('is not shorter for one that failed at once, but longer for one that took until its time was up', () => {
    const times = createLaunchTimes([lasting(900), lasting(1)]);
    times.ended(0, 0.1, false);
    expect(times.expected(0)).toBe(900);
    times.ended(0, 1500, false);
    expect(times.expected(0)).toBe(1200);
    expect(times.expected(1)).toBe(1);
  });

  it('is not shorter for others that ended early', () => {
    const times = createLaunchTimes([lasting(900), lasting(60)]);
    times.ended(1, 1, true);
    expect(times.expected(0)).toBe(900);
  });
});

describe('a launch of so many repetitions', () => {
  it('is not known before one has ended, and is then like all that have', () => {
    const times = createLaunchTimes([counted(), counted(), lasting(5)]);
    expect(times.expected(0)).toBeNull();
    expect(times.ofAll([1, 1, 1])).toBeNull();
    times.ended(1, 2, true);
    times.ended(1, 4, true);
    expect(times.expected(0)).toBe(3);
    expect(times.ofAll([2, 0, 1])).toBe(2 * 3 + 5);
  });

  it('is not shorter for one that failed at once, of its own or of others, but longer for one that took longer', () => {
    const times = createLaunchTimes([counted(), counted()]);
    times.ended(0, 0.2, false);
    times.ended(1, 0, false);
    times.ended(0, 40, true);
    times.ended(0, 0.2, false);
    times.ended(0, 0.2, false);
    expect([times.expected(0), times.expected(1)]).toEqual([40, 40]);
    times.ended(0, 80, false);
    expect(times.expected(0)).toBeGreaterThan(40);
  });
});

describe('all that is to come', () => {
  it('is the sum over batches, but of those at once the longest', () => {
    const beside = (device: string) => lasting(10, { device, atOnce: true });
    const times = createLaunchTimes([beside('cpu:0'), beside('cpu:1'), lasting(900)]);
    expect(times.ofAll([3, 3, 1])).toBe(3 * 10 + 900);
    times.ended(0, 10, true);
    times.ended(1, 30, true);
    // Beyond what was asked: 0 and 20.
    expect(times.ofAll([2, 2, 1])).toBe(2 * 30 + 910);
    expect(times.ofAll([0, 0, 0])).toBe(0);
  });
});

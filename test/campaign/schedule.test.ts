import fc from 'fast-check';
import { sum } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { combinations } from '../../src/campaign/combinations.js';
import { type Asked, createSchedule, type LaunchValue } from '../../src/campaign/schedule.js';
import type { BatchSpec, Campaign } from '../../src/record/schema.js';
import { median } from '../../src/statistics/quantile.js';
import { precisionReached } from '../../src/statistics/stopping.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { withModule } from '../support/mocked.js';

const batchOf = (more: Partial<BatchSpec>): BatchSpec =>
  specOf({ inspections: 50, sampling: { kind: 'budget', seconds: 1, least: 20, most: 1000 }, ...more });

/** Repetitions of 1 ms that differ by 1 %, in a launch that is `effect` slower than the others. */
function launched(effect: number, repetitions: number, seed: number): LaunchValue {
  const samples = Float64Array.from(
    { length: repetitions },
    (_, i) => 1e-3 * (1 + effect) * (1 + 0.01 * Math.sin(1 + seed + 2.4 * i)),
  );
  return { samples, costOfRepetition: 1e-3, costOfLaunch: 0.3 };
}

/** Runs a schedule to its end; `effects` tells how much slower each launch is, or null where it fails. */
function run(campaign: Campaign, effectOf: (asked: Asked) => number | null) {
  const schedule = createSchedule(campaign);
  const asked: Asked[] = [];
  const medians: number[][] = campaign.batches.map(() => []);
  for (let next = schedule.next(); next !== null; next = schedule.next()) {
    asked.push(next);
    expect(sum(schedule.expected())).toBeGreaterThanOrEqual(asked.length);
    const effect = effectOf(next);
    const value = effect === null ? null : launched(effect, next.repetitions ?? 500, next.index);
    if (value !== null) medians[next.batch]?.push(median(value.samples));
    schedule.ended(next, value);
  }
  expect(sum(schedule.expected())).toBe(asked.length);
  return { asked, medians };
}

/** Of launch i, between -1 and 1, whatever its neighbours have. */
const noise = (i: number): number => Math.sin(12.9898 * (i + 1) ** 2);

describe('a schedule', () => {
  it('launches a batch of a fixed number exactly so often, failures included', () => {
    const { asked } = run(
      campaignOf([batchOf({ inspections: 5 }), batchOf({ inspections: 2 })]),
      ({ index }) => (index % 2 === 0 ? 0 : null),
    );
    expect(asked.filter(({ batch }) => batch === 0)).toHaveLength(5);
    expect(asked.filter(({ batch }) => batch === 1)).toHaveLength(2);
    expect(asked.every(({ repetitions }) => repetitions === null)).toBe(true);
  });

  it('ends a batch with the first launch after which its precision is reached', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-4, max: 0.03, noNaN: true }), fc.nat(1000), (spread, seed) => {
        const batch = batchOf({ precision: 0.01, inspections: 60 });
        const { medians } = run(campaignOf([batch], seed), ({ launch }) => spread * noise(launch + seed));
        const all = medians[0] ?? [];
        const first = all.findIndex((_, i) => precisionReached(all.slice(0, i + 1), 0.01).reached);
        expect(all).toHaveLength(first === -1 ? 60 : first + 1);
      }),
      { numRuns: 30 },
    );
    const steady = run(campaignOf([batchOf({ precision: 0.01 })]), ({ launch }) => 0.001 * noise(launch));
    expect(steady.asked).toHaveLength(8);
    const noisy = run(
      campaignOf([batchOf({ precision: 0.01, inspections: 40 })]),
      ({ launch }) => 0.2 * noise(launch),
    );
    expect(noisy.asked).toHaveLength(40);
    const between = run(campaignOf([batchOf({ precision: 0.01 })]), ({ launch }) => 0.012 * noise(launch));
    expect(between.asked.length).toBeGreaterThan(8);
    expect(between.asked.length).toBeLessThan(50);
  });

  it('chooses the repetitions of all launches after the third, the pilots, once', () => {
    const { asked } = run(campaignOf([batchOf({ precision: 0.01 })]), ({ launch }) => 0.012 * noise(launch));
    expect(asked.slice(0, 3).map(({ repetitions }) => repetitions)).toEqual([null, null, null]);
    expect(asked.map(({ pilot }) => pilot)).toEqual(asked.map((_, i) => i < 3));
    const chosen = new Set(asked.slice(3).map(({ repetitions }) => repetitions));
    expect(chosen.size).toBe(1);
    const [repetitions] = chosen;
    // Half of the 0.3 s that a launch costs beside: here launches differ more than repetitions.
    expect(repetitions).toBe(150);
  });

  it('leaves alone the repetitions that somebody asked for', () => {
    const fixed = batchOf({ precision: 0.01, sampling: { kind: 'fixed', repetitions: 77 } });
    const { asked } = run(campaignOf([fixed]), ({ launch }) => 0.012 * noise(launch));
    expect(new Set(asked.map(({ repetitions }) => repetitions))).toEqual(new Set([null]));
  });

  it('gives up a batch that only fails, and goes on with the others', () => {
    const { asked } = run(
      campaignOf([batchOf({ precision: 0.01 }), batchOf({ inspections: 6 })]),
      ({ batch }) => (batch === 0 ? null : 0),
    );
    expect(asked.filter(({ batch }) => batch === 0)).toHaveLength(3);
    expect(asked.filter(({ batch }) => batch === 1)).toHaveLength(6);
  });

  it('gives up a batch that begins to fail after it was measured, and not one that fails now and then', () => {
    const noisy = batchOf({ precision: 0.001, inspections: 40 });
    const from = (fails: (launch: number) => boolean) =>
      run(campaignOf([noisy]), ({ launch }) => (fails(launch) ? null : 0.2 * noise(launch))).asked.length;
    expect(from((launch) => launch >= 5)).toBe(8);
    expect(from((launch) => launch % 3 !== 0)).toBe(40);
    const promised = batchOf({ inspections: 12 });
    expect(run(campaignOf([promised]), ({ launch }) => (launch >= 5 ? null : 0)).asked).toHaveLength(12);
  });

  it('goes the same way when it is told the same ends again', () => {
    const campaign = campaignOf(
      [batchOf({ precision: 0.01 }), batchOf({ precision: 0.002, inspections: 20 })],
      9,
    );
    const effect = ({ launch, batch }: Asked): number => (batch === 0 ? 0.012 : 0.03) * noise(launch);
    expect(run(campaign, effect)).toEqual(run(campaign, effect));
  });
});

describe('what a precision takes beside the launches', () => {
  it('is a look at the batch that was launched: in a campaign of many all others stay as they were', async () => {
    let looks = 0;
    const counting = {
      precisionReached: (...asked: Parameters<typeof precisionReached>) => {
        looks++;
        return precisionReached(...asked);
      },
    };
    const counted = await withModule(
      'src/statistics/stopping.ts',
      counting,
      () => import('../../src/campaign/schedule.js'),
    );
    const many = Array.from({ length: 100 }, () => batchOf({ precision: 0.01 }));
    const schedule = counted.createSchedule(campaignOf(many));
    for (let launch = 0; launch < 2 * many.length; launch++) {
      const next = schedule.next();
      if (next === null) throw new Error('there is more to launch');
      const before = looks;
      for (let times = 0; times < 3; times++) schedule.expected();
      schedule.ended(next, launched(0, 50, launch));
      schedule.expected();
      expect(looks - before).toBe(1);
    }
  });
});

describe('combinations', () => {
  it('are all of them, the first name varying slowest', () => {
    expect(combinations({ a: ['1', '2'], b: ['x', 'y'] })).toEqual([
      { a: '1', b: 'x' },
      { a: '1', b: 'y' },
      { a: '2', b: 'x' },
      { a: '2', b: 'y' },
    ]);
    expect(combinations({})).toEqual([{}]);
  });
});

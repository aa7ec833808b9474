import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlannedInspection, rounds } from '../../src/campaign/plan.js';
import type { Campaign } from '../../src/record/schema.js';
import { campaignOf, specOf } from '../support/campaign.js';

const launching = (counts: readonly number[], seed: number): Campaign =>
  campaignOf(
    counts.map((inspections) => specOf({ inspections })),
    seed,
  );

/** As many launches of each batch as it asks for. */
const plan = (campaign: Campaign): readonly PlannedInspection[] => [
  ...rounds(campaign, (batch, launch) => launch < (campaign.batches[batch]?.inspections ?? 0)),
];

const counts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('rounds of launches', () => {
  it('launches each batch as often as it asks for, each launch once', () => {
    fc.assert(
      fc.property(counts, seeds, (inspections, seed) => {
        const planned = plan(launching(inspections, seed));
        inspections.forEach((count, batch) => {
          const launches = planned.filter((p) => p.batch === batch).map(({ launch }) => launch);
          expect(launches).toEqual(Array.from({ length: count }, (_, i) => i));
        });
        expect(planned.map(({ index }) => index)).toEqual(planned.map((_, i) => i));
      }),
    );
  });

  it('is the same for the same seed and another for another', () => {
    const of = (seed: number) => plan(launching([20, 20, 20], seed));
    expect(of(7)).toEqual(of(7));
    expect(of(7).map(({ batch }) => batch)).not.toEqual(of(8).map(({ batch }) => batch));
  });

  it('interleaves: no batch gets ahead of another by more than one launch', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const ahead = [0, 0, 0];
        for (const { batch } of plan(launching([9, 9, 9], seed))) {
          ahead[batch] = (ahead[batch] ?? 0) + 1;
          expect(Math.max(...ahead) - Math.min(...ahead)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('puts each batch first about as often as the others', () => {
    const first = [0, 0];
    for (const { launch, index, batch } of plan(launching([4000, 4000], 3))) {
      if (index === launch * 2) first[batch] = (first[batch] ?? 0) + 1;
    }
    expect(Math.min(...first)).toBeGreaterThan(1850);
  });

  it('leave out a batch from the round on in which it wants no more', () => {
    const some = [
      ...rounds(launching([1, 1], 5), (batch, launch) => launch < 6 && (batch === 1 || launch < 2)),
    ];
    expect(some.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(some.slice(4).map(({ batch }) => batch)).toEqual([1, 1, 1, 1]);
  });

  it('gives every launch data of its own', () => {
    const planned = plan(launching([200], 1));
    expect(new Set(planned.map(({ seed }) => seed)).size).toBe(200);
  });
});

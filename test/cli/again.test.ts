/** What a qualification measures again, how often, and what it takes that to cost. */
import { describe, expect, it } from 'vitest';
import { syntheticBatch } from '../../scripts/lib/synthetic-campaign.mjs';
import { costOfAll, launchesAgain } from '../../src/cli/qualification/again.js';
import type { JudgedCheck } from '../../src/qualify/verdict.js';
import type { BatchSpec, RecordBatch } from '../../src/record/schema.js';

const spec = (device: string, atOnce: boolean, inspections = 1): BatchSpec => ({
  ...syntheticBatch({ size: 8 }),
  device,
  inspections,
  ...(atOnce ? { atOnce } : {}),
});
const took = (...seconds: readonly number[]) => ({
  batches: seconds.map((each) => ({
    inspections: [{ spans: [{ name: 'measure', begin: 0, seconds: each }] }],
  })) as unknown as RecordBatch[],
});
const once = () => 1;

describe('measuring again', () => {
  it('costs the longest of what is measured at once, and the sum of the others', () => {
    const together = Array.from({ length: 64 }, (_, i) => spec(`cpu:${i}`, true));
    const record = took(...together.map((_, i) => (i === 5 ? 4 : 3.5)), 2, 1);
    const batches = [...together, spec('cpu', false), spec('numa:0', false)];
    expect(
      costOfAll(
        record,
        batches.map((_, i) => i),
        batches,
        once,
      ),
    ).toBe(7);
  });

  it('takes one launch, but all of them where they differ from each other', () => {
    const judged = (batch: number, quantity: string, verdict: string): JudgedCheck =>
      ({ judgement: { batch, findings: [{ quantity, verdict }] } }) as unknown as JudgedCheck;
    const batches = [spec('cpu', false, 40), spec('numa:0', false, 40), spec('numa:1', false, 40)];
    const launches = launchesAgain(
      [
        judged(0, 'spread_of_launches', 'inconclusive'),
        judged(1, 'spread_of_launches', 'pass'),
        judged(2, 'slowing', 'fail'),
      ],
      batches,
    );
    expect(batches.map((_, i) => launches(i))).toEqual([40, 1, 1]);
    expect(costOfAll(took(1, 1, 1), [0, 1], batches, launches)).toBe(41);
  });

  it('takes as many of all that are measured at once, which would not be at once otherwise', () => {
    const judged = {
      judgement: { batch: 1, findings: [{ quantity: 'spread_of_launches', verdict: 'fail' }] },
    };
    const batches = [spec('cpu:0', true, 6), spec('cpu:1', true, 6), spec('cpu', false, 6)];
    const launches = launchesAgain([judged as unknown as JudgedCheck], batches);
    expect(batches.map((_, i) => launches(i))).toEqual([6, 6, 1]);
  });
});

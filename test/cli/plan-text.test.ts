/** What a plan says of its batches: each so that it is told from the others, and their time as it will be spent. */
import { describe, expect, it } from 'vitest';
import { planText } from '../../src/cli/plan-text.js';
import type { BatchSpec } from '../../src/record/schema.js';
import { matmulCase } from '../support/batch.js';
import { campaignOf, specOf } from '../support/campaign.js';

const WIDE = 400;
const matmul = matmulCase({ transpose: 'NN', batch: 1, prepack: false });
const timed: Partial<BatchSpec> = {
  case: matmul,
  inspections: 6,
  sampling: { kind: 'budget', seconds: 1, least: 1, most: 1000 },
};
const linesOf = (batches: readonly BatchSpec[]): readonly string[] =>
  planText(campaignOf(batches), WIDE).split('\n');

describe('the plan of a campaign', () => {
  it('tells a stack beside itself by its labels', () => {
    const sides = ['a', 'b'].map((side) => specOf({ ...timed, settle: 0.02, labels: { side } }));
    const [first, second] = linesOf(sides);
    expect(first).toMatch(/, embedded, side a: up to 6 launches of 1\.00 s to settle it within 2\.0 %$/);
    expect(second).toMatch(/, embedded, side b: up to/);
  });

  it('tells devices, and what is measured at once, of which the time is spent once', () => {
    const devices = Array.from({ length: 8 }, (_, i) => `numa:${i}`);
    const alone = devices.map((device) => specOf({ ...timed, device }));
    const together = alone.map((batch) => ({ ...batch, atOnce: true }));
    const only = linesOf(together);
    expect(only.slice(0, 2)).toEqual([
      expect.stringMatching(/, embedded, on numa:0, at once: 6 launches of 1\.00 s$/),
      expect.stringMatching(/, embedded, on numa:1, at once: 6 launches of 1\.00 s$/),
    ]);
    expect(only).toContain('of 8 batches the repetitions take 6.00 s in all, more only where few of them do');
    const beside = linesOf([...alone, ...together]);
    expect(new Set(beside).size).toBe(beside.length);
    expect(beside).toContain(
      'of 16 batches the repetitions take 54.0 s in all, more only where few of them do',
    );
  });

  it('says no more of what runs alone on the CPU', () => {
    const [line] = linesOf([specOf(timed)]);
    expect(line).toMatch(/, embedded: 6 launches of 1\.00 s$/);
  });
});

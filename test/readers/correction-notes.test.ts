/** What is said of ratios that would have a verdict if they were the only ones. */
import { describe, expect, it } from 'vitest';
import type { ComparedPair } from '../../src/readers/comparison/document.js';
import { notesOf } from '../../src/readers/comparison/notes.js';

/** A family of comparisons, the first of which is held back by its correction. */
const family = (looked: boolean, among: number): readonly ComparedPair[] =>
  Array.from({ length: among }, (_, i) => ({
    ...{ candidate: 'b', margin: 0.02, pAdjusted: i === 0 ? 0.09 : 1, among, looked },
    outcome: 'cannot tell',
    interval: { low: i === 0 ? 1.01 : 0.9, high: 1.05 },
  }));

const HELD = '1 ratio has an interval without 1 and no verdict: among';
const CHANCE =
  'chance makes such a one in more than 5.0 % of tables of these (Holm’s correction); more launches tell';

describe('ratios that the number of comparisons leaves without a verdict', () => {
  it('are counted in their own family, and not among comparisons that they were not corrected with', () => {
    expect(notesOf([], [...family(false, 3), ...family(true, 3)])).toEqual([
      `${HELD} 3 comparisons that were to be settled ${CHANCE}`,
      `${HELD} 3 comparisons that were not to be settled ${CHANCE}`,
    ]);
    const [first, ...others] = family(true, 3);
    const told = first === undefined ? [] : [{ ...first, outcome: 'faster' } as const, ...others];
    expect(notesOf([], [...told, ...family(false, 3)])).toEqual([
      `${HELD} 3 comparisons that were not to be settled ${CHANCE}`,
    ]);
  });

  it('are among all of a table that has one family, beside what was not compared', () => {
    const missing: ComparedPair = {
      ...{ candidate: 'b', outcome: 'not measured', margin: 0.02 },
      ...{ pAdjusted: null, among: null, looked: null },
    };
    expect(notesOf([], [...family(false, 3), missing])).toEqual([`${HELD} 3 comparisons ${CHANCE}`]);
    expect(notesOf([], [...family(true, 3), missing])).toEqual([`${HELD} 3 comparisons ${CHANCE}`]);
    expect(notesOf([], [missing])).toEqual([]);
  });
});

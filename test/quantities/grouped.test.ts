/** Counts as people read them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { grouped, plural } from '../../src/quantities/format.js';

it('writes whole numbers in groups of three, as the locale of English does', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(grouped(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
  expect([999, 1000, -1000, 1_234_567].map(grouped)).toEqual(['999', '1,000', '-1,000', '1,234,567']);
});

it('says one launch and several launches', () => {
  expect(plural(1, 'launch', 'launches')).toBe('1 launch');
  expect(plural(20_000, 'repetition')).toBe('20,000 repetitions');
});

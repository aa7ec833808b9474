/** A finding in words: what was measured never reads like the limit that it missed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atLeast, findingText, limitText, measuredText } from '../../src/qualify/findings.js';

const finding = (measured: number, limit: number, unit: string | null = '1') =>
  atLeast({ quantity: 'sustained_of_burst', measured, unit, source: 'suite t1' }, limit);

describe('a finding', () => {
  it('has as many digits as tell it from its limit, and no more where that takes none', () => {
    expect(findingText(finding(0.8999, 0.9))).toBe('sustained of burst 89.99 %, limit ≥ 90.00 % (suite t1)');
    expect(findingText(finding(0.61, 0.9))).toBe('sustained of burst 61.0 %, limit ≥ 90.0 % (suite t1)');
    expect(findingText(finding(0.9, 0.9))).toBe('sustained of burst 90.0 %, limit ≥ 90.0 % (suite t1)');
  });

  it('that misses its limit by a millionth or more never reads like it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
        fc.double({ min: 1e-6, max: 0.5, noNaN: true }),
        fc.constantFrom('1', 'FLOP/s', 'W', null),
        (limit, less, unit) => {
          const missed = finding(limit * (1 - less), limit, unit);
          expect(missed.verdict).toBe('fail');
          expect(limitText(missed)).not.toBe(`≥ ${measuredText(missed)}`);
        },
      ),
    );
  });
});

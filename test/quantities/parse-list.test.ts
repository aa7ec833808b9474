import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geometric, parseByteList, parseNames } from '../../src/quantities/parse-list.js';

describe('a list of sizes', () => {
  it.each([
    ['32KiB', [32768]],
    ['1MiB, 32KiB', [32768, 1048576]],
    ['16KiB..64KiB', [16384, 32768, 65536]],
    ['16KiB..64KiB*4', [16384, 65536]],
    ['16KiB..100KiB*2', [16384, 32768, 65536, 102400]],
    ['1kB..2kB*1.5,1kB', [1000, 1500, 2000]],
    ['4KiB..4KiB', [4096]],
  ])('%s', (text, sizes) => {
    expect(parseByteList(text, '--bytes')).toEqual(sizes);
  });

  it('of a range is ascending and ends where it says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 0, max: 1e9 }),
        fc.double({ min: 1.1, max: 10, noNaN: true }),
        (low, more, factor) => {
          const sizes = geometric(low, low + more, factor);
          expect(sizes.at(-1)).toBe(low + more);
          expect([...sizes].sort((a, b) => a - b)).toEqual(sizes);
        },
      ),
    );
  });

  it.each([
    '',
    'abc',
    '32',
    '32KiB,',
    '..1MiB',
    '2MiB..1MiB',
    '1KiB..1MiB*0.5',
    '1KiB..1MiB*x',
  ])('is not "%s"', (text) => {
    expect(() => parseByteList(text, '--bytes')).toThrow(/--bytes takes sizes with their unit/);
  });
});

describe('a list of names', () => {
  it('has each once, in the order in which they are known', () => {
    expect(parseNames('b,a,b', '--x', ['a', 'b', 'c'])).toEqual(['a', 'b']);
  });
  it('is refused with what there is', () => {
    expect(() => parseNames('a,d', '--x', ['a', 'b'])).toThrow('--x d is unknown; there is a, b');
  });
});

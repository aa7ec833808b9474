import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandValues } from '../../src/quantities/expand.js';
import { parseShare } from '../../src/quantities/parse.js';

const values = (text: string): readonly string[] => expandValues(text, '--size');

describe('several values of a flag', () => {
  it('are a list, each once, in its order', () => {
    expect(values('512')).toEqual(['512']);
    expect(values('1k, 64 ,avx2')).toEqual(['1k', '64', 'avx2']);
    expect(values('64..256,128')).toEqual(['64', '128', '256']);
  });

  it('are a range that doubles, multiplies or adds, its end included', () => {
    expect(values('64..512')).toEqual(['64', '128', '256', '512']);
    expect(values('1..30*3')).toEqual(['1', '3', '9', '27', '30']);
    expect(values('1..4+1')).toEqual(['1', '2', '3', '4']);
    expect(values('2..5+2,7')).toEqual(['2', '4', '5', '7']);
    expect(values('1k..4k')).toEqual(['1000', '2000', '4000']);
  });

  it('leave out no step, however near to the end of a range that adds', () => {
    expect(values('4000..4100+8')).toContain('4096');
    expect(values('2047..2049+1')).toEqual(['2047', '2048', '2049']);
    const count = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), count, (low, many) => {
        const all = Array.from({ length: many }, (_, i) => String(low + i));
        expect(values(`${low}..${low + many - 1}+1`)).toEqual(all);
      }),
    );
  });

  it('are bytes where the end of a range has a unit of bytes', () => {
    expect(values('8..64B')).toEqual(['8B', '16B', '32B', '64B']);
    expect(values('1KiB..4KiB')).toEqual(['1024B', '2048B', '4096B']);
    expect(values('32KiB,1MiB')).toEqual(['32KiB', '1MiB']);
    expect(values('8..64MiB')[0]).toBe('8B');
  });

  it('add bytes to bytes, with or without their unit', () => {
    expect(values('1KiB..4KiB+1KiB')).toEqual(['1024B', '2048B', '3072B', '4096B']);
    expect(values('1KiB..3KiB+1Ki')).toEqual(['1024B', '2048B', '3072B']);
  });

  it('begin with 0 only where they add: 0 cannot be doubled', () => {
    expect(values('0..3+1')).toEqual(['0', '1', '2', '3']);
    expect(values('0..0')).toEqual(['0']);
    expect(() => values('0..3')).toThrow(/^--size: "0\.\.3" begins with 0, .* such as 0\.\.3\+1$/);
    expect(() => values('0..8k*4')).toThrow(/such as 0\.\.8k\+1$/);
  });

  it('are refused where one is typed twice: less would be measured than was asked for', () => {
    expect(() => values('64, 64')).toThrow(/^--size has 64 more than once: leave one out$/);
    expect(() => values('64..256,64..256')).toThrow(/^--size has 64\.\.256 more than once/);
  });

  it('leave alone what has two dots and is no range of numbers', () => {
    expect(values('cblas:../lib/libblas.so')).toEqual(['cblas:../lib/libblas.so']);
  });

  it.each([
    '',
    '64,,128',
    '512..64',
    '1..8*1',
    '1..8+0',
    '1..8*x',
    '1..100000+1',
    '4..5..6',
    // 8000 or 8192 bytes?
    '8K..1MiB',
    '8k..1MiB',
    '1..8+1KiB',
    '1KiB..1MiB*2KiB',
  ])('are refused: "%s"', (text) => {
    expect(() => values(text)).toThrow(/--size/);
  });

  it('are told that the smaller end of a range comes first', () => {
    expect(() => values('512..64')).toThrow(
      /^--size takes ranges .*, the smaller end first; got "512\.\.64"$/,
    );
  });

  it('rise from the lower end to the upper by at most the factor', () => {
    const ends = fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }));
    fc.assert(
      fc.property(ends, fc.integer({ min: 2, max: 9 }), ([a, b], factor) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const steps = values(`${low}..${high}*${factor}`).map(Number);
        expect(steps[0]).toBe(low);
        expect(steps.at(-1)).toBe(high);
        steps.slice(1).forEach((value, i) => {
          expect(value).toBeGreaterThan(steps[i] ?? 0);
          expect(value).toBeLessThanOrEqual((steps[i] ?? 0) * factor * 1.001);
        });
      }),
    );
  });
});

describe('a share', () => {
  it('is a percentage or a number below 1', () => {
    expect(parseShare('1%', '--precision')).toBeCloseTo(0.01, 12);
    expect(parseShare('0.5 %', '--precision')).toBeCloseTo(0.005, 12);
    expect(parseShare('0.02', '--precision')).toBe(0.02);
  });

  it.each(['', '0', '0%', '1', '100%', '-1%', '1e-2', 'one', '5 percent'])('is refused: "%s"', (text) => {
    expect(() => parseShare(text, '--precision')).toThrow(/--precision takes a share such as 1%/);
  });
});

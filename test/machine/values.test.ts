/** The small parsers of the machine's files. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCacheSize } from '../../src/machine/caches.js';
import { decimalNumber, keyedNumbers, wholeNumber } from '../../src/machine/linux/reader.js';
import { chosenOf } from '../../src/machine/memory.js';
import { hashOfMachineId, parseLoadAverage, parseOsRelease } from '../../src/machine/os.js';

describe('values in kernel files', () => {
  it('reads cache sizes with their unit', () => {
    expect([parseCacheSize('48K\n'), parseCacheSize('2M'), parseCacheSize('512')]).toEqual([
      49_152, 2_097_152, 512,
    ]);
    expect(parseCacheSize('large')).toBeNull();
  });

  it('reads the chosen one of several modes', () => {
    expect(chosenOf('always [madvise] never\n')).toBe('madvise');
    expect(chosenOf('always madvise never')).toBeNull();
  });

  it('reads keyed numbers with and without colon and unit, and skips other lines', () => {
    const text = 'MemTotal:  100 kB\nnr_periods 7\nHugePages_Total:     0\nbroken\nkey value\n';
    expect([...keyedNumbers(text)]).toEqual([
      ['MemTotal', 100],
      ['nr_periods', 7],
      ['HugePages_Total', 0],
    ]);
  });

  it('reads os-release with and without quotes', () => {
    const release = parseOsRelease('NAME="Rocky Linux"\nID=rocky\nEMPTY=""\n# NAME=no\nVERSION_ID=\'9.3\'\n');
    expect(Object.fromEntries(release)).toEqual({ NAME: 'Rocky Linux', ID: 'rocky', VERSION_ID: '9.3' });
  });

  it('reads the load average, or nothing', () => {
    expect(parseLoadAverage('0.71 0.21 0.07 2/85 3250\n')).toEqual([0.71, 0.21, 0.07]);
    expect(parseLoadAverage('0.71 0.21')).toBeNull();
  });

  it('tells machines apart without showing their ids', () => {
    const hash = hashOfMachineId('0123456789abcdef0123456789abcdef');
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect('0123456789abcdef0123456789abcdef').not.toContain(hash);
    expect(hashOfMachineId('0123456789abcdef0123456789abcdee')).not.toBe(hash);
    expect(hashOfMachineId('uninitialized')).toBeNull();
  });

  it('gives finite numbers or null for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const value of [wholeNumber(text), decimalNumber(text), parseCacheSize(text)]) {
          expect(value === null || Number.isFinite(value)).toBe(true);
        }
        for (const value of keyedNumbers(text).values()) expect(Number.isFinite(value)).toBe(true);
        expect(() => [parseOsRelease(text), parseLoadAverage(text), chosenOf(text)]).not.toThrow();
      }),
    );
  });
});

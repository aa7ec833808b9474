import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  briefBytes,
  formatBytes,
  formatSeconds,
  significant,
  withPrefix,
} from '../../src/quantities/format.js';
import {
  parseBytes,
  parseCount,
  parseDuration,
  QuantityError,
  requireDuration,
} from '../../src/quantities/parse.js';

describe('counts', () => {
  it.each([
    ['512', 512],
    ['2k', 2000],
    ['4Ki', 4096],
    ['1.5k', 1500],
    ['20_000', 20_000],
    ['1M', 1_000_000],
    ['4.1M', 4_100_000],
    ['0.0011M', 1100],
  ])('%s is %d', (text, value) => {
    expect(parseCount(text, '--reps')).toBe(value);
  });

  it.each([
    '0',
    '-1',
    '1.5',
    '1000000000.5',
    '4.1000001M',
    '',
    'many',
    '2s',
    '64MiB',
    'NaN',
    '1e400',
    '0x10',
    '2 k k',
  ])('%j is refused, and the message names the option', (text) => {
    expect(() => parseCount(text, '--reps')).toThrow(QuantityError);
    expect(() => parseCount(text, '--reps')).toThrow(/--reps/);
  });

  it('says what the most is', () => {
    expect(() => parseCount('11', '--inspections', 10)).toThrow('--inspections takes at most 10; got 11');
  });

  it('reads any whole number back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (n) => parseCount(String(n), '--size') === n),
    );
  });

  it('never returns anything but a positive whole number, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        let value: number;
        try {
          value = parseCount(text, '--size');
        } catch (error) {
          return error instanceof QuantityError;
        }
        return Number.isSafeInteger(value) && value >= 1;
      }),
    );
  });
});

describe('bytes and durations', () => {
  it('reads binary and decimal units', () => {
    expect(parseBytes('64MiB')).toBe(64 * 2 ** 20);
    expect(parseBytes('1GB')).toBe(1e9);
    expect(parseBytes('1 KiB')).toBe(1024);
  });
  it('reads decimals that binary cannot hold as they are typed', () => {
    expect(parseBytes('4.1MB')).toBe(4_100_000);
    expect(parseBytes('1.5B')).toBe(1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (n) => {
        const decimal = (n / 1e6).toFixed(6);
        expect(parseBytes(`${decimal}MB`)).toBe(n);
        expect(parseCount(`${decimal}M`, '--reps')).toBe(n);
      }),
    );
  });
  it('knows no bytes without a unit', () => {
    expect(parseBytes('64')).toBeNull();
  });
  it('reads times', () => {
    expect(parseDuration('2s')).toBe(2);
    expect(parseDuration('500ms')).toBe(0.5);
    expect(parseDuration('5min')).toBe(300);
    expect(parseDuration('2')).toBeNull();
    expect(parseDuration('0s')).toBeNull();
    expect(parseDuration('1e400s')).toBeNull();
  });
  it.each([
    ['us', 1e-6],
    ['\u00b5s', 1e-6],
    ['\u03bcs', 1e-6],
    ['ms', 1e-3],
    ['s', 1],
    ['m', 60],
    ['min', 60],
    ['h', 3600],
  ])('reads any number of %s, in that case alone', (unit, seconds) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom('', ' '), (n, gap) => {
        expect(parseDuration(`${n}${gap}${unit}`)).toBe(n * seconds);
        expect(parseDuration(`${n}${gap}${unit.toUpperCase()}`)).toBeNull();
        expect(requireDuration(`${n}${gap}${unit}`, '--budget')).toBe(n * seconds);
      }),
    );
  });
  it('takes no minutes for millions, nor millions for minutes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (n) => {
        expect(parseDuration(`${n}M`)).toBeNull();
        expect(() => parseCount(`${n}m`, '--reps')).toThrow(QuantityError);
        expect(parseBytes(`${n}m`)).toBeNull();
      }),
    );
  });
  it('says what a time looks like', () => {
    expect(() => requireDuration('2', '--timeout')).toThrow(/--timeout takes a time such as/);
  });
});

describe('what people read', () => {
  it('has four significant digits and a prefix', () => {
    expect(withPrefix(192.345e9, 'FLOP/s')).toBe('192.3 GFLOP/s');
    expect(withPrefix(0, 's')).toBe('0 s');
    expect(formatSeconds(1.3957e-3)).toBe('1.396 ms');
    expect(formatSeconds(125)).toBe('2 min 5 s');
    expect(formatSeconds(119.96)).toBe('2 min 0 s');
    expect(withPrefix(999.96e6, 'Hz')).toBe('1.000 GHz');
  });
  it('has the digits of a time beyond a minute, too: the ends of an interval are not its median', () => {
    const shown = [75.4, 74.6, 75.49].map((value) => formatSeconds(value));
    expect(shown).toEqual(['1 min 15.4 s', '1 min 14.6 s', '1 min 15.49 s']);
    expect([754.32, 7543.2, 754.96].map((value) => formatSeconds(value))).toEqual([
      '12 min 34.3 s',
      '125 min 43 s',
      '12 min 35 s',
    ]);
    expect([75.4, 119.6].map((value) => formatSeconds(value, 2))).toEqual(['1 min 15 s', '2 min 0 s']);
    expect([60, 99.996].map((value) => formatSeconds(value))).toEqual(['1 min 0 s', '1 min 40 s']);
  });
  it('has of bytes three digits, and no tens in the place of four', () => {
    expect([0, 100, 999, 1016, 1023].map(formatBytes)).toEqual(['0 B', '100 B', '999 B', '1016 B', '1023 B']);
    expect([1024, 1023 * 1024, 2 ** 20 - 1, 2 ** 20].map(formatBytes)).toEqual([
      '1.00 KiB',
      '1023 KiB',
      '1.00 MiB',
      '1.00 MiB',
    ]);
    expect([11.2 * 2 ** 30, 1500 * 2 ** 50].map(formatBytes)).toEqual(['11.2 GiB', '1500 PiB']);
    expect([1016, 1536].map(briefBytes)).toEqual(['1016 B', '1.5 KiB']);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 50 }), (bytes) => {
        const [, digits = '', unit = ''] = /^([\d.]+) (\w+)$/.exec(formatBytes(bytes)) ?? [];
        const shown = Number(digits) * 1024 ** ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].indexOf(unit);
        expect(Math.abs(shown - bytes)).toBeLessThanOrEqual(0.00501 * bytes);
        expect(Number(digits)).toBeLessThan(1024);
      }),
    );
  });
  it('never shows more than it was asked for', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (value) => {
        const shown = Number(significant(value, 4));
        return Math.abs(shown - value) <= Math.abs(value) * 0.5e-3 + 1e-12;
      }),
    );
  });
});

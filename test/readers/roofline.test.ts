import { describe, expect, it } from 'vitest';
import { rooflineRows } from '../../src/readers/terminal/roofline.js';
import type { Style } from '../../src/readers/terminal/style.js';
import { batchOf, ceilingsOf, inTurnsOf, matmulCase } from '../support/batch.js';

const same = (text: string): string => text;
const style: Style = {
  width: 80,
  bold: same,
  dim: same,
  good: same,
  bad: same,
  warn: (text) => `<${text}>`,
};

/** 50 GFLOP/s below these ceilings. */
const rows = (peak: number | null, reading: number | null) =>
  rooflineRows(batchOf(matmulCase(), [{ seconds: 40e-6, ceilings: ceilingsOf(peak, reading) }]), style);

describe('the rows of a roofline', () => {
  it('are none without a ceiling', () => {
    expect(rows(null, 6e9)).toEqual([]);
  });

  it('tell the efficiency alone where nothing is known of the memory', () => {
    expect(rows(100e9, null)).toEqual([
      ['efficiency', '50.0 % of the 100.0 GFLOP/s that these threads reach in registers (avx2)'],
    ]);
  });

  it('say which launches the efficiency is of where others measured no peak', () => {
    const some = batchOf(matmulCase(), [
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, null) },
      { seconds: 80e-6, ceilings: null },
    ]);
    expect(rooflineRows(some, style)).toEqual([
      [
        'efficiency',
        '50.0 % of the 100.0 GFLOP/s that these threads reach in registers (avx2), in the 1 of 2 launches that measured it',
      ],
    ]);
  });

  it('tell what was reached in turns with the peak, where that was looked at', () => {
    const looked = batchOf(matmulCase(), [{ seconds: 40e-6, ceilings: inTurnsOf(100e9, null, 0.93) }]);
    expect(rooflineRows(looked, style)[1]).toEqual([
      'in turns',
      '93.0 % of the peak of the same moments: 10 looks at calls between looks at it',
    ]);
  });

  it('tell what reading would allow where arithmetic is the bound', () => {
    expect(rows(100e9, 60e9)[1]).toEqual([
      'bound by',
      'arithmetic: reading 60.0 GB/s at its 117 KiB with 16.7 operations a byte would allow 1.00 TFLOP/s',
    ]);
  });

  it.each([
    ['a part of a large working set', 60_000, ' over 58.6 KiB of its 117 KiB'],
    ['more than a small one', 240_000, ' over 234 KiB, which is more than its 117 KiB'],
    ['nobody knows how much, as in older records', undefined, ''],
  ])('say of what the rate of reading is where %s was read', (_, bytes, text) => {
    const batch = batchOf(matmulCase(), [{ seconds: 40e-6, ceilings: ceilingsOf(100e9, 4e9) }]);
    const { bytes: __, ...known } = batch.roofline ?? {};
    const roofline = { ...known, ...(bytes === undefined ? {} : { bytes }) } as typeof batch.roofline;
    expect(rooflineRows({ ...batch, roofline }, style)[1]?.[1]).toBe(
      `memory: 16.7 operations a byte x 4.00 GB/s${text} allow 66.7 GFLOP/s, of which it reaches 75.0 %`,
    );
  });

  it('tell how much of it is reached where memory is the bound', () => {
    expect(rows(100e9, 4e9)[1]).toEqual([
      'bound by',
      'memory: 16.7 operations a byte x 4.00 GB/s at its 117 KiB allow 66.7 GFLOP/s, of which it reaches 75.0 %',
    ]);
  });

  it('doubt a ceiling of arithmetic that the rate passes, and bound it by nothing', () => {
    expect(rows(40e9, 4e9)).toEqual([
      [
        'efficiency',
        '<125 % of the 40.00 GFLOP/s that these threads reach in registers (avx2): the ceiling was measured too low, as under other load: do not trust the efficiency>',
      ],
    ]);
  });

  it('take what measurements scatter for no doubt', () => {
    expect(rows(50e9 / 1.015, null)[0]?.[1]).not.toContain('<');
  });

  it('doubt a rate of reading that the case passes', () => {
    expect(rows(100e9, 2e9)[1]?.[1]).toMatch(
      /^<memory: .* of which it reaches 150 %: the rate of reading was measured too low, as under other load>$/,
    );
  });
});

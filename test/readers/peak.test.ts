import { describe, expect, it } from 'vitest';
import { clockRows, renderPeak } from '../../src/readers/terminal/peak.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { batchOf, type Launch, peakCase } from '../support/batch.js';

const style = terminalStyle({ isTTY: false });
const text = (batches: readonly RecordBatch[]): string =>
  renderPeak({ batches } as unknown as PiBenchRecord, style);
const quick: Launch = { seconds: 1e-3, frequency: 3e9 };
const three: readonly Launch[] = [quick, { ...quick, seconds: 1.1e-3 }, { ...quick, seconds: 0.9e-3 }];

describe('the table of peak', () => {
  it('has a line for each data type: rate, interval, operations a cycle, clock, output', () => {
    const shown = text([batchOf(peakCase('float32'), three), batchOf(peakCase('int8'), three)]);
    expect(shown).toContain('peak, 2 threads, pinned, by data type');
    expect(shown).toMatch(/float32 +- +402\.7 GFLOP\/s +\d+\.\d–\d+\.\d +67\.1 +3\.00 +verified\n/);
    expect(shown).toMatch(/int8 +- +402\.7 GOP\/s .*verified\n/);
    expect(shown).toContain('verified in 6 launches');
    expect(shown).toContain('no validity flag');
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('writes an interval in the prefix of its rate, also where that changes within it', () => {
    // About 1 TFLOP/s.
    const near = [0.38e-3, 0.4e-3, 0.42e-3].map((seconds) => ({ ...quick, seconds }));
    const shown = text([batchOf(peakCase('float32'), near), batchOf(peakCase('int8'), near)]);
    expect(shown).toMatch(/float32 +- +1\.007 TFLOP\/s +0\.\d+–1\.\d+ /);
  });

  it('says which type is wrong, and gives it no rate', () => {
    const shown = text([
      batchOf(peakCase('float32'), [quick]),
      batchOf(peakCase('int8'), [{ ...quick, passed: false }]),
    ]);
    expect(shown).toMatch(/int8 +- +- +- +- +- +WRONG\n/);
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(
      'WRONG in 1 case: peak int8, 2 threads, pinned: thread 0 counts 0',
    );
  });

  it('shows an unknown clock as unknown', () => {
    const unknown = batchOf(peakCase('float32'), [{ seconds: 1e-3 }]);
    expect(text([unknown, unknown])).toMatch(/GFLOP\/s +\S+ +- +- +verified\n/);
    expect(clockRows(unknown)).toEqual([['clock', 'not known here']]);
  });

  it('counts the flags of all launches', () => {
    const flags = [{ name: 'preempted', reason: 'other work ran', evidence: {} }];
    const shown = text([
      batchOf(peakCase('float32'), [quick, { ...quick, flags }]),
      batchOf(peakCase('int8'), [{ ...quick, flags }, quick]),
    ]);
    expect(shown).toContain('of 4 launches: preempted 2; the record says which and why');
  });
});

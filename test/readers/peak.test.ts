import { describe, expect, it } from 'vitest';
import { renderGpuTable } from '../../src/readers/terminal/gpu.js';
import { clockRows, renderPeak } from '../../src/readers/terminal/peak.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { renderStability } from '../../src/readers/terminal/stability.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { batchOf, type Launch, matmulCase, noPeakBeside, peakCase } from '../support/batch.js';
import { recordOf } from '../support/records.js';

const style = terminalStyle({ isTTY: false });
const text = (batches: readonly RecordBatch[]): string =>
  renderPeak({ batches } as unknown as PiBenchRecord, style);
const quick: Launch = { seconds: 1e-3, frequency: 3e9 };
const three: readonly Launch[] = [quick, { ...quick, seconds: 1.1e-3 }, { ...quick, seconds: 0.9e-3 }];

describe('the table of batches on GPUs', () => {
  it('tells batches of one case apart by what else they differ in', () => {
    const onGpu = (repetitions: number): RecordBatch => {
      const batch = batchOf(peakCase('float32'), three);
      const sampling = { kind: 'fixed', repetitions } as const;
      return { ...batch, device: 'cuda:0', asked: { ...batch.asked, device: 'cuda:0', sampling } };
    };
    const shown = renderGpuTable(
      { batches: [onGpu(10), onGpu(20)] } as unknown as PiBenchRecord,
      terminalStyle({ isTTY: true, columns: 200 }),
    );
    expect(shown).toMatch(/peak float32, .*, 10 reps /);
    expect(shown).toMatch(/peak float32, .*, 20 reps /);
    const other = { ...onGpu(10), title: 'another' };
    expect(renderGpuTable({ batches: [onGpu(10), other] } as unknown as PiBenchRecord, style)).not.toContain(
      'reps',
    );
  });
});

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

  it('says what the intervals of all types rest on, and not only of the first', () => {
    const shown = text([
      batchOf(peakCase('float32'), three),
      batchOf(peakCase('int8'), [...three, { ...quick, status: 'crashed', reason: 'SIGSEGV' }]),
    ]).replaceAll(/\s+/g, ' ');
    expect(shown).toContain(
      '95 % intervals over only 3 launches, assuming normal spread; or over only 3 of 4 launches',
    );
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

describe('a rate of peak on cores of different kinds', () => {
  const mixed: Launch = {
    ...quick,
    flags: [{ name: 'mixed-cores', reason: 'of 2 threads ...', evidence: {} }],
  };
  const [unlike, alike] = [[mixed], [quick]].map((launches) => batchOf(peakCase('float32'), launches)) as [
    RecordBatch,
    RecordBatch,
  ];
  const said =
    'threads on cores of different kinds (mixed-cores) did as much each, so the rate is that of the slowest, times their number: together they may reach more';

  it('is told as no ceiling, in the table once and on a page of its own', () => {
    const table = text([unlike, unlike]).replaceAll(/\s+/g, ' ');
    expect(table.split(`no ceiling: ${said}`)).toHaveLength(2);
    expect(text([alike, alike])).not.toContain('ceiling');
    const page = (batch: RecordBatch): string =>
      renderRecord({ ...recordOf({ batches: [] }), batches: [batch] }, null, style).replaceAll(/\s+/g, ' ');
    expect(page(unlike)).toContain(`ceiling none: ${said}`);
    expect(page(alike)).not.toContain('ceiling none');
    const product = batchOf(matmulCase(), [mixed]);
    expect(page(product)).not.toContain(said);
  });
});

describe('a rate of peak beside which the CPU has more than its loop uses', () => {
  const beside = (...names: string[]): Launch => ({ ...quick, ceilings: noPeakBeside(...names) });
  const int8 = batchOf(peakCase('int8'), [beside('AVX-VNNI'), beside('AVX-VNNI')]);
  const float32 = batchOf(peakCase('float32'), [beside()]);
  const old = batchOf(peakCase('float64'), [{ ...quick, ceilings: { arithmetic: null, memory: null } }]);
  const avx2 = { ...int8, stack: { ...int8.stack, variant: 'avx2' } };
  const plain = (shown: string) => shown.replaceAll(/\s+/g, ' ');
  const page = (batch: RecordBatch) =>
    plain(renderRecord({ ...recordOf({ batches: [] }), batches: [batch] }, null, style));
  const line =
    'no ceiling: the best loops of this build do not use what this CPU has and what may be faster: int8 AVX-VNNI';

  it('is told as no ceiling in one line of the table, with what the CPU has', () => {
    expect(plain(text([float32, int8, old]))).toContain(line);
    expect(text([float32, old])).not.toContain('ceiling');
    const both = batchOf(peakCase('bfloat16'), [beside('SME')]);
    expect(plain(text([both, int8]))).toContain('bfloat16 SME; int8 AVX-VNNI');
  });

  it('has a row that says so on a page of its own, where a loop was asked for, too', () => {
    expect(page(int8)).toContain(
      'ceiling none: the best loop of this build does not use AVX-VNNI, which this CPU has for int8 and which may be faster',
    );
    expect(page(avx2)).toContain('ceiling none: the loop that was asked for (avx2) does not use AVX-VNNI');
    for (const batch of [float32, old]) expect(page(batch)).not.toContain('ceiling');
  });

  it('is told so of several stacks and of GPUs, too', () => {
    const record = { ...recordOf({ batches: [] }), batches: [int8, avx2] };
    const shown = plain(renderStability(record, style));
    expect(shown).toContain(line);
    expect(shown).toContain('the loops that were asked for (avx2) do not use');
    const onGpu = {
      ...batchOf({ indicator: 'peak', parameters: { dtype: 'float16', multiprocessors: 148 } }, [
        beside('tcgen05'),
      ]),
      device: 'cuda:0',
    };
    expect(plain(renderGpuTable({ ...record, batches: [onGpu, onGpu] }, style))).toContain(
      'what this GPU has and what may be faster: float16 tcgen05',
    );
  });

  it('leaves products without an efficiency, and their page says why', () => {
    const product = batchOf(matmulCase({ dtype: 'int8' }), [beside('AVX-VNNI')]);
    expect(page(product)).toContain(
      'efficiency not known: the best loop of this build does not use AVX-VNNI, which this CPU has for int8',
    );
    expect(page(batchOf(matmulCase(), [beside()]))).not.toContain('efficiency');
  });
});

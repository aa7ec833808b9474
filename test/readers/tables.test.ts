/** Tables of several batches: nothing that was measured is left out, and nothing is compared that is not alike. */
import { describe, expect, it } from 'vitest';
import { intervalsText } from '../../src/readers/terminal/basis.js';
import { fitTexts, scalingRows } from '../../src/readers/terminal/collective.js';
import { kpiLines } from '../../src/readers/terminal/kpis.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { verifiedText } from '../../src/readers/terminal/sweep.js';
import { kpisOf, withSameLabels } from '../../src/record/kpis-of.js';
import { rateKpis } from '../../src/record/rate-kpis.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { batchOf, matmulCase } from '../support/batch.js';

const style = terminalStyle({ isTTY: false });
const three = [1e-3, 1.1e-3, 0.9e-3].map((seconds) => ({ seconds }));

const memoryOn = (variant: string, bytes: number): RecordBatch => {
  const batch = batchOf(
    { indicator: 'memory', parameters: { operation: 'read', stores: 'none', bytes, threads: 1, pin: true } },
    three,
  );
  const stack = { ...batch.stack, variant };
  return { ...batch, stack, asked: { ...batch.asked, stack: { provider: 'embedded', variant } } };
};

describe('what the intervals of several batches rest on', () => {
  it('is said once for each way, and of one launch that it says nothing of the next', () => {
    const many = batchOf(matmulCase(), three);
    const samples = Array.from({ length: 300 }, (_, i) => (1 + ((i * 7919) % 101) / 1000) * 1e-3);
    const alone = batchOf(matmulCase(), [{ seconds: 1e-3, samples }]);
    expect(intervalsText([many, many])).toHaveLength(1);
    expect(intervalsText([many, many])[0]).toMatch(/^95 % intervals .*3 launches/);
    expect(intervalsText([many, alone])[0]).toMatch(
      /; or .*within one launch: says nothing of the next launch/,
    );
    expect(intervalsText([])).toEqual([]);
  });
});

const recordOf = (command: readonly string[], batches: readonly RecordBatch[]): PiBenchRecord =>
  ({
    campaign: { command, fault: null },
    status: 'complete',
    contendedBy: null,
    machine: { cpu: { caches: [] } },
    labels: { cpu_model: 'a CPU', cpus: 1 },
    batches,
    kpis: [],
    accounting: null,
  }) as unknown as PiBenchRecord;

describe('several batches of memory', () => {
  const sizes = [2 ** 15, 2 ** 20];
  it('are one table of sizes, also where a flag stands before the command', () => {
    const batches = sizes.map((bytes) => memoryOn('avx2', bytes));
    for (const command of [['memory'], ['--debug', 'memory']]) {
      expect(renderRecord(recordOf(command, batches), null, style)).toContain('by working set');
    }
  });

  it.each<[string, string, (batch: RecordBatch) => RecordBatch]>([
    [
      'on another device',
      'numa:1',
      (batch) => ({ ...batch, device: 'numa:1', asked: { ...batch.asked, device: 'numa:1' } }),
    ],
    ['at once', 'at once', (batch) => ({ ...batch, asked: { ...batch.asked, atOnce: true } })],
  ])('hide nothing that was measured %s', (_, name, other) => {
    const [small] = sizes.map((bytes) => memoryOn('avx2', bytes));
    if (small === undefined) throw new Error('no batch');
    const slower = batchOf(small.case, [{ seconds: 4e-3 }, { seconds: 4e-3 }]);
    const batches = [small, other({ ...slower, stack: small.stack, asked: small.asked })];
    const text = renderRecord(recordOf(['memory'], batches), null, style);
    expect(text).toMatch(/ 1\.000 ms/);
    expect(text).toMatch(new RegExp(`${name} .*4\\.000 ms`));
  });

  it('name every instruction set that launches chose, and say that they did', () => {
    const chose = (implementation: string) =>
      sizes.map((bytes) => {
        const batch = memoryOn('', bytes);
        return { ...batch, stack: { ...batch.stack, variant: null, implementation } };
      });
    const shown = (text: string): string =>
      renderRecord(recordOf(['memory'], chose(text)), null, style).replaceAll(/\s+/g, ' ');
    expect(shown('avx2, chose cached stores or avx512, chose cached stores')).toContain(
      'embedded avx2/avx512, cpu',
    );
    expect(shown('avx2 or avx512')).toContain('fastest over its arrays, by trial');
    expect(shown('avx2')).not.toContain('by trial');
  });

  it('of two stacks each have a row, because that table has no place for a stack', () => {
    const batches = ['avx2', 'avx512'].flatMap((stack) => sizes.map((bytes) => memoryOn(stack, bytes)));
    const shown = renderRecord(recordOf(['memory'], batches), null, style);
    expect(shown.match(/embedded:avx2 /g)).toHaveLength(2);
    expect(shown.match(/embedded:avx512 /g)).toHaveLength(2);
  });
});

const collective = (operation: string, ranks: number, bytes: number, seconds = 1e-3): RecordBatch => {
  const parameters = {
    operation,
    bytes,
    dtype: 'float32',
    redop: ['all-reduce', 'reduce', 'reduce-scatter'].includes(operation) ? 'sum' : 'none',
    root: ['broadcast', 'reduce', 'gather', 'scatter'].includes(operation) ? 0 : -1,
    inPlace: false,
    pattern: operation === 'send-recv' ? 'ring' : 'none',
    ranks,
    workers: 'threads',
    pin: ranks === 1,
    sync: 'barrier',
    inputs: 'fresh',
    transport: 'shm',
    algorithm: 'auto',
  };
  return batchOf({ indicator: 'collective', parameters }, [{ seconds }, { seconds }]);
};

describe('scaling', () => {
  /** Of ranks that all work as long as they measure. */
  const on = (operation: string, ranks: number, bytes = 65_536, seconds = 1e-3): RecordBatch => {
    const useful = Array.from({ length: ranks }, () => seconds);
    const ranksOf = { useful, runtime: seconds } as unknown as RecordBatch['ranks'];
    return { ...collective(operation, ranks, bytes, seconds), ranks: ranksOf } as RecordBatch;
  };
  const told = (...batches: readonly RecordBatch[]): readonly string[] =>
    scalingRows(batches).map(([, text]) => text.replace(/, parallel efficiency .*, global/, ', global'));

  it('is told of one operation, without naming it', () => {
    const rows = scalingRows([on('all-reduce', 1), on('all-reduce', 2)]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.[0]).toBe('1 → 2 ranks');
    expect(rows[0]?.[1]).toMatch(/^weak scaling at 64 KiB: speed-up 2\.00, parallel efficiency 100 %/);
  });

  it.each([
    'all-reduce',
    'reduce',
    'broadcast',
    'all-gather',
    'reduce-scatter',
    'all-to-all',
    'send-recv',
  ])('of %s, whose size is that of each rank, is weak at the same size and strong at as much for all together', (operation) => {
    const two = on(operation, 2);
    expect(told(two, on(operation, 4))).toEqual(['weak scaling at 64 KiB: speed-up 2.00, global 100 %']);
    expect(told(two, on(operation, 4, 32_768, 0.5e-3))).toEqual([
      'strong scaling at 32 KiB: speed-up 2.00, global 100 %',
    ]);
    expect(told(two, on(operation, 4, 131_072))).toEqual([]);
  });

  it.each([
    'gather',
    'scatter',
  ])('of %s, whose size is that of all ranks together, is strong at the same size and weak at as much for each', (operation) => {
    const two = on(operation, 2);
    expect(told(two, on(operation, 4, 65_536, 0.5e-3))).toEqual([
      'strong scaling at 64 KiB: speed-up 2.00, global 100 %',
    ]);
    expect(told(two, on(operation, 4, 131_072))).toEqual([
      'weak scaling at 128 KiB: speed-up 2.00, global 100 %',
    ]);
  });

  it('is neither of a barrier, which moves nothing, nor of what no launch ended', () => {
    expect(told(on('barrier', 2, 0), on('barrier', 4, 0))).toEqual([]);
    expect(told(on('all-reduce', 2), { ...on('all-reduce', 4), measured: 0 })).toEqual([]);
  });

  it('never holds one operation against another', () => {
    expect(scalingRows([on('all-reduce', 1), on('all-gather', 2)])).toEqual([]);
    const both = ['all-reduce', 'all-gather'].flatMap((one) => [on(one, 1), on(one, 2)]);
    expect(scalingRows(both).map(([, text]) => text.split(':')[0])).toEqual([
      'weak scaling of all-reduce float32 at 64 KiB',
      'weak scaling of all-gather float32 at 64 KiB',
    ]);
  });
});

describe('latency and bandwidth', () => {
  /** Sizes as they fit: 1 MiB to 16 MiB in equal blocks of whole elements. */
  const sweep = (operation: string, ranks: number, latency: number, rate: number): readonly RecordBatch[] =>
    [20, 21, 22, 23, 24].map((power) => {
      const bytes = 2 ** power - (2 ** power % (4 * ranks));
      return collective(operation, ranks, bytes, latency + bytes / rate);
    });

  it('are of one sweep over sizes, without naming it', () => {
    expect(fitTexts(sweep('all-gather', 4, 1e-3, 1e9))).toEqual([
      'time = latency + size / bandwidth, no knee: 1 MiB to 16 MiB: 1.00 ms + size / 1.00 GB/s',
    ]);
  });

  it('are of each number of ranks by itself, though all of their sizes differ', () => {
    const both = [...sweep('all-gather', 3, 1e-3, 1e9), ...sweep('all-gather', 4, 2e-3, 0.5e9)];
    expect(new Set(both.map(({ case: { parameters } }) => parameters.bytes)).size).toBe(10);
    expect(fitTexts(both)).toEqual([
      expect.stringMatching(/^3 ranks: time = latency .*, no knee: .*: 1\.00 ms \+ size \/ 1\.00 GB\/s$/),
      expect.stringMatching(/^4 ranks: time = latency .*, no knee: .*: 2\.00 ms \+ size \/ 500 MB\/s$/),
    ]);
  });

  it('have no part of a barrier, which has no size, nor of what no launch ended', () => {
    const measured = sweep('all-reduce', 2, 1e-3, 1e9);
    const cut = { ...collective('all-reduce', 2, 2 ** 25, 9), measured: 0 };
    expect(fitTexts([collective('barrier', 2, 0, 1e-6), ...measured, cut])).toEqual([
      'all-reduce sum: time = latency + size / bandwidth, no knee: 1 MiB to 16 MiB: 1.00 ms + size / 1.00 GB/s',
    ]);
  });

  it('are not known of sizes that were measured twice', () => {
    const measured = sweep('all-reduce', 2, 1e-3, 1e9);
    expect(fitTexts([...measured, ...measured.slice(0, 1)])).toEqual([]);
  });
});

describe('a record', () => {
  it('fits into 80 columns, its head and what became of it included', () => {
    const batch = batchOf(matmulCase({ m: 4096, n: 4096, k: 4096 }), three);
    const stack = { ...batch.stack, implementation: 'avx512 at work on both threads, B packed once' };
    const record = { ...recordOf(['matmul'], [{ ...batch, stack }]), status: 'interrupted' } as PiBenchRecord;
    const lines = renderRecord(record, null, style).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain('pi-bench resume finishes it');
  });

  it('says of launches that a budget left out that it was the time', () => {
    const batch = batchOf(matmulCase({ m: 4096, n: 4096, k: 4096 }), three);
    const shown = (planned: number): string => {
      const record = {
        ...recordOf(['matmul'], [{ ...batch, planned }]),
        status: 'incomplete',
        stoppedBy: 'budget',
      } as PiBenchRecord;
      return renderRecord(record, null, style).replaceAll(/\s+/g, ' ');
    };
    const late = 'the others would not have ended in the time that was given (--budget)';
    expect(shown(5)).toContain(late);
    expect(shown(5)).not.toContain('resume');
    // All that were asked for were launched, and some of them failed.
    expect(shown(3)).not.toContain(late);
  });
});

describe('launches that were not measured', () => {
  it.each([
    ['plan', 'incomplete', /incomplete: 1 of 2 launches measured(?!;)/],
    [undefined, 'incomplete', /incomplete: 1 of 2 launches measured(?!;)/],
    ['signal', 'interrupted', /interrupted: 1 of 2 launches measured; pi-bench resume finishes it/],
  ])('of a campaign that %s ended are left to resume only where it would launch them', (stoppedBy, status, says) => {
    const batch = { ...batchOf(matmulCase({ m: 64, n: 64, k: 64 }), three), planned: 2, measured: 1 };
    const record = { ...recordOf(['matmul'], [batch]), status, stoppedBy } as PiBenchRecord;
    expect(renderRecord(record, null, style).replaceAll(/\s+/g, ' ')).toMatch(says);
  });

  const reason = 'the library was told to use 1 threads and says that it uses 7, which is another case';
  const failing = (variant: string): RecordBatch => {
    const batch = memoryOn(variant, 2 ** 20);
    const inspections = batch.inspections.map((one) => ({ ...one, status: 'failed' as const, reason }));
    return { ...batch, inspections };
  };

  it('are told of every batch, by its name and with its reason', () => {
    const record = recordOf(['matmul'], [memoryOn('good', 2 ** 20), failing('bad'), failing('worse')]);
    const lines = renderRecord(record, null, style).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const text = lines.join(' ').replaceAll(/\s+/g, ' ');
    for (const name of ['bad', 'worse'])
      expect(text).toContain(`embedded:${name}: launch 1 failed: ${reason}; 2 launches more`);
    expect(text).not.toContain('embedded:good: launch');
  });

  it('are told of ten batches, and counted in the others', () => {
    const batches = Array.from({ length: 13 }, (_, i) => failing(`s${i}`));
    const text = renderRecord(recordOf(['matmul'], batches), null, style).replaceAll(/\s+/g, ' ');
    expect(text).toContain('embedded:s9: launch 1 failed');
    expect(text).not.toContain('embedded:s10: launch 1 failed');
    expect(text).toContain('failed and in 3 batches more; the record says why');
  });

  it('of one batch fit into 80 columns', () => {
    const lines = renderRecord(recordOf(['memory'], [failing('bad')]), null, style).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(`launch 3 failed: ${reason}`);
  });
});

describe('what is said of all batches together', () => {
  it('is not that outputs were verified where no launch came that far', () => {
    const lost = { ...batchOf(matmulCase(), three), verified: 'not-run' as const, measured: 0 };
    expect(verifiedText([lost, lost], 'each launch', style)).toBe('not verified: no launch came that far');
    const some = verifiedText([lost, batchOf(matmulCase(), three)], 'each launch', style);
    expect(some).toMatch(/^verified in 3 launches .*; not verified: 1 case/);
  });
});

describe('every KPI of a record', () => {
  const declared = rateKpis('matmul', 'matrix multiplication', 'flops');
  const context = { timeToResult: 1, timestamp: '2026-01-01T00:00:00.000Z' };
  const shownOf = (batches: readonly RecordBatch[], labelsOf: (batch: RecordBatch) => object): string => {
    const kpis = withSameLabels(
      batches.flatMap((batch) => kpisOf(declared, batch, { site: 'lab', ...labelsOf(batch) }, context)),
    );
    const record = { kpis, batches, labels: { site: 'lab' } } as unknown as PiBenchRecord;
    return kpiLines(record, style).join('\n');
  };
  const count = (text: string): number => text.match(/pibench_matmul_rate_flops_per_second/g)?.length ?? 0;

  it('is shown of batches with other parameters, too', () => {
    const more = batchOf(matmulCase({ batch: 2 }), three);
    expect(count(shownOf([batchOf(matmulCase(), three), more], () => ({})))).toBe(2);
  });

  it('is shown of imported batches, which have their source for a label', () => {
    const imported = ['one', 'two'].map(
      (source) => ({ ...batchOf(matmulCase(), three), imported: { source } }) as unknown as RecordBatch,
    );
    expect(count(shownOf(imported, ({ imported: of }) => ({ source: of?.source })))).toBe(2);
  });
});

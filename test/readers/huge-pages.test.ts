import { describe, expect, it } from 'vitest';
import { hugePagesOf } from '../../src/readers/huge-pages.js';
import { renderCollective } from '../../src/readers/terminal/collective.js';
import { renderMemory } from '../../src/readers/terminal/memory.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { renderStability } from '../../src/readers/terminal/stability.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { batchOf, type Launch, matmulCase } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { recordOf } from '../support/records.js';

const MIB = 2 ** 20;
const style = { ...terminalStyle({ isTTY: false }), width: 400, warn: (text: string) => `<${text}>` };

const behind = (bytes: number, of = 12 * MIB, possible = of): Launch => ({
  seconds: 1e-3,
  hugePages: { bytes, of, possible, page: 2 * MIB },
});
const withBatches = (batches: readonly RecordBatch[]) => ({
  ...recordOf({ batches: [] }),
  batches: [...batches],
  machine: machineOf() as never,
});
const rowOf = (...launches: readonly Launch[]): string | undefined =>
  renderRecord(withBatches([batchOf(matmulCase(), launches)]), null, style)
    .split('\n')
    .find((line) => line.includes('huge pages'))
    ?.replace(/ +huge pages +/, '');

const ALL_REDUCE = {
  operation: 'all-reduce',
  dtype: 'float32',
  redop: 'sum',
  root: -1,
  inPlace: false,
  pattern: 'none',
  ranks: 2,
  workers: 'processes',
  pin: false,
  sync: 'barrier',
  inputs: 'fresh',
  transport: 'shm',
  algorithm: 'auto',
};
const allReduce = (bytes: number, ...launches: readonly Launch[]): RecordBatch =>
  batchOf({ indicator: 'collective', parameters: { ...ALL_REDUCE, bytes } }, launches);

describe('the row of huge pages', () => {
  it('says how much of the arrays lay on them', () => {
    expect(rowOf(behind(12 * MIB), behind(12 * MIB))).toBe('behind all 12.0 MiB of arrays');
    expect(rowOf(behind(6 * MIB, 9 * MIB, 6 * MIB))).toBe(
      'behind 6.00 MiB of 9.00 MiB of arrays, all that has room for one',
    );
  });

  it('warns where there were fewer than have room, and where launches differ', () => {
    expect(rowOf(behind(0), behind(0))).toBe('<none behind 12.0 MiB of arrays>');
    expect(rowOf(behind(4 * MIB))).toBe('<behind 4.00 MiB of 12.0 MiB of arrays>');
    expect(rowOf(behind(12 * MIB), behind(0))).toBe(
      '<behind 0 B to 12.0 MiB of 12.0 MiB of arrays, by launch>',
    );
  });

  it('is not there where no launch tells, as in old records, or the arrays are too small for any', () => {
    expect(rowOf({ seconds: 1e-3 })).toBeUndefined();
    expect(rowOf(behind(0, MIB, 0))).toBeUndefined();
    const small = { operation: 'read', stores: 'none', bytes: 32 * 2 ** 10, threads: 1, pin: true };
    const batch = batchOf({ indicator: 'memory', parameters: small }, [behind(2 * MIB, 2 * MIB)]);
    expect(renderRecord(withBatches([batch]), null, style)).not.toContain('huge pages');
    expect(hugePagesOf(allReduce(8, behind(16, 16)))).toBeNull();
  });
});

describe('a table', () => {
  const memory = (bytes: number, ...launches: readonly Launch[]): RecordBatch =>
    batchOf(
      {
        indicator: 'memory',
        parameters: { operation: 'read', stores: 'none', bytes, threads: 2, pin: true },
      },
      launches,
    );
  const table = (...batches: readonly RecordBatch[]) => renderMemory(withBatches(batches), style);

  it('of memory says in one line that all large arrays lay on huge pages, or which did not', () => {
    const [small, large] = [memory(MIB, behind(0, 4 * MIB)), memory(64 * MIB, behind(64 * MIB, 64 * MIB))];
    expect(table(small, large)).toContain(
      'huge pages wherever arrays from 64.0 MiB on have room for one, in every launch',
    );
    const unknown = memory(128 * MIB, { seconds: 1e-3 }, { seconds: 1e-3 });
    expect(table(small, large, unknown)).toContain('have room for one, in the 1 of 3 launches that tell');
    expect(table(large, memory(128 * MIB, behind(0, 128 * MIB)))).toContain(
      '<huge pages are missing: none behind 128 MiB of arrays (read 128 MiB)>',
    );
    expect(table(small, memory(64 * MIB, { seconds: 1e-3 }))).not.toContain('huge pages');
  });

  it('of collectives names the sizes that lack them', () => {
    const sizes = [
      allReduce(8, behind(0, 16, 0)),
      allReduce(MIB, behind(2 * MIB, 2 * MIB)),
      allReduce(8 * MIB, behind(0, 16 * MIB)),
    ];
    expect(renderCollective(withBatches(sizes), style)).toContain(
      '<huge pages are missing: none behind 16.0 MiB of arrays (8 MiB)>',
    );
    expect(renderCollective(withBatches(sizes.slice(0, 2)), style)).not.toContain('huge pages');
  });

  it('of many batches names the first of those that lack them', () => {
    const batches = [100, 200, 300, 400, 500].map((m) => batchOf(matmulCase({ m }), [behind(0)]));
    const shown = renderStability(withBatches(batches), style);
    expect(shown.match(/none behind/g)).toHaveLength(3);
    expect(shown).toContain('; and in 2 batches more');
    const fine = [100, 200].map((m) => batchOf(matmulCase({ m }), [behind(12 * MIB)]));
    expect(renderStability(withBatches(fine), style)).not.toContain('huge pages');
  });
});

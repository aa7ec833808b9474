/** Curves of a record: batches of one sweep put together, by what was asked of them. */
import { describe, expect, it } from 'vitest';
import { curvesOf } from '../../src/record/curves.js';
import type { CurveKpi, RecordBatch } from '../../src/record/schema.js';
import { curves as figure } from '../../src/report/figures/curves.js';
import { batchOf } from '../support/batch.js';

const memoryOf = (operation: string, bytes: number, implementation: string): RecordBatch =>
  batchOf(
    {
      indicator: 'memory',
      parameters: {
        operation,
        stores: operation === 'read' ? 'none' : 'cached',
        bytes,
        threads: 1,
        pin: true,
      },
    },
    [{ seconds: 1e-3, implementation }],
  );
const curvesFrom = (batches: readonly RecordBatch[]): readonly CurveKpi[] =>
  curvesOf(batches, {}, '2026-01-01');
const sizes = [2 ** 15, 2 ** 20];

describe('what a curve executed', () => {
  it('is what all of its points did', () => {
    const [curve] = curvesFrom(sizes.map((bytes) => memoryOf('read', bytes, 'avx2')));
    expect(curve?.labels.stack_implementation).toBe('avx2');
  });

  it('is no one thing where its points chose differently', () => {
    const [curve] = curvesFrom([memoryOf('read', 2 ** 15, 'avx512'), memoryOf('read', 2 ** 20, 'avx2')]);
    expect(curve?.points).toHaveLength(2);
    expect(curve?.labels.stack_implementation).toBeNull();
  });

  it('names no line of the report, where only what was asked tells them apart', () => {
    const batches = sizes.flatMap((bytes) => [
      memoryOf('read', bytes, 'avx2'),
      memoryOf('copy', bytes, 'avx512'),
    ]);
    const drawn = figure.draw({ curves: curvesFrom(batches) } as unknown as Parameters<
      typeof figure.draw
    >[0]);
    const rows = 'data' in drawn ? drawn.data.rows : [];
    expect(new Set(rows.map(([series]) => series))).toEqual(new Set(['read', 'copy cached']));
  });
});

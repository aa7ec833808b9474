/** Curves of a record: batches of one sweep put together, by what was asked of them. */
import { describe, expect, it } from 'vitest';
import { curvesOf } from '../../src/record/curves.js';
import { readCurves } from '../../src/record/read-curves.js';
import type { CurveKpi, RecordBatch } from '../../src/record/schema.js';
import { curves as figure } from '../../src/report/figures/curves.js';
import { batchOf, type Launch } from '../support/batch.js';

const memoryOf = (
  operation: string,
  bytes: number,
  implementation: string,
  launches: readonly Launch[] = [{ seconds: 1e-3 }],
): RecordBatch =>
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
    launches.map((launch) => ({ ...launch, implementation })),
  );
const curvesFrom = (batches: readonly RecordBatch[]): readonly CurveKpi[] =>
  curvesOf(batches, {}, '2026-01-01');
const sizes = [2 ** 15, 2 ** 20];

describe('a curve', () => {
  it('has no point of a batch of which no launch ran to its end, and none of two is left then', () => {
    const cutShort: readonly Launch[] = [{ seconds: 1e-3, status: 'timed-out' }];
    const batches = [
      memoryOf('read', 2 ** 15, 'avx2'),
      memoryOf('read', 2 ** 20, 'avx2'),
      memoryOf('read', 2 ** 25, 'avx2', cutShort),
    ];
    expect(batches[2]?.rate).toBeNull();
    expect(curvesFrom(batches).map(({ points }) => points.map(([x]) => x))).toEqual([sizes]);
    expect(curvesFrom(batches.slice(1))).toEqual([]);
  });

  it('says of each interval what it rests on', () => {
    const samples = Array.from({ length: 40 }, (_, i) => 1e-3 * (1 + ((7 * i) % 11) / 100));
    /** All were asked for three launches, of which so many ran to their end. */
    const ended = (count: number): readonly Launch[] =>
      [1, 1.1, 1.2].map((times, i) => ({
        seconds: 1e-3,
        samples: samples.map((seconds) => seconds * times),
        status: i < count ? 'measured' : 'crashed',
      }));
    const [curve] = curvesFrom(
      [1, 3, 2].map((count, i) => memoryOf('read', 2 ** (15 + i), 'avx2', ended(count))),
    );
    expect(curve?.ci?.intervals[2]).toBeNull();
    expect(curve?.ci?.basis).toEqual(['within one launch', 'few launches', null]);
  });
});

describe('what a curve rests on', () => {
  it('is told of each of its points, and together what spoiled any of them', () => {
    const flag = (name: string) => ({ name, reason: 'it was', evidence: {} });
    const cutShort: Launch = { seconds: 1e-3, status: 'timed-out', flags: [flag('contended')] };
    const last = { seconds: 1e-3, endedAt: '2026-01-06T10:00:00.000Z', flags: [flag('throttled')] };
    const [curve] = curvesFrom([
      memoryOf('read', 2 ** 25, 'avx2', [cutShort, cutShort]),
      memoryOf('read', 2 ** 20, 'avx2', [
        { ...last, endedAt: '2026-01-05T10:00:00.000Z' },
        { ...last, status: 'crashed', endedAt: '2026-01-07T10:00:00.000Z' },
      ]),
      memoryOf('read', 2 ** 15, 'avx2', [last, { ...last, flags: [flag('preempted')] }]),
    ]);
    expect(curve?.points.map(([x]) => x)).toEqual(sizes);
    expect(curve).toMatchObject({
      batches: [2, 1],
      launches: [2, 1],
      verified: 'passed',
      flags: ['throttled', 'preempted'],
      notChecked: [],
      timestamp: '2026-01-06T10:00:00.000Z',
    });
  });
});

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

describe('a curve of reading', () => {
  const read = (...cpus: readonly (string | undefined)[]) => {
    const batches = sizes.map((bytes, i): RecordBatch => {
      const batch = memoryOf('read', bytes, 'avx2');
      const own = cpus[i];
      const inspections = batch.inspections.map((one) => (own === undefined ? one : { ...one, cpus: own }));
      return { ...batch, inspections };
    });
    return readCurves({ kpis: [...curvesFrom(batches)], batches })[0];
  };

  it('knows the CPUs of its threads where all launches had the same, each thread its own', () => {
    expect(read('3', '3')).toMatchObject({ threads: 1, cpus: [3], device: 'cpu', atOnce: false });
    for (const lists of [
      ['3', '5'],
      ['3', undefined],
      [undefined, undefined],
      ['3-4', '3-4'],
    ])
      expect(read(...lists)?.cpus).toBeNull();
  });
});

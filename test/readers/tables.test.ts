/** Tables of several batches: nothing that was measured is left out, and nothing is compared that is not alike. */
import { describe, expect, it } from 'vitest';
import { intervalsText } from '../../src/readers/terminal/basis.js';
import { renderCollective } from '../../src/readers/terminal/collective.js';
import { fitTexts } from '../../src/readers/terminal/collective-fit.js';
import { kpiLines } from '../../src/readers/terminal/kpis.js';
import { rankRows } from '../../src/readers/terminal/rank-rows.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { scalingRows } from '../../src/readers/terminal/scaling.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { verifiedText } from '../../src/readers/terminal/sweep.js';
import { kpisOf, withSameLabels } from '../../src/record/kpis-of.js';
import { rateKpis } from '../../src/record/rate-kpis.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { warnings } from '../../src/report/page/head.js';
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
    for (const command of [['memory'], ['--debug', 'memory'], ['--out', 'r', 'memory']]) {
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

const collective = (
  operation: string,
  ranks: number,
  bytes: number,
  seconds = 1e-3,
  more: Readonly<Record<string, string | boolean>> = {},
): RecordBatch => {
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
    ...more,
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

  it('is told of every size, against the fewest ranks of that size', () => {
    const sizes = [1024, 2 ** 20];
    const sweep = [1, 2, 4].flatMap((ranks) => sizes.map((bytes) => on('all-reduce', ranks, bytes)));
    expect(scalingRows(sweep).map(([ranks, text]) => [ranks, text.split(':')[0]])).toEqual([
      ['1 → 2 ranks', 'weak scaling at 1 KiB'],
      ['1 → 2 ranks', 'weak scaling at 1 MiB'],
      ['1 → 4 ranks', 'weak scaling at 1 KiB'],
      ['1 → 4 ranks', 'weak scaling at 1 MiB'],
    ]);
  });

  it('is told of strong scaling beside weak', () => {
    expect(told(on('all-reduce', 1, 2048), on('all-reduce', 2, 2048), on('all-reduce', 2, 1024))).toEqual([
      'weak scaling at 2 KiB: speed-up 2.00, global 100 %',
      'strong scaling at 1 KiB: speed-up 1.00, global 50.0 %',
    ]);
  });

  it('has the speed-up of the times of the table, and of the few calls that are watched the efficiencies alone', () => {
    const two = on('all-reduce', 2, 65_536, 4e-3);
    const [one, watched] = [on('all-reduce', 1), { ...two, ranks: on('all-reduce', 2).ranks }];
    expect(told(one, watched)).toEqual(['weak scaling at 64 KiB: speed-up 0.500, global 100 %']);
    const { ranks: _, ...unwatched } = two;
    expect(told(one, unwatched)).toEqual(['weak scaling at 64 KiB: speed-up 0.500']);
  });

  it('is not told against one rank in place, which has nothing to move', () => {
    const inPlace = (ranks: number) => collective('all-reduce', ranks, 65_536, 1e-3, { inPlace: true });
    expect(told(inPlace(1), inPlace(2))).toEqual([]);
    expect(told(inPlace(1), inPlace(2), inPlace(4))).toEqual(['weak scaling at 64 KiB: speed-up 2.00']);
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

describe('the p99 of several collectives', () => {
  const of = (repetitions: number): RecordBatch => {
    const { asked } = collective('all-reduce', 2, 2 ** 20);
    const samples = Array.from({ length: repetitions }, (_, i) => 1e-3 + i * 1e-6);
    return batchOf(
      asked.case,
      [1, 2, 3].map(() => ({ seconds: 1e-3, samples })),
    );
  };
  const shown = (...batches: readonly RecordBatch[]): string =>
    renderCollective(recordOf(['collective'], batches), style).replaceAll(/\s+/g, ' ');

  it('is said to lean on the slowest repetition where a launch has fewer than 100', () => {
    expect(shown(of(99), of(200), of(40))).toContain(
      'p99: of launches of fewer than 100 repetitions (2 of 3 cases, 40 at the least) it leans on the slowest of them',
    );
    expect(shown(of(100), of(200))).not.toContain('leans on');
  });

  it('of earlier records is that of all repetitions, and leans on none of a launch', () => {
    const earlier = (repetitions: number): RecordBatch => {
      const { elapsed, ...batch } = of(repetitions);
      if (elapsed === null) throw new Error('it was measured');
      const { p99: _, p99Interval: __, ...rest } = elapsed;
      return { ...batch, elapsed: rest };
    };
    expect(shown(earlier(40), earlier(200))).not.toContain('leans on');
    expect(shown(earlier(40), of(50))).toContain('(1 of 2 cases, 50 at the least)');
  });

  it('is that of the launches, in microseconds', () => {
    // Of 200 the place is (200 + 1/3) 0.99 + 1/3 - 1 = 197.66.
    expect(shown(of(200), of(200))).toMatch(/ 1198 /);
  });
});

describe('the ranks of a case', () => {
  const SKEW = { p50: 1e-7, p99: 2e-7, max: 3e-7 };
  /** Rank 0 is the longest in its call in every repetition, as who waits for the others is. */
  const withRanks = (batch: RecordBatch, useful: readonly number[] | null, launches = 3): RecordBatch => {
    const count = Number(batch.case.parameters.ranks);
    const ranks = {
      repetitions: 100,
      ranks: Array.from({ length: count }, (_, rank) => ({
        ...{ median: 1e-3, p99: 1e-3, total: 0.1, slowest: rank === 0 ? 1 : 0 },
        last: rank === 1 ? 1 : 0,
      })),
      skewIn: SKEW,
      skewOut: SKEW,
      late: 0,
      useful: useful === null ? null : [...useful],
      runtime: useful === null ? null : 1e-3,
    };
    const [launch] = batch.inspections;
    if (launch === undefined) throw new Error('no launch');
    const inspections = Array.from({ length: launches }, (_, index) => ({ ...launch, index, ranks }));
    return { ...batch, inspections, ranks: { ...ranks, ceiling: null } };
  };
  const rowOf = (name: string, batch: RecordBatch) => rankRows(batch).find(([head]) => head === name)?.[1];
  const [alike, slowOne] = [
    [5e-4, 5.1e-4],
    [5e-4, 10e-4],
  ];

  it('have a straggler that works longer, and not the one that waits for it in its call', () => {
    const batch = withRanks(collective('all-reduce', 2, 2 ** 20), slowOne ?? []);
    expect(rowOf('straggler', batch)).toMatch(/^rank 1 works 100 % longer without waiting/);
    const text = renderCollective(recordOf(['collective'], [batch, batch]), style);
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(/stragglers in 2 of 2 cases; most of all rank 1 of /);
    const healthy = withRanks(collective('all-reduce', 2, 2 ** 20), alike ?? []);
    expect(rowOf('straggler', healthy)).toMatch(/^none/);
    expect(renderCollective(recordOf(['collective'], [healthy, healthy]), style)).not.toContain('straggler');
  });

  it.each([
    'broadcast',
    'reduce',
    'gather',
    'scatter',
  ])('of %s have none, whose root has something else to do than the others', (operation) => {
    expect(rowOf('straggler', withRanks(collective(operation, 2, 2 ** 20), slowOne ?? []))).toBe(
      'not known: the ranks of this case have not the same to do; longest in its call: rank 0 in 100 % of the repetitions, as one is that waits',
    );
  });

  it('are not judged where parts of whole cache lines are not alike', () => {
    // 4 KiB are 64 lines: of 48 ranks 16 have two, the others one.
    const useful = Array.from({ length: 48 }, (_, rank) => (rank === 0 ? 10e-6 : 5e-6));
    expect(rowOf('straggler', withRanks(collective('all-reduce', 48, 4096), useful))).toMatch(
      /^not known: .* not the same to do/,
    );
  });

  it.each([
    ['mpi', 'MPI'],
    ['nccl', 'NCCL'],
    ['gloo', 'Gloo'],
  ])('of %s are not judged, since no one knows who waits', (transport, name) => {
    const more = transport === 'mpi' ? { library: '/libmpi.so', launcher: 'mpirun' } : {};
    const workers = transport === 'nccl' ? 'threads' : 'processes';
    const batch = collective('all-reduce', 2, 2 ** 20, 1e-3, { transport, workers, ...more });
    const text = rowOf('straggler', withRanks(batch, null));
    expect(text).toMatch(
      new RegExp(`^not known: ${name} does not tell who waits for whom; longest in its call: rank 0`),
    );
  });

  it('are not judged by one launch, nor where they take turns', () => {
    const batch = collective('all-reduce', 2, 2 ** 20);
    expect(rowOf('straggler', withRanks(batch, slowOne ?? [], 1))).toMatch(/^not known: it takes 2 launches/);
    const flag = { name: 'crowded', reason: '', evidence: {}, inspections: [0] };
    expect(rowOf('straggler', withRanks({ ...batch, flags: [flag] }, slowOne ?? []))).toMatch(/take turns/);
  });

  it('have no straggler to tell of where there is one', () => {
    const batch = withRanks(collective('all-reduce', 1, 2 ** 20), [5e-4]);
    expect(rowOf('ranks', batch)).toMatch(/^0: /);
    expect(rowOf('straggler', batch)).toBeUndefined();
  });

  it('have one that comes last, unless their clocks are those of several hosts', () => {
    const batch = withRanks(collective('all-reduce', 2, 2 ** 20), alike ?? [], 8);
    expect(rowOf('skew', batch)).toMatch(/, rank 1 last in 100 % of the repetitions, out /);
    const cutShort = batch.inspections.map((launch) => ({ ...launch, status: 'interrupted' as const }));
    expect(rowOf('skew', { ...batch, inspections: cutShort })).not.toContain('last in');
    const implementation = 'Open MPI 4.1.4, 2 processes on 2 hosts, clocks within 3.0 us, MPI_Allreduce';
    const stack = { ...batch.stack, implementation };
    expect(rowOf('skew', { ...batch, stack })).not.toContain('last in');
  });

  it('are said to be too few launches for one that comes last, where no outcome of theirs could name it', () => {
    const of = (launches: number) => withRanks(collective('all-reduce', 8, 2 ** 20), null, launches);
    expect(rowOf('skew', of(3))).toContain('), which rank comes last takes 4 launches to tell, out ');
    expect(rowOf('skew', of(4))).toContain(', rank 1 last in 100 % of the repetitions, out ');
    expect(rowOf('skew', withRanks(collective('all-reduce', 1, 2 ** 20), null))).not.toContain('to tell');
    const implementation = 'Open MPI 4.1.4, 8 processes on 2 hosts, clocks within 3.0 us, MPI_Allreduce';
    const few = of(3);
    expect(rowOf('skew', { ...few, stack: { ...few.stack, implementation } })).not.toContain('to tell');
    // Enough launches that tell of nobody have nothing to add.
    const turns = of(4).inspections.map((launch, at) => ({
      ...launch,
      ranks: launch.ranks && {
        ...launch.ranks,
        ranks: launch.ranks.ranks.map((one, rank) => ({ ...one, last: rank === at ? 1 : 0 })),
      },
    }));
    expect(rowOf('skew', { ...of(4), inspections: turns })).toMatch(/^in [^)]*\), out /);
  });
});

describe('a table of collectives', () => {
  const shown = (...batches: readonly RecordBatch[]) =>
    renderCollective(recordOf(['collective'], batches), style).replaceAll(/\s+/g, ' ');

  it('has algorithms whose names have a dash', () => {
    const more = { transport: 'gloo', workers: 'processes', inPlace: true, algorithm: 'halving-doubling' };
    const batches = [1024, 2048].map((bytes) => {
      const batch = collective('all-reduce', 2, bytes, 1e-3, more);
      return { ...batch, stack: { ...batch.stack, implementation: 'Gloo over TCP, halving-doubling' } };
    });
    const wide = terminalStyle({ isTTY: true, columns: 200 });
    expect(renderCollective(recordOf(['collective'], batches), wide)).toMatch(
      /algorithm[\s\S]*halving-doubling/,
    );
  });

  it('say how far the figures are known, also of what has no rate', () => {
    const three = (operation: string): RecordBatch => {
      const { case: one } = collective(operation, 2, operation === 'barrier' ? 0 : 1024);
      return batchOf(one, [{ seconds: 1e-3 }, { seconds: 1.1e-3 }, { seconds: 0.9e-3 }]);
    };
    const known =
      /95 % intervals over only 3 launches, .*: half of the cases are within ± \d+ %; the widest is/;
    expect(shown(three('all-reduce'), three('broadcast'))).toMatch(known);
    expect(shown(three('barrier'), three('barrier'))).toMatch(known);
    const few = [1024, 2048].map((bytes) => collective('all-reduce', 2, bytes));
    expect(shown(...few)).toContain(
      'no intervals: too few launches of each case; use --inspections 3 or more',
    );
    const precision = { target: 0.01, reached: false, halfWidth: null, reason: '2 launches of at least 8' };
    expect(shown(...few.map((batch) => ({ ...batch, precision })))).toContain(
      'too few launches of each case; use more --inspections, or a longer --budget',
    );
  });

  it('says of each way in which outputs were verified how many launches it is of', () => {
    const text = shown(
      collective('all-reduce', 2, 1024),
      collective('all-reduce', 2, 1024, 1e-3, { sync: 'none', inputs: 'clean' }),
      collective('all-reduce', 2, 2048, 1e-3, { sync: 'none', inputs: 'clean' }),
      collective('barrier', 2, 0),
    );
    expect(text).toContain(
      'verified in 2 launches (some elements in every repetition, all of two; data that no sum rounds), in 4 launches (some elements of the last call in every repetition, ',
    );
    expect(text).toContain('in 2 launches (nobody left before the last came; ranks held back in turn)');
  });

  it('has in its head only what holds for every row', () => {
    const executed = (batch: RecordBatch, implementation: string, provider = 'embedded'): RecordBatch => ({
      ...batch,
      stack: { ...batch.stack, provider, implementation },
    });
    const one = executed(collective('all-reduce', 2, 1024), 'shm avx512, threads, chose ring');
    const other = executed(collective('all-reduce', 2, 2048), 'shm avx512, threads, chose direct');
    expect(shown(one, other)).toMatch(
      /^all-reduce float32 sum, 2 ranks embedded shm avx512, threads, cpu; sync barrier, fresh inputs /,
    );
    const loose = executed(
      collective('all-reduce', 2, 1024, 1e-3, { sync: 'none', inputs: 'clean' }),
      'shm avx512, threads, chose ring',
    );
    expect(shown(one, loose)).toMatch(/^all-reduce float32 sum, 2 ranks embedded shm avx512, threads, cpu /);
    expect(shown(one, loose).split(' size ')[0]).not.toMatch(/sync|inputs/);
    // The rows say it instead.
    expect(shown(one, loose)).toMatch(/ sync barrier fresh inputs 1024 .* sync none clean inputs 1024 /);
    const gloo = executed(
      collective('all-reduce', 2, 1024, 1e-3, {
        transport: 'gloo',
        workers: 'processes',
        inPlace: true,
        algorithm: 'ring',
      }),
      'TCP at 127.0.0.1, 2 processes, ring',
      'gloo',
    );
    expect(shown(one, gloo)).toMatch(/^all-reduce float32 sum, 2 ranks cpu; sync barrier, fresh inputs /);
  });

  it('says of one rank what it does: a copy, or in place nothing that has a rate', () => {
    const one = (inPlace: boolean) =>
      shown(...[1024, 2048].map((bytes) => collective('broadcast', 1, bytes, 1e-7, { inPlace })));
    expect(one(false)).toContain('One rank copies to itself');
    expect(one(true)).toContain('One rank in place has nothing to move');
    expect(one(true)).not.toContain('copies to itself');
    // Also beside others.
    const swept = [1, 2].map((ranks) => collective('broadcast', ranks, 1024, 1e-7, { inPlace: true }));
    expect(shown(...swept)).toContain('One rank in place has nothing to move');
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

  it('are not known of one rank in place, which has nothing to move', () => {
    const sizes = [20, 21, 22, 23, 24].map((power) => 2 ** power);
    const texts = (inPlace: boolean) =>
      fitTexts(sizes.map((bytes) => collective('broadcast', 1, bytes, bytes * 1e-9, { inPlace })));
    expect([texts(false).length, texts(true).length]).toEqual([1, 0]);
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
    const goesOn = 'another pi-bench on this machine goes on with it now';
    const underWay = renderRecord(record, null, style, goesOn).replaceAll(/\s+/g, ' ');
    expect(underWay).toContain(`launches measured; ${goesOn}`);
    expect(underWay).not.toContain('resume');
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

  it.each([
    [0, 1, 'incomplete: its one launch was not measured; it would not have ended in the time'],
    [0, 6, 'incomplete: none of 6 launches was measured; none would have ended in the time'],
    [1, 6, 'incomplete: 1 of 6 launches measured; the others would not have ended in the time'],
  ])('are told in words where a budget left %i of %i', (measured, planned, says) => {
    const whole = batchOf(matmulCase(), three);
    const batch = { ...whole, planned, measured, inspections: whole.inspections.slice(0, measured) };
    const record = {
      ...recordOf(['matmul'], [batch]),
      status: 'incomplete',
      stoppedBy: 'budget',
    } as PiBenchRecord;
    expect(renderRecord(record, null, style).replaceAll(/\s+/g, ' ')).toContain(says);
    expect(warnings(buildReport(record, []))[0]).toMatch(
      measured === 0 ? /: (its|none) .*was(?: not)? measured/ : /1 of 6/,
    );
  });

  it.each([
    [
      'budget',
      [2, 0, 0, 0],
      'incomplete: 2 launches measured, and 3 of 4 batches had none; they would not have ended in the time that was given (--budget)',
    ],
    ['budget', [0], 'incomplete: no launch was begun; none would have ended in the time that was given'],
    [
      'signal',
      [2, 0],
      'interrupted: 2 launches measured, and 1 of 2 batches had none; pi-bench resume finishes',
    ],
    ['signal', [0], 'interrupted: no launch was begun; pi-bench resume finishes it'],
  ] as const)('are told where launches decide how many there are, and a %s came before some batches: %j', (stoppedBy, counts, says) => {
    const whole = batchOf(matmulCase(), three);
    const batches = counts.map((count): RecordBatch => {
      const inspections = whole.inspections.slice(0, count);
      return { ...whole, planned: count, measured: count, inspections };
    });
    const status = stoppedBy === 'signal' ? 'interrupted' : 'incomplete';
    const record = { ...recordOf(['sweep', 'matmul'], batches), status, stoppedBy } as PiBenchRecord;
    const text = renderRecord(record, null, style).replaceAll(/\s+/g, ' ');
    expect(text).toContain(says);
    expect(text).not.toContain('of 0 launches');
    const [told = ''] = warnings(buildReport(record, []));
    expect(told).toContain(says.slice(says.indexOf(': ') + 2, says.indexOf(';')));
  });

  it('are named where a batch alone had none', () => {
    const batch = { ...batchOf(matmulCase(), []), planned: 0, measured: 0, rate: null };
    const record = { ...recordOf(['matmul'], [batch]), status: 'incomplete', stoppedBy: 'budget' };
    expect(renderRecord(record as PiBenchRecord, null, style)).toMatch(
      /no result: no launch of it was begun/,
    );
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
  it('is not that outputs were verified where no launch ran to its end', () => {
    const lost = { ...batchOf(matmulCase(), three), verified: 'not-run' as const, measured: 0 };
    expect(verifiedText([lost, lost], 'each launch', style)).toBe('not verified: no launch counts');
    const some = verifiedText([lost, batchOf(matmulCase(), three)], 'each launch', style);
    expect(some).toMatch(/^verified in 3 launches .*; not verified: 1 case/);
  });
});

describe('every KPI of a record', () => {
  const declared = rateKpis('matmul', 'matrix multiplication', 'flops');
  const context = { timeToResult: 1, timestamp: '2026-01-01T00:00:00.000Z' };
  const shownOf = (batches: readonly RecordBatch[], labelsOf: (batch: RecordBatch) => object): string => {
    const kpis = withSameLabels(
      batches.flatMap((batch, index) =>
        kpisOf(declared, batch, { site: 'lab', ...labelsOf(batch) }, { ...context, index }),
      ),
    );
    // Earlier records tell by labels alone which KPI is of which batch.
    const earlier = kpis.map((kpi) => ({ ...kpi, batch: undefined }));
    const [text, same] = [kpis, earlier].map((all) => {
      const record = { kpis: all, batches, labels: { site: 'lab' } } as unknown as PiBenchRecord;
      return kpiLines(record, style).join('\n');
    });
    expect(same).toBe(text);
    return text ?? '';
  };
  const count = (text: string): number => text.match(/pibench_matmul_rate_flops_per_second/g)?.length ?? 0;

  it('is shown of batches with other parameters, too', () => {
    const more = batchOf(matmulCase({ batch: 2 }), three);
    expect(count(shownOf([batchOf(matmulCase(), three), more], () => ({})))).toBe(2);
  });

  it('has its whole name, over its value where both do not fit into the terminal', () => {
    const shown = (width: number): readonly string[] => {
      const kpis = kpisOf(declared, batchOf(matmulCase(), three), {}, { ...context, index: 0 });
      const record = {
        kpis,
        batches: [batchOf(matmulCase(), three)],
        labels: {},
      } as unknown as PiBenchRecord;
      return kpiLines(record, { ...style, width })
        .join('\n')
        .split('\n');
    };
    const narrow = shown(56);
    expect(narrow.filter((line) => line.length > 56)).toEqual([]);
    const at = narrow.findIndex((line) => line.endsWith(' pibench_matmul_rate_flops_per_second'));
    expect(narrow[at + 1]).toMatch(/^ +2\.000 .*FLOP\/s$/);
    expect(shown(200).some((line) => /rate_flops_per_second +2\.000/.test(line))).toBe(true);
  });

  it('is shown of imported batches, which have their source for a label', () => {
    const imported = ['one', 'two'].map(
      (source) => ({ ...batchOf(matmulCase(), three), imported: { source } }) as unknown as RecordBatch,
    );
    expect(count(shownOf(imported, ({ imported: of }) => ({ source: of?.source })))).toBe(2);
  });
});

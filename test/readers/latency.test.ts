import { describe, expect, it } from 'vitest';
import { latency } from '../../src/indicators/latency.js';
import { nameBatches } from '../../src/readers/batch-names.js';
import { speedText } from '../../src/readers/comparison/words.js';
import { hugePagesOf } from '../../src/readers/huge-pages.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { curvesOf } from '../../src/record/curves.js';
import { withSameLabels } from '../../src/record/kpis-of.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { curves } from '../../src/report/figures/curves.js';
import { buildReport } from '../../src/report/model.js';
import { besideLists, summaryTable } from '../../src/report/tables.js';
import { batchOf, type Launch } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { recordOf } from '../support/records.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const caseOf = (bytes: number, order: string) => ({
  indicator: 'latency',
  parameters: { order, bytes, stride: 64, threads: 1, pin: true },
});

/** Launches in which a load took so many nanoseconds. */
function batchAt(bytes: number, nanos: readonly number[], rest: Partial<Launch> = {}, order = 'random') {
  const one = caseOf(bytes, order);
  const loads = Number(latency.work(one.parameters).loads);
  return batchOf(
    one,
    nanos.map((nano) => ({ seconds: nano * 1e-9 * loads, frequency: 4e9, ...rest })),
  );
}

function recordWith(batches: readonly RecordBatch[]): PiBenchRecord {
  const base = recordOf({ batches: [] });
  return {
    ...base,
    campaign: { ...base.campaign, command: ['latency'] },
    batches: [...batches],
    kpis: [...curvesOf(batches, base.labels, 'now')],
    machine: machineOf() as never,
  };
}
const shown = (...batches: readonly RecordBatch[]): string =>
  renderRecord(recordWith(batches), null, terminalStyle({ isTTY: false }));
const flowing = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('the table of latency', () => {
  it('has a line for each size: nanoseconds, their interval, cycles', () => {
    const text = shown(batchAt(32 * KIB, [1.25, 1.24, 1.26]), batchAt(128 * MIB, [80, 79, 81]));
    expect(text).toContain('latency, 1 thread, pinned, lines of 64 B, by working set');
    expect(text).toMatch(/ random, ns +95 % +cycles\n/);
    expect(text).toMatch(/32\.0 KiB +1\.250 +1\.2\d+–1\.2\d+ +5\.00\n/);
    expect(text).toMatch(/128 MiB +80\.00 +7\d\.\d+–8\d\.\d+ +320\n/);
    expect(text).toContain('verified in 6 launches');
    // What else the machine did nobody knows beforehand: that is for the flags.
    expect(flowing(text)).toContain('on one thread, with no others of ours that load memory;');
    expect(flowing(text)).not.toContain('at rest');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('says what each order that it has holds, and of the other nothing', () => {
    const [random, pages] = ['random', 'pages'].map((order) =>
      [32 * KIB, 64 * KIB].map((bytes) => batchAt(bytes, [1], {}, order)),
    );
    const texts = [shown(...(random ?? [])), shown(...(pages ?? []))].map(flowing);
    expect(texts[0]).toContain('past the reach of the TLB a load also waits for the walk of page tables');
    expect(texts[0]).not.toContain('all lines of a page');
    expect(texts[1]).toContain('pages: all lines of a page of 4 KiB');
    expect(texts[1]).not.toContain('any line may follow');
    const both = shown(...(random ?? []), ...(pages ?? []));
    expect(both).toMatch(/random, ns +95 % +cycles +pages, ns +95 % +cycles\n/);
    for (const line of both.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('draws a curve of six sizes and more', () => {
    const sizes = [16, 32, 64, 128, 256, 512].map((kib) => batchAt(kib * KIB, [kib]));
    expect(shown(...sizes)).toContain('random order, ns a load');
    expect(shown(...sizes.slice(1))).not.toContain('random order, ns a load');
  });

  it('says which size is wrong, and gives it no time', () => {
    const text = shown(batchAt(32 * KIB, [1]), batchAt(64 * KIB, [1], { passed: false }));
    expect(text).toMatch(/64\.0 KiB +WRONG\n/);
    expect(flowing(text)).toContain('WRONG in 1 case: latency 64.0 KiB');
  });

  it('says what the caches of one core are assumed to hold where the system lists none', () => {
    const { cpu, memory, ...machine } = machineOf();
    const on = (available: number, last: number): string => {
      const hidden = { ...cpu, caches: [], cachesFrom: null, threads: 64 };
      const record = {
        ...recordWith([batchAt(MIB, [5]), batchAt(last, [80])]),
        machine: { ...machine, cpu: hidden, memory: { ...memory, available } } as never,
      };
      return flowing(renderRecord(record, null, terminalStyle({ isTTY: false })));
    };
    expect(on(2 ** 40, 128 * MIB)).toContain(
      'that 128 MiB is past all caches of one core rests on 32.0 MiB of them, 32 MiB for each eight CPUs',
    );
    expect(on(140 * MIB, 64 * MIB)).toContain(
      '64.0 MiB is 2.0 times the last caches of one core as assumed (32.0 MiB, 32 MiB for each eight CPUs, as the system lists none): if so, a part of it is read from caches',
    );
  });

  it('says where huge pages are missing, of sizes that would have some', () => {
    const pages = (bytes: number, of: number) => ({ hugePages: { bytes, of, possible: of, page: 2 * MIB } });
    const small = batchAt(32 * KIB, [1], pages(0, 2 * MIB));
    const large = batchAt(8 * MIB, [9], pages(0, 8 * MIB));
    expect(hugePagesOf(small)).toBeNull();
    expect(flowing(shown(small, large))).toContain(
      'huge pages are missing: none behind 8.00 MiB of arrays (random order 8.00 MiB)',
    );
  });

  it('is the table of stability where it would hide devices', () => {
    const one = batchAt(32 * KIB, [1]);
    const [first, second] = ['cpu:0', 'cpu:1'].map((device) => ({
      ...one,
      device,
      asked: { ...one.asked, device },
    }));
    if (first === undefined || second === undefined) throw new Error('two were made');
    expect(shown(first, second)).toContain('latency over 2 batches');
  });
});

describe('the page of one latency', () => {
  it('says first how long a load takes, and how many cycles', () => {
    const text = shown(batchAt(32 * KIB, [1.25, 1.24, 1.26]));
    expect(text).toMatch(/latency +1\.250 ns a load {2}95 % between 1\.2\d+ ns and 1\.2\d+ ns\n/);
    expect(text).toMatch(/cycles +5\.00 a load, of a clock of 4\.00 GHz\n/);
    expect(text).toMatch(/rate +800\.0 Mloads\/s/);
    expect(text.indexOf('latency  ')).toBeLessThan(text.indexOf('rate  '));
    expect(shown(batchAt(32 * KIB, [1.25], { frequency: null }))).toContain('the clock is not known here');
  });

  it('has the clock where no launch tells its time on a CPU, and so no cycles', () => {
    const flags = [{ name: 'stolen', reason: 'a hypervisor took time', evidence: {} }];
    const text = flowing(shown(batchAt(32 * KIB, [1.25, 1.24, 1.26], { frequency: 3e9, flags })));
    expect(text).toMatch(/cycles not known: no launch tells .* of a clock of 3\.00 GHz/);
    expect(text).not.toContain('the clock is not known here');
  });
});

describe('latency under load', () => {
  /** As batchAt, beside so many threads that together read so many GB/s. */
  function loadedAt(bytes: number, load: number, nanos: readonly number[], gigas = 10, order = 'random') {
    const one = {
      indicator: 'latency',
      parameters: { ...caseOf(bytes, order).parameters, load, loadBytes: 512 * MIB },
    };
    const loads = Number(latency.work(one.parameters).loads);
    const rate = gigas * 1e9;
    const traffic = { threads: load, bytes: rate / 10, seconds: 0.1, rate, by: 'avx2' };
    return batchOf(
      one,
      nanos.map((nano) => ({ seconds: nano * 1e-9 * loads, ...(load === 0 ? {} : { traffic }) })),
    );
  }
  const [free, one, three] = [
    loadedAt(128 * MIB, 0, [80, 79, 81]),
    loadedAt(128 * MIB, 1, [90, 89, 91], 12.5),
    loadedAt(128 * MIB, 3, [200, 190, 210], 30),
  ] as const;

  it('has a line for each number of loading threads: what they read, nanoseconds, and times the unloaded', () => {
    const text = shown(three, free, one);
    expect(text).toContain('latency, 1 thread, pinned, lines of 64 B, by working set and threads');
    expect(text).toMatch(/ loading +GB\/s +random, ns +95 % +x\n/);
    const rows = text.split('\n').filter((line) => line.includes('128 MiB '));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/128 MiB +0 +- +80\.00 +7\d\.\d+–8\d\.\d+ +1\.00$/);
    expect(rows[1]).toMatch(/128 MiB +1 +12\.50 +90\.00 +\S+ +1\.1[23]$/);
    expect(rows[2]).toMatch(/128 MiB +3 +30\.00 +200\.0 +\S+ +2\.50$/);
    expect(flowing(text)).toContain('each 512 MiB of its own again and again, on a CPU of its own');
    expect(flowing(text)).toContain('the sum of what each loading thread read');
    expect(flowing(text)).not.toContain('at rest');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('beside one that asked for no load is called by the number alone, and only its set is told', () => {
    const bare = batchAt(128 * MIB, [80]);
    expect(flowing(shown(bare, one))).toContain('can meanwhile, each 512 MiB of its own again and again');
    expect(nameBatches([bare, one]).names).toEqual(['batch', '1 loading thread']);
    const sizes = [32 * KIB, MIB].flatMap((bytes) => [batchAt(bytes, [1]), loadedAt(bytes, 1, [2])]);
    const record = recordWith(sizes);
    const { curves: kpis } = buildReport({ ...record, kpis: [...withSameLabels(record.kpis)] }, []);
    const drawn = curves.draw({ curves: kpis } as Parameters<typeof curves.draw>[0]);
    if (!('data' in drawn)) throw new Error('a curve of two sizes is drawn');
    const series = new Set(drawn.data.rows.map(([name]) => name));
    expect(series).toContain('1 loading thread');
    expect([...series].join()).not.toMatch(/536870912|512/);
  });

  it('has no multiple where nothing was measured without load, and a table for each order', () => {
    expect(shown(one, three)).toMatch(/128 MiB +3 +30\.00 +200\.0 +\S+ +-\n/);
    const text = shown(
      free,
      one,
      loadedAt(128 * MIB, 0, [50], 0, 'pages'),
      loadedAt(128 * MIB, 1, [100], 5, 'pages'),
    );
    expect(text).toMatch(/128 MiB +1 +12\.50 +90\.00 +\S+ +1\.1[23]\n/);
    expect(text).toMatch(
      / pages, ns .*\n.*128 MiB +0 +- +50\.00 +- +1\.00\n.*128 MiB +1 +5\.000 +100\.0 +- +2\.00\n/,
    );
  });

  it('gives a wrong one no time', () => {
    const wrong = batchOf(one.case, [{ seconds: 1e-3, passed: false }]);
    expect(shown(free, wrong)).toMatch(/128 MiB +1 +WRONG\n/);
  });

  it('names its curves by the number of threads', () => {
    const sizes = [16, 32, 64, 128, 256, 512].map((kib) => loadedAt(kib * KIB, 2, [kib]));
    expect(shown(...sizes)).toContain('random order, 2 loading threads, ns a load');
  });

  it('says on a page of its own what was read beside it', () => {
    expect(flowing(shown(three))).toContain('beside 3 threads that read 30.00 GB/s of main memory meanwhile');
    expect(shown(free)).not.toContain('beside');
    expect(shown(batchAt(128 * MIB, [80]))).not.toContain('beside');
  });

  it('is in a report what was read beside each, in words and as a column', () => {
    const report = buildReport(recordWith([free, one, three]), []);
    expect(besideLists(report).filter(({ head }) => head !== 'Slowest 5 %')).toEqual([
      {
        head: 'Under load',
        lines: [
          '1 loading thread: 1 thread that read 12.50 GB/s of main memory meanwhile',
          '3 loading threads: 3 threads that read 30.00 GB/s of main memory meanwhile',
        ],
      },
    ]);
    const { columns, rows } = summaryTable(report);
    const column = (name: string) => rows.map((row) => row[columns.indexOf(name)]);
    expect(column('traffic_rate')).toEqual([null, 12.5e9, 30e9]);
    expect(column('parameter_load')).toEqual([0, 1, 3]);
  });

  it('is named by it in a report', () => {
    const names = nameBatches([free, one, three]);
    expect(names.names).toEqual(['0 loading threads', '1 loading thread', '3 loading threads']);
    expect(names.axis).toMatchObject({ key: 'load', label: 'loading threads', values: [0, 1, 3] });
  });
});

describe('other readers of latency', () => {
  it('compare times of loads', () => {
    const of = (rate: number | null, rateUnit: string) =>
      speedText({ rate, rateUnit, elapsedSeconds: 1e-3 } as Parameters<typeof speedText>[0]);
    expect(of(1e9 / 80, 'loads/s')).toBe('80.00 ns a load');
    expect(of(null, 'loads/s')).toBe('1.000 ms');
  });

  it('put the shortest time at the head of a report', () => {
    const [quick, slow] = [batchAt(32 * KIB, [1.25, 1.24, 1.26]), batchAt(MIB, [5, 4, 6])];
    const { headline } = buildReport(recordWith([slow, quick]), []);
    expect(headline.value).toBe('1.250 ns a load');
    expect(headline.of).toBe('the shortest of the batches: latency 32.0 KiB, random order, pinned');
    expect(headline.uncertainty).toMatch(/^95 % interval 1\.2\d+ ns to 1\.2\d+ ns, over only 3 launches/);
    const [one] = [buildReport(recordWith([batchAt(32 * KIB, [1.25])]), []).headline];
    expect([one.value, one.of]).toEqual(['1.250 ns a load', '']);
    expect(one.uncertainty).toContain('no interval');
    expect(buildReport(recordWith([batchAt(32 * KIB, [1], { passed: false })]), []).headline).toMatchObject({
      value: null,
      trust: 'bad',
    });
  });
});

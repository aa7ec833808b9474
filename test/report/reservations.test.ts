/** What the terminal warns of, the page and the Markdown of the same record say, too. */
import { describe, expect, it } from 'vitest';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { headHtml, stabilityHtml } from '../../src/report/page/head.js';
import { batchOf, type Launch, matmulCase, noPeakBeside } from '../support/batch.js';
import { cache, machineOf } from '../support/machine.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const MIB = 2 ** 20;
const wide = { ...terminalStyle({}), width: 1000 };

/** On 384 MiB of last cache, with 1000 MiB of memory free. */
function recordWith(command: string, batches: readonly RecordBatch[]): PiBenchRecord {
  const bare = machineOf();
  const machine = {
    ...bare,
    cpu: { ...bare.cpu, caches: [cache(3, 384 * MIB, 2, 1)] },
    memory: { ...bare.memory, available: 1000 * MIB },
  };
  const record = recordOf({ batches: [] });
  return {
    ...record,
    campaign: { ...record.campaign, command: [command] },
    machine: JSON.parse(JSON.stringify(machine)),
    batches: [...batches],
  };
}

const memory = (bytes: number, launch: Launch = { seconds: 1e-3 }): RecordBatch =>
  batchOf(
    { indicator: 'memory', parameters: { operation: 'read', stores: 'none', bytes, threads: 2, pin: true } },
    [launch],
  );
const lacking: Launch = {
  seconds: 1e-3,
  hugePages: { bytes: 0, of: 256 * MIB, possible: 256 * MIB, page: 2 * MIB },
};
const product = (ceilings: Launch['ceilings'], repetitions = 40): RecordBatch =>
  batchOf(matmulCase(), [{ seconds: 1e-3, samples: Array(repetitions).fill(1e-3), ceilings }]);
/** So many, which differ in m. */
const sized = (ceilings: Launch['ceilings'], count: number, repetitions?: number): RecordBatch[] =>
  Array.from({ length: count }, (_, i) => {
    const { asked, ...batch } = product(ceilings, repetitions);
    const one = matmulCase({ m: 100 + i });
    return { ...batch, case: one, asked: { ...asked, case: one } };
  });
const NONE = { arithmetic: null, memory: null };

const SHORT =
  '256 MiB is 0.67 times the last caches (384 MiB together): memory was not reached; half of the free memory allowed no more';
const PAGES = 'none behind 256 MiB of arrays';
const NO_PEAK =
  'the best loop of this build does not use AMX, which this CPU has for float32 and which may be faster';
const LEANS = 'of a launch of 19 repetitions that leans on the slowest of them';

/** As asked for by the indicator's own command, in a sweep, and by a campaign's file. */
const COMMANDS = ['', 'sweep', 'run'];

describe('a reservation', () => {
  it.each<[string, string, readonly RecordBatch[]]>([
    ['of a largest size that is in the caches', SHORT, [memory(MIB), memory(256 * MIB)]],
    ['of the only size, which is in the caches', SHORT, [memory(256 * MIB)]],
    ['of arrays without huge pages', PAGES, [memory(256 * MIB, lacking)]],
    ['of arrays without huge pages among several', PAGES, [memory(MIB), memory(256 * MIB, lacking)]],
    ['of a peak that is none', NO_PEAK, [product(noPeakBeside('AMX'))]],
    ['of a peak that is none for several', NO_PEAK, sized(noPeakBeside('AMX'), 2)],
    ['of few repetitions', LEANS, [product(NONE, 19)]],
  ])('%s stands on the terminal, on the page and in Markdown', async (_, said, batches) => {
    for (const command of COMMANDS) {
      const record = recordWith(command === '' ? (batches[0]?.case.indicator ?? '') : command, batches);
      const report = buildReport(record, []);
      const page = `${headHtml(report)}${stabilityHtml(report)}`.replaceAll('\u00a0', ' ');
      // Once, of however many batches it is the same.
      expect(renderRecord(record, null, wide).split(said), command).toHaveLength(2);
      expect(page).toContain(said);
      expect((await markdownOf(record)).replaceAll('\\', '')).toContain(said);
    }
  });

  it('of a peak that is none stands below the table of GPUs, too', () => {
    const onGpu = sized(noPeakBeside('wgmma'), 2).map((batch) => ({ ...batch, device: 'cuda:0' }));
    expect(renderRecord(recordWith('matmul', onGpu), null, wide)).toContain(
      'efficiency not known: the best loop of this build does not use wgmma, which this GPU has for float32',
    );
  });

  it('is said once of all batches that it is the same of', () => {
    const page = stabilityHtml(buildReport(recordWith('sweep', sized(NONE, 10, 19)), []));
    expect(page.replaceAll('\u00a0', ' ')).toMatch(
      /Slowest 5 %:<\/strong><\/p><ul><li>m 100, m 101, .*, m 107 and 2 more: of a launch of 19 repetitions that leans/,
    );
  });

  it('is not made where there is none', async () => {
    const record = recordWith('matmul', [product(NONE)]);
    const text = await markdownOf(record);
    for (const head of ['What else limits it', 'Efficiency not known', 'Slowest 5 %\n'])
      expect(text).not.toContain(head);
    // What the column of the rates means is said of all.
    expect(text).toContain('of launches of fewer than 20 it leans on the slowest.');
  });

  it('of several devices says of which it is', () => {
    const [near, far] = ['numa:0', 'numa:1'].map((device) => ({ ...memory(256 * MIB), device }));
    if (near === undefined || far === undefined) throw new Error('two batches');
    const { limits } = buildReport(recordWith('memory', [near, far]), []);
    expect(limits).toEqual([`memory on numa:0: ${SHORT}`, `memory on numa:1: ${SHORT}`]);
  });
});

/** Where launches ended before the precision that was asked for, every reader of the record says so. */
import { describe, expect, it } from 'vitest';
import { missedPrecision } from '../../src/readers/precision.js';
import { renderGpuTable } from '../../src/readers/terminal/gpu.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { Case, PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { warnings } from '../../src/report/page/head.js';
import { batchOf, peakCase } from '../support/batch.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const missed = (reason: string): NonNullable<RecordBatch['precision']> => ({
  target: 0.01,
  reached: false,
  halfWidth: 0.03,
  reason,
});
const REASON = '± 3.0 % with all launches';

const memoryCase = (bytes: number): Case => ({
  indicator: 'memory',
  parameters: { operation: 'read', stores: 'none', bytes, threads: 2, pin: true },
});
const latencyCase = (bytes: number): Case => ({
  indicator: 'latency',
  parameters: { order: 'random', bytes, stride: 64, threads: 1, pin: true },
});

const bare = recordOf({ batches: [] });

/** As the command of its indicator left it: of two cases, of which the second missed its precision. */
function recordWith(cases: readonly Case[]): PiBenchRecord {
  const batches = cases.map((one, i) => ({
    ...batchOf(one, [{ seconds: 1e-3 }, { seconds: 1.1e-3 }]),
    ...(i === 1 ? { precision: missed(REASON) } : {}),
  }));
  const command = [cases[0]?.indicator ?? ''];
  return { ...bare, campaign: { ...bare.campaign, command }, batches };
}

describe('a precision that was not reached', () => {
  it.each([
    ['memory', [memoryCase(1024), memoryCase(2048)]],
    ['latency', [latencyCase(1024), latencyCase(2048)]],
    ['peak', [peakCase('float32'), peakCase('float64')]],
  ])('is said below the table of %s', (_, cases) => {
    const record = recordWith(cases);
    const shown = renderRecord(record, null, terminalStyle({ isTTY: false })).replaceAll(/\s+/g, ' ');
    expect(shown).toContain(`${record.batches[1]?.title}: the precision was not reached: ${REASON}`);
  });

  it('names the GPU where one case is measured on two', () => {
    const { batches } = recordWith([peakCase('float32'), peakCase('float32')]);
    const onGpus = batches.map((batch, i) => ({
      ...batch,
      device: `cuda:${i}`,
      asked: { ...batch.asked, device: `cuda:${i}` },
      precision: missed(REASON),
    }));
    const shown = renderGpuTable({ ...bare, batches: onGpus }, terminalStyle({ isTTY: false }));
    for (const { title, device } of onGpus)
      expect(shown.replaceAll(/\s+/g, ' ')).toContain(`${title} (${device}): the precision was not reached`);
  });

  it('stands at the head of a report, on the page and in Markdown', async () => {
    const record = recordWith([peakCase('float32'), peakCase('float64')]);
    const { batches } = buildReport(record, []);
    const [text = ''] = warnings(buildReport(record, []));
    expect(text.toLowerCase()).toBe(
      `${batches[1]?.name}: the precision was not reached: ${REASON}.`.toLowerCase(),
    );
    expect(await markdownOf(record)).toContain('the precision was not reached');
  });

  it('is told of the first few of many batches, and of an only one without its name', () => {
    const batch = (name: string) => ({ name, precision: missed(`of ${name}`) });
    expect(missedPrecision([batch('a')])).toEqual(['the precision was not reached: of a']);
    expect(missedPrecision(['a', 'b', 'c', 'd', 'e'].map(batch))).toEqual([
      'a: the precision was not reached: of a',
      'b: the precision was not reached: of b',
      'c: the precision was not reached: of c',
      'and in 2 batches more',
    ]);
    const reached = { name: 'b', precision: { ...missed(''), reached: true } };
    expect(missedPrecision([reached, { name: 'c', precision: null }])).toEqual([]);
  });
});

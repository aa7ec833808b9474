/** A report of an overlap says what hid, and not only how fast the products were. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { formats } from '../../src/report/formats/index.js';
import { buildReport } from '../../src/report/model.js';
import type { ReadReport } from '../../src/report/read-report.js';
import { summaryTable } from '../../src/report/tables.js';
import type { Launch } from '../support/batch.js';
import { asOverlap } from '../support/overlap.js';
import { aboutSeconds, recordOf } from '../support/records.js';

/** Of batches that hide so much each. */
function overlapRecord(
  hidden: readonly number[],
  launches: readonly (number | Launch)[] = aboutSeconds(5e-3),
) {
  const record = recordOf({ batches: hidden.map((_, i) => ({ parameters: { m: 64 * (i + 1) }, launches })) });
  return asOverlap(record, hidden);
}

async function textOf(name: string, record: PiBenchRecord): Promise<string> {
  const read = { record, report: buildReport(record, []), recordText: '{}' } as unknown as ReadReport;
  const text = formats.find((one) => one.name === name)?.text;
  let whole = '';
  for await (const piece of text?.({ read, warn: () => {}, samples: false }) ?? []) whole += piece;
  return whole.replaceAll('\u00a0', ' ');
}

describe('the report of an overlap', () => {
  it('has what hides for its headline, with the interval, the gain and what could hide at most', () => {
    const { headline } = buildReport(overlapRecord([0.125]), []);
    expect(headline.value).toBe('12.5 % of the communication hidden');
    expect(headline.uncertainty).toMatch(
      /^95 % interval -25(\.0)? % to 37\.5 %, over \d+ launches; at most 25(\.0)? % could hide; at once 1\.50x as fast as one after the other$/,
    );
  });

  it('names the batch in which most hides', () => {
    const { headline } = buildReport(overlapRecord([0.125, 0.75, 0.5]), []);
    expect(headline.value).toMatch(/^75(\.0)? % of/);
    expect(headline.of).toMatch(/^the most that hides in one of the batches: .*128/);
  });

  it.each([
    'html',
    'md',
  ])('has a table of what hides, at most, of the gain and who is slowed: %s', async (name) => {
    const text = await textOf(name, overlapRecord([0.125, 0.75]));
    for (const words of ['at most', 'gain', 'matmul slowed', 'collective slowed', '1.10x', '1.20x', '75.0 %'])
      expect(text).toContain(words);
    expect(text).toMatch(/-25(\.0)? % to 37\.5 %/);
    const matmul = recordOf({ batches: [{ launches: aboutSeconds(1e-3) }] });
    expect(await textOf(name, matmul)).not.toContain('matmul slowed');
  });

  it('has them in base units for a program', () => {
    const { columns, rows } = summaryTable(buildReport(overlapRecord([0.125]), []));
    const of = (name: string) => rows[0]?.[columns.indexOf(name)];
    expect(of('overlap_hidden_ratio')).toBe(0.125);
    expect(of('overlap_hidden_ratio_low')).toBe(-0.25);
    expect(of('overlap_most_hidden_ratio')).toBe(0.25);
    expect(of('overlap_gain_ratio')).toBe(1.5);
    expect(of('overlap_matmul_alone_seconds')).toBe(1e-3);
    expect(of('overlap_collective_slowed_ratio')).toBe(1.2);
  });

  it('says nothing of what was cut short', () => {
    const { headline, batches } = buildReport(
      overlapRecord([0.125], [{ seconds: 1e-3, status: 'timed-out' }]),
      [],
    );
    expect(batches[0]?.overlap).toBeNull();
    expect(headline.value).toBeNull();
  });
});

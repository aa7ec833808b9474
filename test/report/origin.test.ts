/** Every form of a report says what executed, and that others measured where they did. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { headHtml } from '../../src/report/page/head.js';
import { summaryTable } from '../../src/report/tables.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const REMARK = 'its rates are in 2mnk - mn, and were counted again';

function importedRecord(): PiBenchRecord {
  const record = recordOf({ batches: [{ launches: [1e-3] }, { parameters: { m: 50 }, launches: [1e-3] }] });
  const imported = {
    source: 'one',
    values: 'launches' as const,
    statistic: 'median' as const,
    rates: null,
    notChecked: [],
    remarks: [REMARK],
  };
  return {
    ...record,
    batches: record.batches.map((batch) => ({ ...batch, imported })),
    imported: {
      format: 'thoth',
      files: [{ path: 'a.json', sha256: '0', layout: '2020' }],
      notRead: [],
      notKnown: [
        { what: 'kernel', why: 'nobody published it' },
        { what: 'warm-up', why: 'nobody said' },
      ],
      measured: null,
    },
  };
}

const linesOf = async (record: PiBenchRecord): Promise<readonly string[]> =>
  (await markdownOf(record)).split('\n');

describe('where a report comes from', () => {
  it('names the stack in Markdown, as on the page', async () => {
    const record = recordOf({
      batches: [{ stack: { provider: 'openblas', version: '0.3.28' }, launches: [1e-3] }],
    });
    expect(await linesOf(record)).toContain('- stack: openblas on cpu');
    expect(headHtml(buildReport(record, []))).toContain('<dt>stack</dt><dd>openblas on cpu</dd>');
  });

  it('says that others measured, what is wrong with their figures, and what they did not tell', async () => {
    const record = importedRecord();
    const lines = await linesOf(record);
    expect(lines).toContain('- imported: 1 file of thoth: pi-bench did not measure this');
    expect(lines).toContain(`- faults of the source: ${REMARK}`);
    const missing = lines.indexOf('- not known:');
    expect(lines.slice(missing + 1, missing + 3)).toEqual([
      '  - kernel: nobody published it',
      '  - warm-up: nobody said',
    ]);
    const page = headHtml(buildReport(record, []));
    expect(page).toContain(`<dt>faults of the source</dt><dd>${REMARK}</dd>`);
    expect(page).toContain('<li>kernel: nobody published it</li><li>warm-up: nobody said</li>');
  });

  it('says in each row of the table which format it was, and nothing where pi-bench measured', () => {
    const cells = (record: PiBenchRecord): readonly unknown[] => {
      const { columns, rows } = summaryTable(buildReport(record, []));
      return rows.map((row) => row[columns.indexOf('imported')]);
    };
    expect(cells(importedRecord())).toEqual(['thoth', 'thoth']);
    expect(cells(recordOf({ batches: [{ launches: [1e-3] }] }))).toEqual([null]);
  });
});

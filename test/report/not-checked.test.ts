/** Of launches that never ran nobody can say that they have no validity flag. */
import { describe, expect, it } from 'vitest';
import { renderStability } from '../../src/readers/terminal/stability.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { headHtml } from '../../src/report/page/head.js';
import { stabilityRows } from '../../src/report/tables.js';
import type { Launch } from '../support/batch.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const crashed: Launch = { seconds: 1e-3, status: 'crashed' };

/** A batch of what crashed, and others beside it. */
function withCrash(...others: readonly Launch[][]): PiBenchRecord {
  const record = recordOf({
    batches: [[crashed, crashed], ...others].map((launches, i) => ({
      stack: { provider: `stack-${i}` },
      launches,
    })),
  });
  const batches = record.batches.map((batch) => ({
    ...batch,
    inspections: batch.inspections.map((one) =>
      one.status === 'crashed' ? { ...one, statistics: null, rate: null, verification: null } : one,
    ),
  }));
  return { ...record, batches: batches.map((batch, i) => (i === 0 ? { ...batch, elapsed: null } : batch)) };
}

const shown = (record: PiBenchRecord): string =>
  renderStability(record, { ...terminalStyle({ isTTY: false }), width: 120 });

describe('the flags of a batch of which no launch ran', () => {
  const record = withCrash([{ seconds: 1e-3 }], [{ seconds: 1e-3 }, crashed]);

  it('are a dash in the table of a report, where others have none', () => {
    const flags = stabilityRows(buildReport(record, [])).map((cells) => cells.at(-1));
    expect(flags).toEqual(['–', 'none', 'none']);
  });

  it('are a dash on the terminal, and its launches are not among those that were looked at', () => {
    const lines = shown(record).split('\n');
    const column = lines.find((line) => line.endsWith('flags'))?.indexOf('flags');
    const flagsOf = (stack: string) => lines.find((line) => line.startsWith(`  ${stack}`))?.slice(column);
    expect(['stack-0', 'stack-1', 'stack-2'].map(flagsOf)).toEqual(['–', '', '']);
    const flagged = { seconds: 1e-3, flags: [{ name: 'preempted', reason: 'it was', evidence: {} }] };
    expect(shown(withCrash([flagged, flagged]))).toMatch(/flags +of 2 launches: preempted 2/);
  });

  it('are told to have been looked for nowhere where that is so of all', async () => {
    const none = withCrash();
    expect(shown(none)).toMatch(/flags +validity flags not looked for: no launch came that far/);
    expect(shown(record)).toMatch(/flags +no validity flag$/m);
    const said = 'Validity flags were not looked for: no launch came that far.';
    expect(headHtml(buildReport(none, []))).toContain(`<p class="quiet">${said}</p>`);
    expect(await markdownOf(none)).toContain(said);
    expect(headHtml(buildReport(record, []))).toContain('<p class="ok">No validity flag was raised.</p>');
  });
});

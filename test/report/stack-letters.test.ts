/** Stacks with long names leave room for what else tells batches apart, and the key to their letters stands beside them. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { isDrawn } from '../../src/report/figures/figure.js';
import { drawFigures } from '../../src/report/figures/index.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { buildReport, type ReportModel } from '../../src/report/model.js';
import { overlapHtml, ratesHtml, stabilityHtml } from '../../src/report/page/head.js';
import { ratesRows } from '../../src/report/rates.js';
import { renderSvg } from '../../src/report/render.js';
import { stabilityRows, summaryTable } from '../../src/report/tables.js';
import { asOverlap } from '../support/overlap.js';
import { aboutSeconds, recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const LONG = ['one', 'two'].map((name) => `site-openblas-0.3.21-with-a-very-long-name-for-testing-${name}`);

const recordOn = (stacks: readonly string[]): PiBenchRecord =>
  recordOf({
    batches: [64, 128].flatMap((m) =>
      stacks.map((provider, i) => ({
        parameters: { m, n: m, k: m },
        stack: { provider, version: '1' },
        launches: aboutSeconds(1e-3 * (1 + i / 10)),
      })),
    ),
  });

const reportOf = (stacks: readonly string[]): ReportModel => buildReport(recordOn(stacks), []);

describe('stacks with long names', () => {
  const report = reportOf(['embedded', ...LONG]);

  it('are letters in each table, and the key stands below it', async () => {
    const names = stabilityRows(report).map(([name]) => name);
    expect(names).toEqual(['64 embedded', '64 A', '64 B', '128 embedded', '128 A', '128 B']);
    const key = `A is ${LONG[0]}, B is ${LONG[1]}.`;
    expect(stabilityHtml(report)).toContain(key);
    expect(ratesRows(report).map(([name]) => name)).toEqual(names);
    expect(ratesHtml(report)).toContain(key);
    const overlaps = asOverlap(recordOn(['embedded', ...LONG]));
    expect(overlapHtml(buildReport(overlaps, []))).toContain(key);
    const text = await markdownOf(overlaps);
    const sections = text.split('\n## ').filter((section) => /^(Overlap|Rates|Stability)\n/.test(section));
    expect(sections.map((section) => section.includes('A is '))).toEqual([true, true, true]);
  });

  it('are letters in every figure, whose words have the key', async () => {
    const drawn = drawFigures(report).campaign.flatMap(({ id, result }) =>
      isDrawn(result) ? [{ id, result }] : [],
    );
    expect(drawn.map(({ id }) => id)).toEqual(expect.arrayContaining(['comparison', 'violins', 'stability']));
    for (const { id, result } of drawn) {
      expect(result.caption, id).toContain(`A is ${LONG[0]}, B is ${LONG[1]}.`);
      expect(result.alternative, id).toContain(`B is ${LONG[1]}.`);
      expect(await renderSvg(result.spec(LIGHT)), id).not.toMatch(/site-openblas|…/);
    }
  });

  it('keep their names for a program', () => {
    const { columns, rows } = summaryTable(report);
    expect(rows[1]?.[columns.indexOf('batch')]).toBe(`64 ${LONG[0]}`);
    const violins = drawFigures(report).campaign.find(({ id }) => id === 'sustained')?.result;
    if (violins === undefined || !isDrawn(violins)) throw new Error('not drawn');
    expect(violins.data.rows[1]?.[0]).toBe(`64 ${LONG[0]}`);
  });

  it('are no letters where names are short, and no letter that a stack is called by', () => {
    expect(reportOf(['embedded', 'openblas']).stackLetters).toEqual([]);
    expect(reportOf(['A', ...LONG]).stackLetters.map(({ letter }) => letter)).toEqual(['B', 'C']);
  });
});

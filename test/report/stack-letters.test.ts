/** Stacks with long names leave room for what else tells batches apart, and the key to their letters stands beside them. */
import { describe, expect, it } from 'vitest';
import { isDrawn } from '../../src/report/figures/figure.js';
import { drawFigures } from '../../src/report/figures/index.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import type { Request } from '../../src/report/formats/format.js';
import { markdown } from '../../src/report/formats/markdown.js';
import { buildReport, type ReportModel } from '../../src/report/model.js';
import { ratesHtml, stabilityHtml } from '../../src/report/page/head.js';
import { ratesRows } from '../../src/report/rates.js';
import { renderSvg } from '../../src/report/render.js';
import { stabilityRows, summaryTable } from '../../src/report/tables.js';
import { aboutSeconds, recordOf } from '../support/records.js';

const LONG = ['one', 'two'].map((name) => `site-openblas-0.3.21-with-a-very-long-name-for-testing-${name}`);

function reportOf(stacks: readonly string[]): ReportModel {
  const record = recordOf({
    batches: [64, 128].flatMap((m) =>
      stacks.map((provider, i) => ({
        parameters: { m, n: m, k: m },
        stack: { provider, version: '1' },
        launches: aboutSeconds(1e-3 * (1 + i / 10)),
      })),
    ),
  });
  return buildReport(record, []);
}

describe('stacks with long names', () => {
  const report = reportOf(['embedded', ...LONG]);

  it('are letters in each table, and the key stands below it', async () => {
    const names = stabilityRows(report).map(([name]) => name);
    expect(names).toEqual(['64 embedded', '64 A', '64 B', '128 embedded', '128 A', '128 B']);
    const key = `A is ${LONG[0]}, B is ${LONG[1]}.`;
    expect(stabilityHtml(report)).toContain(key);
    expect(ratesRows(report).map(([name]) => name)).toEqual(names);
    expect(ratesHtml(report)).toContain(key);
    let text = '';
    const request = { read: { report }, warn: () => {}, samples: false } as unknown as Request;
    for await (const piece of markdown.text?.(request) ?? []) text += piece;
    const sections = text.split('\n## ').filter((section) => /^(Rates|Stability)\n/.test(section));
    expect(sections.map((section) => section.includes('A is '))).toEqual([true, true]);
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

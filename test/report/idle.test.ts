/** A barrier does no work: its report gives times and no rate, which would be 0, and calls that no missing score. */
import { describe, expect, it } from 'vitest';
import { renderStability } from '../../src/readers/terminal/stability.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { isDrawn } from '../../src/report/figures/figure.js';
import { drawFigures } from '../../src/report/figures/index.js';
import { buildReport } from '../../src/report/model.js';
import { stabilityRows, summaryTable } from '../../src/report/tables.js';
import { aboutSeconds, type DescribedBatch, recordOf } from '../support/records.js';

const idle = (m: number, centre: number, count = 12): DescribedBatch => ({
  parameters: { m },
  launches: aboutSeconds(centre, count),
  idle: true,
});

const recordsOf = (batches: readonly DescribedBatch[]) => {
  const record = recordOf({ batches });
  return { record, report: buildReport(record, []) };
};

describe('the report of what does no work', () => {
  it('has the time of a repetition for its headline, with its interval', () => {
    const { headline } = recordsOf([idle(100, 2e-6)]).report;
    expect(headline.value).toMatch(/^(2\.0|1\.99)\d* µs a repetition$/);
    expect(headline.uncertainty).toMatch(
      /^95 % interval .* µs to .* µs, over 12 launches; it does no work, so it has no rate$/,
    );
    const few = recordsOf([idle(100, 2e-6, 2)]).report.headline;
    expect(few.uncertainty).toMatch(/^no interval: .*; launches from .* µs to .* µs; it does no work/);
  });

  it('names the shortest of several, and a rate where another batch has one', () => {
    const several = recordsOf([idle(100, 3e-6), idle(50, 2e-6)]).report;
    expect(several.headline.of).toBe(`the shortest of those that do no work: ${several.batches[1]?.title}`);
    const mixed = recordsOf([idle(100, 3e-6), { parameters: { m: 50 }, launches: aboutSeconds(1) }]).report;
    expect(mixed.headline.value).toMatch(/FLOP\/s$/);
  });

  it('has no rate in tables and data, and is told from what has no score', () => {
    const { record, report } = recordsOf([idle(100, 3e-6), idle(50, 2e-6)]);
    expect(stabilityRows(report).map((cells) => cells[2])).toEqual(['does no work', 'does no work']);
    const { columns, rows } = summaryTable(report);
    for (const name of ['rate', 'rate_p05', 'rate_sustained', 'rate_low'])
      expect(rows.map((cells) => cells[columns.indexOf(name)])).toEqual([null, null]);
    expect(report.batches.flatMap(({ launches }) => launches.map(({ rate }) => rate))).toEqual(
      Array.from({ length: 24 }, () => null),
    );
    expect(renderStability(record, { ...terminalStyle({}), width: 200 })).not.toMatch(/ 0 .?B\/s/);
  });

  it('has no figure of rates, which say why, and no share that is not a number', () => {
    const { report } = recordsOf([idle(100, 3e-6), idle(50, 2e-6)]);
    const { campaign } = drawFigures(report);
    for (const id of ['sweep', 'sustained']) {
      const result = campaign.find((figure) => figure.id === id)?.result;
      expect(result).toMatchObject({
        why: 'it is of rates, and what does no work, as a barrier, has none',
      });
    }
    for (const { result } of campaign)
      if (isDrawn(result)) expect(`${result.alternative} ${result.caption}`).not.toMatch(/NaN|Infinity/);
  });
});

/** The report's comparison of stacks: what is drawn, what the table says, and that names stay text. */
import { beforeAll, describe, expect, it } from 'vitest';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import { comparisonRows, comparisonTable, isCompared } from '../../src/report/comparison.js';
import { comparison } from '../../src/report/figures/comparison.js';
import { isDrawn } from '../../src/report/figures/figure.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import type { Request } from '../../src/report/formats/format.js';
import { markdown } from '../../src/report/formats/markdown.js';
import { buildReport, type ReportModel } from '../../src/report/model.js';
import { comparisonHtml } from '../../src/report/page/comparison.js';
import { comparisonPageHtml } from '../../src/report/page/comparison-page.js';
import { renderSvg } from '../../src/report/render.js';
import { aboutSeconds, recordOf } from '../support/records.js';

const HOSTILE = `<img src=x onerror="1">`;

function reportOf(sizes: readonly number[], centres: readonly number[], names = ['one', 'two', HOSTILE]) {
  const record = recordOf({
    batches: sizes.flatMap((m) =>
      centres.map((centre, i) => ({
        parameters: { m },
        stack: { provider: names[i] ?? `stack${i}`, version: '1' },
        launches: aboutSeconds(centre * (1 + i / 10_000)),
      })),
    ),
  });
  return buildReport(
    record,
    record.batches.map(() => null),
  );
}

function drawnOf(report: ReportModel) {
  const figure = comparison.draw(report);
  if (!isDrawn(figure)) throw new Error(figure.why);
  return figure;
}

let three: ReportModel;
beforeAll(() => {
  three = reportOf([100, 50], [1, 0.9, 1.0001]);
});

describe('the comparison of a report', () => {
  it('has a mark and a bar for each candidate of each case, and the reference in the title', async () => {
    const figure = drawnOf(three);
    expect(figure.title).toBe('Comparison with one');
    const svg = await renderSvg(figure.spec(LIGHT));
    const marksOf = (name: string) =>
      new RegExp(`class="mark-\\w+ role-mark ${name}"[\\s\\S]*?</g>`).exec(svg)?.[0].match(/<(path|line)/g) ??
      [];
    expect(marksOf('ratio')).toHaveLength(4);
    expect(marksOf('interval')).toHaveLength(4);
    expect(figure.alternative).toMatch(/two: 1\.111, 95 % .* to .*: faster/);
    expect(figure.alternative).toMatch(/same within 2\.0 %/);
    expect(svg).not.toContain('<img');
  });

  it('says how many launches would tell where these cannot, as the terminal does', () => {
    const told = 'To settle what cannot be told: ';
    expect(comparisonHtml(three.comparison)).not.toContain(told);
    const record = recordOf({
      batches: [1, 1.01].map((centre, i) => ({
        stack: { provider: `stack${i}`, version: '1' },
        launches: aboutSeconds(centre, 6, 0.02),
      })),
    });
    const { comparison: open } = buildReport(record, [null, null]);
    expect(comparisonHtml(open)).toMatch(
      /To settle what cannot be told: about \d+ launches of each would tell in 9 of 10 comparisons, were the ratio as now\.</,
    );
  });

  it('has every side of every case in its table, the fastest first, with what cannot be told apart', () => {
    if (!isCompared(three.comparison)) throw new Error(three.comparison.why);
    const rows = comparisonRows(three.comparison).slice(0, 3);
    expect(rows.map(([, who]) => who)).toEqual(['two', 'one', HOSTILE]);
    expect(rows.map((cells) => cells[5])).toEqual(['faster', 'reference', 'same within 2.0 %']);
    expect(rows.map((cells) => cells[6])).toEqual(['a', 'b', 'b']);
    const { columns, rows: data } = comparisonTable(three.comparison);
    expect(data).toHaveLength(6);
    expect(data.every((cells) => cells.length === columns.length)).toBe(true);
    expect(data[0]?.[columns.indexOf('ratio')]).toBeCloseTo(1 / (0.9 * 1.0001), 9);
  });

  it('shows names as text', () => {
    const html = comparisonHtml(three.comparison);
    expect(html).toContain('&lt;img');
    expect(html).not.toContain('<img');
    expect(html).toMatch(/Over 2 cases two has 1\.111 times the rate of one/);
  });

  it('says what was forced, what differs beside, what nobody verified, and which flags were raised', async () => {
    const [first, other] = ['a', 'b'].map((name) => ({
      name,
      record: recordOf({ id: name, labels: { kernel: name }, batches: [{ launches: aboutSeconds(1) }] }),
    }));
    if (first === undefined || other === undefined) throw new Error('two records');
    const [batch] = other.record.batches;
    if (batch === undefined) throw new Error('a batch');
    const flags = [{ name: 'throttled', reason: 'by its quota', evidence: {}, inspections: [0] }];
    const doubtful = { ...batch, verified: 'not-run' as const, flags };
    const records = [first, { ...other, record: { ...other.record, batches: [doubtful] } }];
    const asked = { by: null, reference: null, margin: null };
    const pageOf = (across: readonly string[], force: boolean, of = records) =>
      comparisonPageHtml(compareRecords(of, { ...asked, across, force }), '1', renderSvg);
    const forced = await pageOf([], true);
    expect(forced).toContain('Forced: these differ, too, and may be the reason: kernel (a / b).');
    expect(forced).toContain('Flags of b: output not verified, throttled.');
    const across = await pageOf(['kernel'], false, [first, other]);
    expect(across).toMatch(/Compared across .*: kernel \(a \/ b\)\./);
    expect(across).not.toMatch(/not verified|Forced/);
  });

  it('has in Markdown what the page says of it: flags, the mean over cases, and what was left out', async () => {
    const { comparison: of } = three;
    if (!isCompared(of)) throw new Error(of.why);
    const [one, ...others] = of.cases;
    const flagged = { ...one, batches: one?.batches.map((batch) => ({ ...batch, flags: ['throttled'] })) };
    const report = {
      ...three,
      comparison: {
        ...of,
        cases: [flagged, ...others],
        notCompared: [{ title: 'a case', side: 'two', why: 'two does not have it' }],
      },
    } as ReportModel;
    let text = '';
    const request = { read: { report }, warn: () => {}, samples: false } as unknown as Request;
    for await (const piece of markdown.text?.(request) ?? []) text += piece;
    expect(text).toMatch(/- Flags of one: .*throttled \(1 of 2 cases\)\./);
    expect(text).toMatch(
      /- Over 2 cases two has 1\.111 times the rate of one \(geometric mean of the ratios of the cases; a score takes those of the medians\)/,
    );
    expect(text).toContain('- a case: two does not have it.');
  });

  it('gives what does no work by the time of a repetition, the fastest first', () => {
    const record = recordOf({
      batches: [1, 0.9].map((centre, i) => ({
        stack: { provider: `stack${i}` },
        launches: aboutSeconds(centre),
        idle: true as const,
      })),
    });
    const { comparison: of } = buildReport(record, [null, null]);
    if (!isCompared(of)) throw new Error(of.why);
    expect(comparisonRows(of).map(([, who, rate]) => [who, rate])).toEqual([
      ['stack1', expect.stringMatching(/^(900|899)\.?\d* ms$/)],
      ['stack0', expect.stringMatching(/^(1\.\d+ s|99\d\.?\d* ms)$/)],
    ]);
  });

  it('says why there is none of one stack, and of what may not be compared', () => {
    const one = reportOf([100, 50], [1]);
    expect(comparison.draw(one)).toEqual({
      title: 'Comparison',
      why: 'it compares stacks, and there is one only',
    });
    expect(comparisonHtml(one.comparison)).toBe('');
    const faulty = recordOf({
      batches: ['one', 'two'].map((provider) => ({ stack: { provider }, launches: aboutSeconds(1) })),
    });
    const fault = { batch: 1, kind: 'repeated-work', share: 0.03 } as const;
    const report = buildReport({ ...faulty, campaign: { ...faulty.campaign, fault } }, [null, null]);
    expect(comparison.draw(report)).toMatchObject({
      why: expect.stringMatching(/error injected on purpose/),
    });
  });

  it('keeps the axis to the ratios where one interval is many times as wide', () => {
    const wide = recordOf({
      batches: [
        { stack: { provider: 'one' }, launches: aboutSeconds(1) },
        { stack: { provider: 'two' }, launches: aboutSeconds(0.99, 6, 2) },
      ],
    });
    const spec = drawnOf(buildReport(wide, [null, null])).spec(LIGHT);
    const domain = spec.scales?.find(({ name }) => name === 'x')?.domain as readonly number[];
    expect((domain[1] ?? 0) / (domain[0] ?? 1)).toBeLessThan(1.6);
  });
});

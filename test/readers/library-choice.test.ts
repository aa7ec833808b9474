/** Wherever the rate of a library is shown that chose code below what the CPU has, that is said, and what to do. */
import { describe, expect, it } from 'vitest';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import { choiceTexts } from '../../src/readers/library-choice.js';
import { renderComparison } from '../../src/readers/terminal/comparison.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { renderScore } from '../../src/readers/terminal/score.js';
import { shownLength, terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { comparisonHtml } from '../../src/report/page/comparison.js';
import { headHtml } from '../../src/report/page/head.js';
import { summaryTable } from '../../src/report/tables.js';
import { scoreStacks } from '../../src/score/score.js';
import { ownIdentity } from '../support/own-stacks.js';
import { aboutSeconds, type DescribedBatch, recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const REMEDY = 'OPENBLAS_CORETYPE=SkylakeX in the environment makes it take those kernels';
const SAID = `openblas chose its code for "Prescott" on a CPU with AVX-512, and may be far from its best: ${REMEDY}`;
const wide = { ...terminalStyle({ isTTY: false }), width: 400 };

const openblas = (chose: string | null, stack: Partial<DescribedBatch['stack']> = {}): DescribedBatch => ({
  stack: { provider: 'openblas', version: '0.3.21', chose, ...stack },
  launches: aboutSeconds(8e-3),
});
const embedded: DescribedBatch = { launches: aboutSeconds(1e-3) };

const WIDE: readonly string[] = ['avx2', 'avx512bw', 'avx512f', 'fma'];

/** On a machine with AVX-512. */
function recordWith(
  batches: readonly DescribedBatch[],
  id = 'campaign-a',
  features: readonly string[] = WIDE,
): PiBenchRecord {
  const record = recordOf({ id, batches });
  const { cpu } = record.machine as { cpu: object };
  return { ...record, machine: { ...record.machine, cpu: { ...cpu, features: [...features] } }, digest: id };
}

const poor = recordWith([openblas('Prescott'), embedded]);
const good = recordWith([openblas('SkylakeX'), embedded]);

const compared = (...records: readonly PiBenchRecord[]) =>
  compareRecords(
    records.map((record, i) => ({ record, name: 'abc'.charAt(i) })),
    { by: null, reference: null, margin: null, across: [], force: false },
  );

/** Without what keeps Markdown from reading signs as its own. */
const plainMarkdownOf = async (record: PiBenchRecord): Promise<string> =>
  (await markdownOf(record)).replaceAll('\\', '');

const textOf = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('\u00a0', ' ');

describe('a record', () => {
  it('has one sentence for each stack whose choice is poor, whatever number of batches', () => {
    const blis = { stack: { provider: 'blis', version: '0.9', chose: 'haswell' }, launches: [1] };
    const both = recordWith([
      ...[50, 100].map((m) => ({ ...openblas('Prescott'), parameters: { m } })),
      blis,
      embedded,
    ]);
    expect(choiceTexts(both)).toEqual([SAID, expect.stringMatching(/^blis chose its code for "haswell" on/)]);
  });

  it('says nothing of a good choice, of a library that does not tell, and of a CPU that is not known', () => {
    expect(choiceTexts(good)).toEqual([]);
    expect(choiceTexts(recordWith([openblas(null)]))).toEqual([]);
    expect(choiceTexts(recordWith([openblas('Prescott')], 'a', []))).toEqual([]);
    expect(choiceTexts({ ...poor, machine: {} })).toEqual([]);
    expect(choiceTexts(recordWith([openblas('Prescott', { provider: 'another' })]))).toEqual([]);
  });

  it('says who asked for it, of stacks of a stack file by their names', () => {
    const environment = { OPENBLAS_CORETYPE: 'Prescott' };
    const own = openblas('Prescott', { environment, own: ownIdentity('mine', environment) });
    expect(choiceTexts(recordWith([own]))).toEqual([
      `mine chose its code for "Prescott" on a CPU with AVX-512, as OPENBLAS_CORETYPE=Prescott asks, and may be far from its best: ${REMEDY}`,
    ]);
  });

  it.each([
    ['of one batch', recordWith([openblas('Prescott')])],
    ['of several', poor],
  ])('%s says it on the terminal, within its width', (_, record) => {
    expect(renderRecord(record, null, wide)).toContain(SAID);
    const narrow = renderRecord(record, null, terminalStyle({}));
    expect(narrow.replaceAll(/\s+/g, ' ')).toContain(SAID);
    expect(Math.max(...narrow.split('\n').map(shownLength))).toBeLessThanOrEqual(80);
  });

  it('says it at the head of its page, in its tables, and as data', async () => {
    expect(textOf(headHtml(buildReport(poor, [])))).toContain(`<p class="badge bad">${SAID}.</p>`);
    expect(await plainMarkdownOf(poor)).toContain(`**${SAID}.**`);
    expect(buildReport(poor, []).choices).toEqual([SAID]);
    const { columns, rows } = summaryTable(buildReport(poor, []));
    const column = rows.map((row) => row[columns.indexOf('stack_choice')]);
    expect(column).toEqual([SAID.replace('openblas ', ''), null]);
  });

  it('with a good choice shows nothing of it', async () => {
    const shown = [
      renderRecord(good, null, wide),
      headHtml(buildReport(good, [])),
      await plainMarkdownOf(good),
    ];
    expect(shown.filter((text) => text.includes('chose its code'))).toEqual([]);
  });
});

describe('a comparison', () => {
  it('of stacks says it below its table, on its page, and in its data', async () => {
    const document = compared(poor);
    expect(renderComparison(document, wide)).toContain(`  choice  ${SAID}\n`);
    expect(textOf(comparisonHtml(document))).toContain(`<li>${SAID}.</li>`);
    expect(await plainMarkdownOf(poor)).toContain(`- ${SAID}.\n`);
    expect(document.cases[0]?.batches.map(({ choice }) => choice)).toEqual([
      SAID.replace('openblas ', ''),
      null,
    ]);
    expect(renderComparison(compared(good), wide)).not.toContain('chose its code');
  });

  it('of records says in which, where it is not in all', () => {
    const [one, other] = [
      recordWith([openblas('Prescott')], 'one'),
      recordWith([openblas('SkylakeX')], 'other'),
    ];
    expect(renderComparison(compared(one, other), wide)).toContain(`  choice  a: ${SAID}\n`);
    const both = renderComparison(compared(one, { ...one, digest: 'again' }), wide);
    expect(both).toContain(`  choice  ${SAID}\n`);
    expect(both.match(/ {2}choice /g)).toHaveLength(1);
  });
});

describe('a score', () => {
  const scored = (record: PiBenchRecord, referenceStack: string) =>
    scoreStacks({
      results: { record, name: 'a' },
      reference: { record, name: 'a' },
      referenceStack,
      across: [],
      force: false,
    });

  it.each(['embedded', 'openblas'])('against %s is weakened by it, and says it in full', (reference) => {
    const document = scored(poor, reference);
    const told = document.scores.flatMap(({ weakenedBy }) =>
      weakenedBy.filter(({ flag }) => flag === 'library-choice'),
    );
    expect(new Set(told.map(({ reason }) => reason))).toEqual(new Set([SAID]));
    expect(renderScore(document, wide)).toContain(`  choice    ${SAID}\n`);
  });

  it('of a good choice is not', () => {
    expect(renderScore(scored(good, 'embedded'), wide)).not.toMatch(/choice/);
  });
});

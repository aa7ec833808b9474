/** A terminal is told nothing by a record but what it shows: no text of one moves its cursor or changes its colours. */
import { describe, expect, it } from 'vitest';
import { checkFleet } from '../../src/fleet/check.js';
import { fleetOf } from '../../src/fleet/table.js';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import { printable, printableText } from '../../src/readers/printable.js';
import { renderComparison } from '../../src/readers/terminal/comparison.js';
import { renderFleetCheck } from '../../src/readers/terminal/fleet.js';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { healthyNodes } from '../fleet/support.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

/** Three lines up, and erase what stands there. */
const ERASES = '\u001b[3A\u001b[2K';
const WRITTEN = '\\u001b[3A\\u001b[2K';
const style = { ...terminalStyle({}), width: 400 };

/** Of two stacks, with orders wherever a record has words of others. */
function hostileRecord(): PiBenchRecord {
  const reason = `said ${ERASES}\u009b2K and left`;
  const launches = [1e-3, 1.01e-3, { seconds: 1e-3, status: 'failed', reason } as const];
  const record = recordOf({
    labels: { cpu_model: `CPU ${ERASES}` },
    batches: ['one', 'two'].map((name) => ({
      stack: { provider: name, version: `1 ${ERASES}` },
      labels: { [`side ${ERASES}`]: `a ${ERASES}` },
      launches,
    })),
  });
  return {
    ...record,
    contendedBy: `someone ${ERASES}`,
    batches: record.batches.map((batch) => ({ ...batch, title: `matmul ${ERASES}` })),
  };
}

describe('printableText', () => {
  it('writes out what a terminal obeys, and keeps the ends of lines', () => {
    expect(printableText(`a\u001b[2Kb\r\n\tc\u007f\u009b`)).toBe(
      'a\\u001b[2Kb\\u000d\n\\u0009c\\u007f\\u009b',
    );
    expect(printableText('192.3 GFLOP/s ± 1 %, µs')).toBe('192.3 GFLOP/s ± 1 %, µs');
  });
});

describe('printable', () => {
  it('is of every text in a document, names of fields too, and of nothing else', () => {
    const given = { '\u001bkey': ['\u0007', 1, null, true, { deep: '\u001b' }], none: undefined };
    expect(printable(given)).toEqual({
      '\\u001bkey': ['\\u0007', 1, null, true, { deep: '\\u001b' }],
      none: undefined,
    });
  });
});

describe('what is shown of texts of others', () => {
  const record = hostileRecord();

  it.each([
    ['several batches', record],
    ['one batch', { ...record, batches: record.batches.slice(0, 1) }],
  ])('has no order to the terminal: %s of a record', (_, shown) => {
    const text = renderRecord(shown, null, style);
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(text).toContain(`said ${WRITTEN}\\u009b2K and left`);
    expect(text).toContain(`someone ${WRITTEN}`);
  });

  it('has none in a comparison, nor in Markdown, which goes to the terminal as well', async () => {
    const question = { by: null, reference: null, margin: null, across: [], force: false };
    const document = compareRecords([{ record, name: `a ${ERASES}` }], question);
    expect(renderComparison(document, style)).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(await markdownOf(record)).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('has none in what a fleet says of its nodes', () => {
    const nodes = healthyNodes(6).map((node, i) =>
      i === 2
        ? { ...node, problems: [{ kind: 'lost' as const, what: 'matmul', why: `killed ${ERASES}` }] }
        : node,
    );
    const text = renderFleetCheck(checkFleet(fleetOf(nodes), { scale: 1, baseline: null }), style);
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(text).toContain(`killed ${WRITTEN}`);
  });
});

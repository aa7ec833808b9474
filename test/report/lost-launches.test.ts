/** A launch that was lost when pi-bench was killed is named, on the page and in the text. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { markdown } from '../../src/report/formats/markdown.js';
import { buildReport } from '../../src/report/model.js';
import { headHtml } from '../../src/report/page/head.js';
import type { ReadReport } from '../../src/report/read-report.js';
import { recordOf } from '../support/records.js';

/** Both texts, one behind the other. */
async function textsOf(status: PiBenchRecord['status'], unended?: number): Promise<readonly string[]> {
  const accounting = { wall: 4, measured: 1, share: 0.25, spans: [], lost: 0 };
  const record = {
    ...recordOf({ batches: [{ launches: [1e-3] }] }),
    status,
    accounting: unended === undefined ? accounting : { ...accounting, unended },
  };
  const report = buildReport(record, []);
  let text = '';
  const request = { read: { report } as unknown as ReadReport, warn: () => {}, samples: false };
  for await (const piece of markdown.text?.(request) ?? []) text += piece;
  return [text, headHtml(report)].map((one) => one.replaceAll('\u00a0', ' '));
}

describe('launches that were lost when pi-bench was killed', () => {
  it('stand beside the time, and that they were repeated where the campaign is complete', async () => {
    for (const text of await textsOf('complete', 2))
      expect(text).toContain(
        '25 % of it inside repetitions that count; not in it: 2 launches lost when pi-bench was killed, and repeated since',
      );
    for (const text of await textsOf('interrupted', 1)) {
      expect(text).toContain('not in it: 1 launch lost when pi-bench was killed');
      expect(text).not.toContain('repeated since');
    }
    for (const text of await textsOf('complete')) expect(text).not.toContain('not in it');
  });
});

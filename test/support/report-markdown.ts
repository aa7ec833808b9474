/** The Markdown report of a record. */

import type { PiBenchRecord } from '../../src/record/schema.js';
import { markdown } from '../../src/report/formats/markdown.js';
import { buildReport } from '../../src/report/model.js';

export async function markdownOf(record: PiBenchRecord): Promise<string> {
  const read = { report: buildReport(record, []) } as unknown as Parameters<
    NonNullable<typeof markdown.text>
  >[0]['read'];
  let text = '';
  for await (const piece of markdown.text?.({ read, warn: () => {}, samples: false }) ?? []) text += piece;
  return text;
}

/** A record as a page for a person. */
import { kpiLines } from '../readers/terminal/kpis.js';
import { renderQualification } from '../readers/terminal/qualification.js';
import { renderRecord } from '../readers/terminal/record.js';
import { settledLines } from '../readers/terminal/settled.js';
import { terminalStyle } from '../readers/terminal/style.js';
import type { PiBenchRecord } from '../record/schema.js';

/**
 * As wide and as coloured as stdout is.
 * @param whatNow becomes of a campaign that was interrupted, where more is known than that it was
 */
export function recordText(
  record: PiBenchRecord,
  path: string | null,
  { verbose, whatNow }: { readonly verbose: boolean; readonly whatNow: string | undefined },
): string {
  const style = terminalStyle(process.stdout);
  if (record.batches.length === 0) return renderQualification(record, path, style);
  return [
    ...(record.qualification === undefined ? [] : [renderQualification(record, null, style), '']),
    renderRecord(record, path, style, whatNow),
    ...settledLines(record, style),
    ...(verbose ? kpiLines(record, style) : []),
  ].join('\n');
}

/** A record as a page for a person. */
import { kpiLines } from '../readers/terminal/kpis.js';
import { renderQualification } from '../readers/terminal/qualification.js';
import { renderRecord } from '../readers/terminal/record.js';
import { settledLines } from '../readers/terminal/settled.js';
import { terminalStyle } from '../readers/terminal/style.js';
import type { PiBenchRecord } from '../record/schema.js';

/**
 * As wide and as coloured as stdout is.
 * @param underWay whether some process goes on with its campaign
 */
export function recordText(
  record: PiBenchRecord,
  path: string | null,
  { verbose, underWay }: { readonly verbose: boolean; readonly underWay: boolean },
): string {
  const style = terminalStyle(process.stdout);
  if (record.batches.length === 0) return renderQualification(record, path, style);
  return [
    ...(record.qualification === undefined ? [] : [renderQualification(record, null, style), '']),
    renderRecord(record, path, style, underWay),
    ...settledLines(record, style),
    ...(verbose ? kpiLines(record, style) : []),
  ].join('\n');
}

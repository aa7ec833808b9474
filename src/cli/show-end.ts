/** Prints a record: as JSON and nothing else on stdout, or as a page for a person. */

import { kpiLines } from '../readers/terminal/kpis.js';
import { renderQualification } from '../readers/terminal/qualification.js';
import { renderRecord } from '../readers/terminal/record.js';
import { settledLines } from '../readers/terminal/settled.js';
import { terminalStyle } from '../readers/terminal/style.js';
import type { PiBenchRecord } from '../record/schema.js';
import type { CampaignEnd } from './run-campaign.js';

function textOf(record: PiBenchRecord, path: string | null, verbose: boolean): string {
  const style = terminalStyle(process.stdout);
  if (record.batches.length === 0) return renderQualification(record, path, style);
  return [
    ...(record.qualification === undefined ? [] : [renderQualification(record, null, style), '']),
    renderRecord(record, path, style),
    ...settledLines(record, style),
    ...(verbose ? kpiLines(record, style) : []),
  ].join('\n');
}

export function printRecord(
  record: PiBenchRecord,
  path: string | null,
  { json, verbose = false }: { readonly json: boolean; readonly verbose?: boolean },
): void {
  const text = json ? JSON.stringify(record, null, 1) : textOf(record, path, verbose);
  process.stdout.write(`${text}\n`);
}

export function showEnd({ record, path, exitCode }: CampaignEnd, json: boolean): void {
  printRecord(record, path, { json });
  process.exitCode = exitCode;
}

/** Prints a record: as JSON and nothing else on stdout, or as a page for a person. */

import { renderRecord } from '../readers/terminal/record.js';
import { terminalStyle } from '../readers/terminal/style.js';
import type { PiBenchRecord } from '../record/schema.js';
import type { CampaignEnd } from './run-campaign.js';

export function printRecord(record: PiBenchRecord, path: string | null, json: boolean): void {
  const text = json
    ? JSON.stringify(record, null, 1)
    : renderRecord(record, path, terminalStyle(process.stdout));
  process.stdout.write(`${text}\n`);
}

export function showEnd({ record, path, exitCode }: CampaignEnd, json: boolean): void {
  printRecord(record, path, json);
  process.exitCode = exitCode;
}

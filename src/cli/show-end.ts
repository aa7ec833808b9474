/** Prints a record: as JSON and nothing else on stdout, or as a page for a person, whose making is loaded only then. */
import type { PiBenchRecord } from '../record/schema.js';
import type { CampaignEnd } from './run-campaign.js';

export async function printRecord(
  record: PiBenchRecord,
  path: string | null,
  {
    json,
    verbose = false,
    whatNow,
  }: { readonly json: boolean; readonly verbose?: boolean; readonly whatNow?: string | undefined },
): Promise<void> {
  const text = json
    ? JSON.stringify(record, null, 1)
    : (await import('./record-text.js')).recordText(record, path, { verbose, whatNow });
  process.stdout.write(`${text}\n`);
}

export async function showEnd({ record, path, exitCode }: CampaignEnd, json: boolean): Promise<void> {
  await printRecord(record, path, { json });
  process.exitCode = exitCode;
}

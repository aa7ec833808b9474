/** `pi-bench show RECORD`: a record, read, checked and printed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandModule } from 'yargs';
import { UserError } from '../../errors.js';
import type { PiBenchRecord } from '../../record/schema.js';
import { lockedBy } from '../../store/folder-lock.js';
import { readJournal } from '../../store/journal.js';
import { readRecord } from '../../store/read-record.js';
import { STDIN } from '../../store/stdin.js';
import { JOURNAL } from '../../store/store.js';
import { isWorkedOn } from '../campaign-lock.js';
import { printRecord } from '../show-end.js';

/** A campaign that still runs has no record, either, and nothing to resume. */
async function refuseRunning(folder: string): Promise<void> {
  const journal = join(folder, JOURNAL);
  if (!existsSync(journal) || existsSync(join(folder, 'record.json'))) return;
  if (await isWorkedOn(readJournal(journal).head.campaign.id))
    throw new UserError(
      `${folder} has no record yet: another pi-bench on this machine works on this campaign; wait for its end`,
    );
}

/** What becomes of an interrupted campaign, as far as that is known here: in another network, or on another machine, its folder alone tells. */
async function whatNow(
  { status, campaign }: PiBenchRecord,
  folder: string | null,
): Promise<string | undefined> {
  if (status !== 'interrupted') return undefined;
  if (await isWorkedOn(campaign.id)) return 'another pi-bench on this machine goes on with it now';
  const holder = folder === null ? null : lockedBy(folder);
  return holder === null
    ? undefined
    : `a lock there says that another pi-bench goes on with it (${holder}): where that is gone, pi-bench resume finishes it`;
}

export const showCommand: CommandModule = {
  command: 'show <record>',
  describe: 'Print a record (record.json or its campaign’s folder)',
  builder: (yargs) =>
    yargs
      .positional('record', {
        type: 'string',
        describe: 'record.json, or the folder that holds it; - is what another program hands over',
        demandOption: true,
      })
      .option('json', { type: 'boolean', describe: 'Print it as JSON' })
      .option('verbose', { type: 'boolean', describe: 'Every KPI, too, with its name' })
      .example([
        ['$0 show results/20261121T080000Z-matmul-1f2e3d', 'the result, as at the end of the campaign'],
        ['$0 show record.json --json | jq .kpis', 'its KPIs'],
      ]),
  handler: async ({ record, json, verbose }) => {
    await refuseRunning(String(record));
    const read = readRecord(String(record), { only: true });
    const path = read.path === STDIN ? null : read.path;
    await printRecord(read.record, path, {
      json: json === true,
      verbose: verbose === true,
      whatNow: await whatNow(read.record, path === null ? null : dirname(path)),
    });
  },
};

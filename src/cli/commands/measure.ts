/** The command of an indicator: flags -> campaign -> record -> terminal. One for each entry of the registry. */
import { join, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import type { Flags, Indicator } from '../../indicators/indicator.js';
import { identity } from '../../package.js';
import { SCHEMA_VERSION } from '../../record/schema.js';
import { type JournalEntry, readJournal } from '../../store/journal.js';
import { JOURNAL, openStore } from '../../store/store.js';
import { measuringOptions } from '../common-options.js';
import { createCampaign } from '../create-campaign.js';
import { describeHere } from '../here.js';
import { runCampaign } from '../run-campaign.js';
import { say } from '../say.js';
import { showEnd } from '../show-end.js';

async function measure(indicator: Indicator, flags: Flags, command: readonly string[]): Promise<void> {
  const machine = describeHere();
  const piBench = identity();
  const campaign = createCampaign(indicator, flags, command, machine);
  const store = openStore(join(resolve(String(flags.out)), campaign.id), campaign.id, (from, to, why) =>
    say(`cannot write to ${from} (${why}); the campaign goes to ${to}`),
  );
  const head: JournalEntry = {
    event: 'campaign',
    schemaVersion: SCHEMA_VERSION,
    campaign,
    machine: JSON.parse(JSON.stringify(machine)) as Record<string, never>,
    piBench,
    at: campaign.createdAt,
  };
  store.append(head);
  const { entries } = readJournal(join(store.folder(), JOURNAL));
  const end = await runCampaign(
    { campaign, store, machine, piBench, journal: entries },
    { quiet: flags.quiet === true, wait: flags.wait !== false },
  );
  showEnd(end, flags.json === true);
}

export function measureCommand(indicator: Indicator): CommandModule {
  return {
    command: indicator.name,
    describe: indicator.summary,
    builder: (yargs) =>
      yargs
        .options({ ...indicator.options, ...measuringOptions(indicator.measuring) })
        .example(indicator.examples.map(([a, b]) => [a, b])),
    handler: (flags) => measure(indicator, flags, process.argv.slice(2)),
  };
}

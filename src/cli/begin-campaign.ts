/** Begins a campaign: its folder, and the first line of its journal, from which it can be resumed. */
import { join, resolve } from 'node:path';
import type { MachineDescription } from '../machine/types.js';
import { identity } from '../package.js';
import { type Campaign, SCHEMA_VERSION } from '../record/schema.js';
import { relevantEnvironment } from '../stacks/environment.js';
import { locksText, type StackLocks } from '../stacks/own/lock.js';
import { readJournal } from '../store/journal.js';
import { JOURNAL, openStore, type Store } from '../store/store.js';
import { followCampaign } from './campaign-lock.js';
import type { CampaignStart } from './run-campaign.js';
import { say } from './say.js';

/** A store that says where it goes when its folder cannot be written, and keeps others out there, too, while the campaign is worked on. */
export function openStoreAloud(folder: string, campaign: string): Store {
  return openStore(folder, campaign, ({ from, to, why, leftBehind }) => {
    followCampaign(campaign, to);
    const part = leftBehind ? `; what is in ${from} is a part of it, which is not to be resumed` : '';
    say(`cannot write to ${from} (${why}); the campaign goes to ${to}${part}`);
  });
}

/**
 * @param out the folder in which the campaign gets its own
 * @param locks of the stacks of a stack file
 */
export function beginCampaign(
  campaign: Campaign,
  out: string,
  machine: MachineDescription,
  locks: StackLocks = {},
): CampaignStart {
  const piBench = identity();
  const store = openStoreAloud(join(resolve(out), campaign.id), campaign.id);
  if (Object.keys(locks).length > 0) store.writeStackLock(locksText(locks));
  store.append({
    event: 'campaign',
    schemaVersion: SCHEMA_VERSION,
    campaign,
    machine: JSON.parse(JSON.stringify(machine)) as Record<string, never>,
    piBench,
    environment: relevantEnvironment(process.env),
    at: campaign.createdAt,
  });
  const { entries } = readJournal(join(store.folder(), JOURNAL));
  return { campaign, store, machine, piBench, journal: entries };
}

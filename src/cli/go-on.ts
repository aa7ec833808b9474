/** Goes on with a campaign from its journal: looks whether it may, repairs what a kill left, adopts what a worker wrote after all. */
import { join } from 'node:path';
import { doneSoFar } from '../campaign/progress-of-journal.js';
import { UserError } from '../errors.js';
import type { MachineDescription } from '../machine/types.js';
import { identity } from '../package.js';
import type { InspectionDocument } from '../record/schema.js';
import { type Journal, type JournalEntry, readJournal, repairJournal } from '../store/journal.js';
import { JOURNAL, type Store } from '../store/store.js';
import { openStoreAloud } from './begin-campaign.js';
import { describeHere } from './here.js';
import type { CampaignStart } from './run-campaign.js';
import { say } from './say.js';

export const sayTruncated = ({ truncated }: Journal): void => {
  if (truncated) say('the last line of the journal was cut off by the kill and is dropped');
};

/** @throws UserError when this is not the machine, or not the pi-bench, that began the campaign. */
export function checkSame({ head }: Journal): void {
  const there = head.machine as unknown as MachineDescription;
  const here = describeHere();
  if (there.os.machineIdHash !== here.os.machineIdHash || there.cpu.modelName !== here.cpu.modelName) {
    throw new UserError(
      `this campaign was begun on another machine (${there.os.hostname}, ${there.cpu.modelName}): resume it there, or start it anew here`,
    );
  }
  const { version, commit } = identity();
  if (head.piBench.version !== version || head.piBench.commit !== commit) {
    throw new UserError(
      `this campaign was begun by pi-bench ${head.piBench.version} (${head.piBench.commit ?? 'no commit'}): resume it with that one, or start it anew`,
    );
  }
}

/** What the worker wrote before the kill although the campaign had not yet noted it. */
function adopt(store: Store, campaign: string, open: ReadonlyMap<number, number>): void {
  for (const [index, attempt] of open) {
    let document: InspectionDocument | undefined;
    try {
      document = store.readInspection(index)?.document;
    } catch {
      continue;
    }
    if (document?.campaign !== campaign || document.attempt !== attempt || document.ended !== 'complete')
      continue;
    const wrong = document.verification?.passed === false;
    store.append({
      event: 'ended',
      index,
      attempt,
      status: wrong ? 'wrong' : 'measured',
      reason: wrong ? 'the output is wrong' : null,
      wall: document.spans.reduce((sum, { seconds }) => sum + seconds, 0),
      at: new Date().toISOString(),
    });
  }
}

/** Where the campaign stands, with all that was measured of it. */
export function goOn(folder: string, journal: Journal): CampaignStart {
  const { campaign, machine, piBench } = journal.head;
  repairJournal(join(folder, JOURNAL), journal);
  const store = openStoreAloud(folder, campaign.id);
  const resumed: JournalEntry = { event: 'resumed', at: new Date().toISOString() };
  store.append(resumed);
  adopt(store, campaign.id, doneSoFar(journal.entries).open);
  const { entries } = readJournal(join(store.folder(), JOURNAL));
  return { campaign, store, machine: machine as unknown as MachineDescription, piBench, journal: entries };
}

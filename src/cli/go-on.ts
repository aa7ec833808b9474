/**
 * Goes on with a campaign from its journal: looks whether it may, repairs what a kill left, adopts what a worker wrote after all,
 * and forgets what can no longer be read.
 */
import { join } from 'node:path';
import { changedVariables } from '../campaign/launch-environment.js';
import { doneSoFar } from '../campaign/progress-of-journal.js';
import { UserError } from '../errors.js';
import { sameMachine } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { identity } from '../package.js';
import { changedConditions } from '../record/changed-conditions.js';
import { relevantEnvironment } from '../stacks/environment.js';
import { type Journal, type JournalEntry, readJournal } from '../store/journal.js';
import { movedOutOfSight } from '../store/moved.js';
import { readRecord } from '../store/read-record.js';
import { JOURNAL } from '../store/store.js';
import { openStoreAloud } from './begin-campaign.js';
import { describeHere } from './here.js';
import type { CampaignStart, Finished } from './run-campaign.js';
import { say } from './say.js';
import { type BatchSoFar, forgotten, unnotedEnds, unreadable } from './where-it-stands.js';

export const sayTruncated = ({ truncated }: Journal): void => {
  if (truncated) say('the last line of the journal was cut off by the kill and is dropped');
};

/** Of a campaign whose folder could not be written any more, where what it has become is not to be seen. */
export function sayOutOfSight(folder: string): void {
  const outOfSight = movedOutOfSight(folder);
  if (outOfSight !== null)
    say(
      `a part of this campaign went to ${outOfSight}, which is gone or on another machine: what is missing in ${folder} is measured anew`,
    );
}

/**
 * @param held batches whose launches to come are held to what is there; where there are none nothing is measured any more, under whatever conditions
 * @throws UserError when this is not the machine, as it was, or not the pi-bench, that began the campaign, or not the environment of its launches
 */
export function checkSame({ head }: Journal, held: readonly BatchSoFar[]): void {
  const there = head.machine as unknown as MachineDescription;
  const here = describeHere((there.gpus?.devices.length ?? 0) > 0);
  const same = sameMachine(there, here);
  if (same === 'other') {
    throw new UserError(
      `this campaign was begun on another machine (${there.os.hostname}, ${there.cpu.modelName}): resume it there, or start it anew here`,
    );
  }
  if (same === 'unknown') {
    throw new UserError(
      `this campaign was begun before this machine was booted, or on another one of its kind, and in a container nothing tells which (${there.os.hostname} then, ${here.os.hostname} now): start it anew`,
    );
  }
  const { version, commit } = identity();
  if (head.piBench.version !== version || head.piBench.commit !== commit) {
    throw new UserError(
      `this campaign was begun by pi-bench ${head.piBench.version} (${head.piBench.commit ?? 'no commit'}): resume it with that one, or start it anew`,
    );
  }
  if (held.length === 0) return;
  const variables = changedVariables(head.campaign, held, process.env);
  const changed = [changedConditions(there, here), variables].filter((text) => text !== null);
  if (changed.length > 0)
    throw new UserError(
      `this campaign was begun under other conditions (${changed.join('; ')}): resume it under those, or start it anew`,
    );
}

/** The record as it lies there; null where there is none that can be read. */
function recordIn(folder: string): Finished | null {
  try {
    return readRecord(folder);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** As its last process left it, where that came to the end of the plan and all that it measured is there; null: something is to be done. */
export function finishedIn(folder: string, journal: Journal): CampaignStart | null {
  const { entries, truncated } = journal;
  const { campaign, machine, piBench } = journal.head;
  const last = entries.at(-1);
  const found = recordIn(folder);
  if (truncated || last?.event !== 'stopped' || found === null) return null;
  const { record } = found;
  // Who was cut off by a budget may have some of it left.
  if (record.campaign.id !== campaign.id || record.status !== last.status || record.stoppedBy !== 'plan')
    return null;
  const store = openStoreAloud(folder, campaign.id);
  const ends = [...doneSoFar(entries).ends.values()];
  if (ends.some((end) => unreadable(store.readInspection, end) !== null)) return null;
  return {
    campaign,
    store,
    machine: machine as unknown as MachineDescription,
    piBench,
    journal: entries,
    finished: found,
  };
}

/** Where the campaign stands, with all that was measured of it. */
export function goOn(folder: string, journal: Journal): CampaignStart {
  const { campaign, machine, piBench } = journal.head;
  const store = openStoreAloud(folder, campaign.id);
  store.repairJournal(journal);
  store.append({
    event: 'resumed',
    environment: relevantEnvironment(process.env),
    at: new Date().toISOString(),
  });
  const note = (entries: readonly JournalEntry[]): void => {
    for (const entry of entries) store.append(entry);
  };
  note(unnotedEnds(store.readInspection, campaign.id, doneSoFar(journal.entries).open));
  const written = () => readJournal(join(store.folder(), JOURNAL)).entries;
  const lost = forgotten(store.readInspection, campaign, written());
  if (lost !== null) {
    note(lost.entries);
    say(lost.text);
  }
  const entries = written();
  return { campaign, store, machine: machine as unknown as MachineDescription, piBench, journal: entries };
}

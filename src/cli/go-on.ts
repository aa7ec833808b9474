/**
 * Goes on with a campaign from its journal: looks whether it may, repairs what a kill left, adopts what a worker wrote after all,
 * and forgets what can no longer be read.
 */
import { join } from 'node:path';
import { changedVariables } from '../campaign/launch-environment.js';
import { doneSoFar } from '../campaign/progress-of-journal.js';
import { decidesOnTheWay } from '../campaign/schedule.js';
import { UserError } from '../errors.js';
import { sameMachine } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { identity } from '../package.js';
import { changedConditions } from '../record/changed-conditions.js';
import type { InspectionEnd } from '../record/inspection-end.js';
import type { Campaign, InspectionDocument } from '../record/schema.js';
import { type Journal, type JournalEntry, readJournal } from '../store/journal.js';
import { readRecord } from '../store/read-record.js';
import { JOURNAL, type Store } from '../store/store.js';
import { openStoreAloud } from './begin-campaign.js';
import { describeHere } from './here.js';
import type { CampaignStart, Finished } from './run-campaign.js';
import { say } from './say.js';

export const sayTruncated = ({ truncated }: Journal): void => {
  if (truncated) say('the last line of the journal was cut off by the kill and is dropped');
};

/** @throws UserError when this is not the machine, as it was, or not the pi-bench or the environment, that began the campaign. */
export function checkSame({ head }: Journal): void {
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
  const variables =
    head.environment === undefined ? null : changedVariables(head.campaign, head.environment, process.env);
  const changed = [changedConditions(there, here), variables].filter((text) => text !== null);
  if (changed.length > 0)
    throw new UserError(
      `this campaign was begun under other conditions (${changed.join('; ')}): resume it under those, or start it anew`,
    );
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

/** Why what an ended inspection left cannot be read; null: it can, or it left nothing. */
function unreadable(store: Store, { index, status }: InspectionEnd): string | null {
  try {
    const there = store.readInspection(index) !== null;
    return there || (status !== 'measured' && status !== 'wrong') ? null : 'its document is gone';
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** What cannot be read any more is not done. Where it decided what came after it, neither is that. */
function forget(store: Store, campaign: Campaign, entries: readonly JournalEntry[]): void {
  const ends = [...doneSoFar(entries).ends.values()].sort((a, b) => a.index - b.index);
  const found = ends.flatMap((end) => {
    const why = unreadable(store, end);
    return why === null ? [] : [{ end, why }];
  });
  const [first] = found;
  if (first === undefined) return;
  const behind = decidesOnTheWay(campaign)
    ? ends.filter(({ index }) => index > first.end.index && !found.some(({ end }) => end.index === index))
    : [];
  const launch = first.end.index + 1;
  const because = `it followed from launch ${launch}`;
  for (const { end, why } of [...found, ...behind.map((end) => ({ end, why: because }))]) {
    const { index, attempt } = end;
    store.append({ event: 'gone', index, attempt, reason: why, at: new Date().toISOString() });
  }
  const rest = [
    ...(found.length > 1 ? [`${found.length - 1} more`] : []),
    ...(behind.length > 0 ? [`${behind.length} that followed from it`] : []),
  ];
  say(
    `launch ${launch}${rest.length > 0 ? ` and ${rest.join(', ')}` : ''} will be measured again: ${first.why}`,
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
  if (ends.some((end) => unreadable(store, end) !== null)) return null;
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
  const resumed: JournalEntry = { event: 'resumed', at: new Date().toISOString() };
  store.append(resumed);
  adopt(store, campaign.id, doneSoFar(journal.entries).open);
  const written = () => readJournal(join(store.folder(), JOURNAL)).entries;
  forget(store, campaign, written());
  const entries = written();
  return { campaign, store, machine: machine as unknown as MachineDescription, piBench, journal: entries };
}

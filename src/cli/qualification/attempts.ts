/**
 * What a qualification had measured again before it was killed: a campaign each, below its folder. All of them belong to its verdict, so
 * one that cannot be read, or that is another campaign's, is not passed over. The edge to the disk.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../errors.js';
import { sameMachine } from '../../machine/same-machine.js';
import type { MachineDescription } from '../../machine/types.js';
import { canonicalJson } from '../../record/digest.js';
import { type CampaignEntry, type Journal, readJournal } from '../../store/journal.js';
import { movedTo } from '../../store/moved.js';
import { hasDocuments, JOURNAL } from '../../store/store.js';
import { sayOutOfSight } from '../go-on.js';
import { ATTEMPTS } from './names.js';

export interface Found {
  readonly folder: string;
  readonly journal: Journal;
}

/** One that was killed before its first line had measured nothing. */
function isBegun(folder: string): boolean {
  const path = join(folder, JOURNAL);
  return hasDocuments(folder) || (existsSync(path) && readFileSync(path).includes('\n'));
}

/** @throws UserError */
function readBegun(folder: string): Journal {
  try {
    return readJournal(join(folder, JOURNAL));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `what was measured again in ${folder} is no longer known, and a verdict is of all attempts: start the qualification anew (${messageOf(error)})`,
    );
  }
}

/**
 * Why a campaign is none that the qualification began; null: nothing speaks against it.
 * @param name of its folder
 */
function foreignText(
  first: CampaignEntry,
  { campaign, machine, piBench }: CampaignEntry,
  name: string,
): string | null {
  if (campaign.id !== name) return `its journal is that of ${campaign.id}`;
  if (canonicalJson(campaign.command) !== canonicalJson(first.campaign.command))
    return `it was begun by pi-bench ${campaign.command.join(' ')}`;
  if (piBench.version !== first.piBench.version || piBench.commit !== first.piBench.commit)
    return `it was begun by pi-bench ${piBench.version} (${piBench.commit ?? 'no commit'})`;
  const [there, own] = [first.machine, machine] as unknown as [MachineDescription, MachineDescription];
  return sameMachine(there, own) === 'same' ? null : `it was begun on another machine (${own.os.hostname})`;
}

/**
 * In the order in which they were begun. One whose folder could not be written any more is where it went.
 * @param first journal of the qualification
 * @throws UserError where not all of what was measured again is known, or something is there that it did not measure
 */
export function attemptsIn(folder: string, { head }: Pick<Journal, 'head'>): readonly Found[] {
  const place = join(folder, ATTEMPTS);
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .flatMap((name): Found[] => {
      const begun = join(place, name);
      const own = movedTo(begun) ?? begun;
      if (!isBegun(own)) return [];
      const journal = readBegun(own);
      const foreign = foreignText(head, journal.head, name);
      if (foreign !== null)
        throw new UserError(
          `${own} is no attempt of this qualification (${foreign}): take it away, or start the qualification anew`,
        );
      sayOutOfSight(begun);
      return [{ folder: own, journal }];
    })
    .sort((a, b) => Date.parse(a.journal.head.at) - Date.parse(b.journal.head.at));
}

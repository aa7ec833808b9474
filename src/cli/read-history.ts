/** The records that a history is made of: campaigns, or whole folders of them, and the one that is judged. */
import { realpathSync } from 'node:fs';
import { UserError } from '../errors.js';
import type { Unreadable } from '../readers/history/history.js';
import { begunAt, campaignsBelow, isCampaign } from '../store/find-records.js';
import { isFolder } from '../store/make-folder.js';
import { readRecord } from '../store/read-record.js';
import { named, type ReadNamed, type ReadRecord } from './read-named.js';

export interface ReadHistory {
  readonly records: readonly ReadNamed[];
  /** null: the newest. */
  readonly judged: ReadNamed | null;
  /** Of whole folders: what could not be read. */
  readonly unreadable: readonly Unreadable[];
}

/** Whole folders hold what others left there, too; what is named by itself has to be a record. */
interface Found {
  readonly path: string;
  readonly isNamed: boolean;
}

function foundIn(path: string): readonly Found[] {
  if (!isFolder(path) || isCampaign(path)) return [{ path, isNamed: true }];
  const below = campaignsBelow(path);
  if (below.length === 0)
    throw new UserError(`${path} holds no campaign: give a folder of results, as of --out, or campaigns`);
  return below.map((own) => ({ path: own, isNamed: false }));
}

/** Of several paths that lead to one file one is enough. */
function realOf(path: string): string {
  try {
    return realpathSync(isFolder(path) ? `${path}/record.json` : path);
  } catch {
    return path;
  }
}

function distinct(found: readonly Found[]): readonly Found[] {
  const ofFile = new Map<string, Found>();
  for (const one of found) {
    const real = realOf(one.path);
    if (!ofFile.has(real)) ofFile.set(real, one);
  }
  return [...ofFile.values()];
}

/**
 * @param judgedPath a campaign, which need not be among `paths`
 * @throws UserError for a folder without campaigns, a named record that cannot be read, or where none can be
 */
export function readHistory(paths: readonly string[], judgedPath: string | null): ReadHistory {
  const asked = judgedPath === null ? [] : [{ path: judgedPath, isNamed: true }];
  const unreadable: Unreadable[] = [];
  const read = distinct([...asked, ...paths.flatMap(foundIn)]).flatMap(
    ({ path, isNamed }): readonly ReadRecord[] => {
      try {
        return [{ ...readRecord(path), given: path }];
      } catch (error) {
        if (isNamed || !(error instanceof UserError)) throw error;
        unreadable.push({ record: path, why: error.message, at: begunAt(path) });
        return [];
      }
    },
  );
  if (read.length === 0)
    throw new UserError(`no record can be read: ${unreadable.map(({ why }) => why).join('; ')}`);
  const records = named(read);
  return { records, judged: judgedPath === null ? null : (records[0] ?? null), unreadable };
}

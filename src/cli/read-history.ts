/** The records that a history is made of: campaigns, or whole folders of them, and the one that is judged. */
import { realpathSync } from 'node:fs';
import { UserError } from '../errors.js';
import type { HistoryDocument } from '../readers/history/document.js';
import { recordsBelow } from '../store/find-records.js';
import { isFolder } from '../store/make-folder.js';
import { type ReadNamed, readNamed } from './read-named.js';

export interface ReadHistory {
  readonly records: readonly ReadNamed[];
  /** null: the newest. */
  readonly judged: ReadNamed | null;
  /** Of whole folders: what could not be read. */
  readonly unreadable: HistoryDocument['leftOut'];
}

/** Whole folders hold what others left there, too; what is named by itself has to be a record. */
interface Found {
  readonly path: string;
  readonly isNamed: boolean;
}

function foundIn(paths: readonly string[]): readonly Found[] {
  return paths.flatMap((path): readonly Found[] => {
    if (!isFolder(path)) return [{ path, isNamed: true }];
    const below = recordsBelow(path);
    if (below.length === 0)
      throw new UserError(`${path} holds no campaign: give a folder of results, as of --out, or campaigns`);
    return below.map((own) => ({ path: own, isNamed: false }));
  });
}

/** One file, whatever path leads to it. */
function distinct(found: readonly Found[]): readonly Found[] {
  const known = new Set<string>();
  return found.filter(({ path }) => {
    const real = fileOf(path);
    if (known.has(real)) return false;
    known.add(real);
    return true;
  });
}

function fileOf(path: string): string {
  try {
    return realpathSync(isFolder(path) ? `${path}/record.json` : path);
  } catch {
    return path;
  }
}

/**
 * @param judgedPath a campaign, which need not be among `paths`
 * @throws UserError for a folder without campaigns, a named record that cannot be read, or where none can be
 */
export function readHistory(paths: readonly string[], judgedPath: string | null): ReadHistory {
  const named = judgedPath === null ? [] : [{ path: judgedPath, isNamed: true }];
  const found = distinct([...named, ...foundIn(paths)]);
  const unreadable: { record: string; why: string }[] = [];
  const readable = found.filter(({ path, isNamed }) => {
    if (isNamed) return true;
    try {
      readNamed([path]);
      return true;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      unreadable.push({ record: path, why: error.message });
      return false;
    }
  });
  const records = readNamed(readable.map(({ path }) => path));
  if (records.length === 0)
    throw new UserError(`no record can be read: ${unreadable.map(({ why }) => why).join('; ')}`);
  return { records, judged: judgedPath === null ? null : (records[0] ?? null), unreadable };
}

/** The campaigns below a results folder: their records by the name of their indicator, or all of them. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { movedOutOfSight, movedTo } from './moved.js';
import { JOURNAL, RECORD } from './store.js';

/** Empty where there is no such folder, or it cannot be looked at. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether a campaign lies there, whatever it has come to: it has a record, a journal, or went elsewhere. */
export const isCampaign = (folder: string): boolean =>
  [RECORD, JOURNAL].some((file) => existsSync(join(folder, file))) ||
  movedTo(folder) !== null ||
  movedOutOfSight(folder) !== null;

/** Folders of the campaigns that lie right below one, whatever they are called; of one that went elsewhere where it is. */
export const campaignsBelow = (folder: string): readonly string[] =>
  namesIn(folder)
    .map((name) => join(folder, name))
    .filter(isCampaign)
    .map((path) => movedTo(path) ?? path);

const OF_CAMPAIGN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/;

/** When it began, by its folder's name, or else when its folder was last changed; in milliseconds since 1970. */
export function begunAt(folder: string): number {
  const [, ...parts] = OF_CAMPAIGN.exec(basename(folder)) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  if (parts.length > 0) return Date.UTC(year, month - 1, ...rest);
  try {
    return statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

/** Campaign folders are named `<moment>-<indicator>-<random>`: their order is that of time. */
export function findRecords(results: string, indicator: string): readonly string[] {
  return namesIn(results)
    .filter((name) => new RegExp(`^\\d{8}T\\d{6}Z-${indicator}-`).test(name))
    .sort()
    .reverse()
    .filter((name) => movedTo(join(results, name)) === null)
    .map((name) => join(results, name, RECORD))
    .filter((path) => existsSync(path));
}

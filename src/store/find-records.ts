/** The records below a results folder: by the name of their indicator, or all of them. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { movedTo } from './moved.js';
import { RECORD } from './store.js';

/** Empty where there is no such folder, or it cannot be looked at. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Records of the campaigns that lie right below a folder, whatever their folders are called; the folder's own where it is a campaign.
 * Those that were moved elsewhere are there.
 */
export function recordsBelow(folder: string): readonly string[] {
  const own = join(folder, RECORD);
  if (existsSync(own)) return [own];
  return namesIn(folder)
    .filter((name) => movedTo(join(folder, name)) === null)
    .map((name) => join(folder, name, RECORD))
    .filter((path) => existsSync(path));
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

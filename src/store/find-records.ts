/** The records below a results folder, by the name of their indicator, newest first. */
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

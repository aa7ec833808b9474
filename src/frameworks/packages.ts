/** Where npm packages of frameworks lie: in the user's project, or beside pi-bench. The edge to files. */
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../package.js';
import type { Packages } from './adapter.js';

/** A folder whose node_modules comes first: of a stack that brings its own packages. */
export const FRAMEWORKS_FROM = 'PI_BENCH_FRAMEWORKS_FROM';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** With all links followed. */
  readonly folder: string;
}

export interface InstalledPackages extends Packages {
  readonly installed: readonly InstalledPackage[];
}

/** Where packages are looked for. */
export interface Places {
  /** In this order. */
  readonly roots: readonly string[];
  /** Whether also in the folders around each of them, as Node looks for them. */
  readonly around: boolean;
}

/**
 * Where a folder is named it is the only one, and nothing around it: a stack that is gone, or lacks a package, must not run in the
 * packages of whatever project it is started from or lies in.
 */
export function frameworkPlaces(environment: NodeJS.ProcessEnv = process.env): Places {
  const named = environment[FRAMEWORKS_FROM];
  return named === undefined || named === ''
    ? { roots: [process.cwd(), packageRoot], around: true }
    : { roots: [named], around: false };
}

/** null: its node_modules has none. */
function installedIn(folder: string, name: string): InstalledPackage | null {
  try {
    const place = realpathSync(join(folder, 'node_modules', name));
    const { version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { version: string };
    return { name, version, folder: place };
  } catch {
    return null;
  }
}

/** As Node looks for it: in the node_modules of the folder and of those around it. */
function installedAround(root: string, name: string): InstalledPackage | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = installedIn(folder, name);
    if (found !== null || dirname(folder) === folder) return found;
  }
}

/**
 * All of them from the first folder that has them all: two copies of one package would not know each other.
 * @returns what is missing where no folder has them all: of the folder that has most
 */
export function findPackages(
  names: readonly string[],
  { roots, around }: Places = frameworkPlaces(),
): InstalledPackages | { readonly missing: readonly string[] } {
  let missing = names;
  for (const root of roots) {
    const found = names.map((name) => (around ? installedAround : installedIn)(root, name));
    const installed = found.filter((one) => one !== null);
    if (installed.length === names.length) {
      const require = createRequire(join(root, 'package.json'));
      return {
        installed,
        load: (name) => require(name),
        folder: (name) => installed.find((one) => one.name === name)?.folder ?? root,
      };
    }
    const without = names.filter((_, place) => found[place] === null);
    if (without.length < missing.length) missing = without;
  }
  return { missing };
}

/** Whether a package is one that may be in play there. */
const isOf = ({ roots, around }: Places, { folder }: InstalledPackage): boolean =>
  around || roots.some((root) => folder.startsWith(`${realpathSync(root)}/`));

/** Packages below `names` that are in play with them: their own dependencies of the same maker are versioned apart. */
export function versionsOf(
  installed: readonly InstalledPackage[],
  beneath: readonly string[],
  places: Places = frameworkPlaces(),
): Readonly<Record<string, string>> {
  const below = installed
    .flatMap(({ folder }) => beneath.flatMap((name) => installedAround(folder, name) ?? []))
    .filter((one) => isOf(places, one));
  return Object.fromEntries([...installed, ...below].map(({ name, version }) => [name, version]));
}

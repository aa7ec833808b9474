/** Makes a stack of one's own: decides or obeys its lock, has its packages in the cache, and finds what executes it there. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CPU } from '../../devices/device.js';
import { messageOf } from '../../errors.js';
import { plural } from '../../quantities/format.js';
import { canonicalJson, sha256 } from '../../record/digest.js';
import type { OwnStack } from '../../record/schema.js';
import { findStack, stackText } from '../index.js';
import type { LibrarySpec } from '../library-spec.js';
import { type LibrarySystem, searchLibrary } from '../search.js';
import { localSystem, whyNoFile } from '../system.js';
import { cachedFolder } from './cache.js';
import { installedVersions, type Owners, resolveDebian, unpackDebian } from './debian.js';
import { type DebianLock, lockDigest, lockedPackages, type StackLock } from './lock.js';
import { installNpm, resolveNpm } from './npm.js';
import { withFrameworksOf } from './own-stack.js';
import { askedDigest, type StackRequest, wantsPackages } from './request.js';

/** What a stack is made from. */
export interface Described {
  readonly request: StackRequest;
  /** Of the stack file: relative paths begin there. */
  readonly folder: string;
}

export interface Hooks {
  /** Told before something takes time. */
  readonly onStep: (what: string) => void;
}

const DEBIAN_ROOT = 'root';
const NPM_ROOT = 'npm';
const OWNERS = 'owners.json';

/** A folder that is gone afterwards. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-stack-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** null: none was given. */
function lockfileOf({ request, folder }: Described): string | null {
  const path = request.npm?.lockfile ?? null;
  return path === null ? null : readFileSync(resolve(folder, path), 'utf8');
}

/**
 * Which packages exactly: as the given lock says, or as the registries have them now.
 * @returns null for a stack without packages
 * @throws what there is to say when they do not resolve, or the lock is not of this description
 */
export async function resolveLock(
  described: Described,
  given: StackLock | undefined,
  { onStep }: Hooks,
): Promise<StackLock | null> {
  const { request } = described;
  if (!wantsPackages(request)) return null;
  const lockfile = lockfileOf(described);
  const asks = askedDigest(request, lockfile);
  if (given !== undefined) {
    if (given.asks === asks) return given;
    throw new Error(
      'its lock was made for another description of its packages: delete its part of the lock file, or the whole file, to lock it anew',
    );
  }
  onStep(`finding the packages of ${request.name}`);
  const { npm } = request;
  return {
    asks,
    debian:
      request.debian.length === 0
        ? null
        : await withScratch((scratch) => resolveDebian(request.debian, scratch)),
    npm:
      npm === null
        ? null
        : await withScratch((scratch) => resolveNpm(npm.packages, npm.installScripts, lockfile, scratch)),
  };
}

type Environment = StackRequest['environment'];

/** Compiled packages of npm are for one Node; an allowed script may heed the environment. */
function cacheKey(lock: StackLock, environment: Environment): string {
  const { npm } = lock;
  const runs = npm !== null && Object.values(npm.installScripts).includes('run');
  return sha256(
    canonicalJson([
      lockDigest(lock),
      npm === null ? null : [process.platform, process.arch, process.versions.modules],
      runs ? environment : null,
    ]),
  );
}

async function fill(folder: string, lock: StackLock, environment: Environment): Promise<void> {
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  let owners: Owners = {};
  if (lock.debian !== null) owners = await unpackDebian(lock.debian, scratch, join(folder, DEBIAN_ROOT));
  if (lock.npm !== null) {
    mkdirSync(join(folder, NPM_ROOT));
    await installNpm(lock.npm, join(folder, NPM_ROOT), environment);
  }
  writeFileSync(join(folder, OWNERS), `${JSON.stringify(owners, null, 1)}\n`);
  rmSync(scratch, { recursive: true });
}

/**
 * The folder with exactly the packages of a lock, from the cache or made anew.
 * @throws what there is to say when it cannot be made
 */
export const prefixOf = (
  name: string,
  lock: StackLock,
  environment: Environment,
  { onStep }: Hooks,
): Promise<string> =>
  cachedFolder(
    cacheKey(lock, environment),
    (empty) => {
      onStep(`making ${name}: ${plural(lockedPackages(lock).length, 'package')}`);
      return fill(empty, lock, environment);
    },
    (holder) => onStep(`waiting for ${name}: ${holder} is making it`),
  );

/** The folders below one in which shared libraries lie. */
function libraryFolders(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  const found = new Set<string>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (/^lib.*\.so(\.|$)/.test(entry.name) && !entry.isDirectory()) found.add(entry.parentPath);
  }
  return [...found].sort();
}

/** What of a folder of packages a stack uses. */
export const placesIn = (
  prefix: string,
  { npm }: StackLock,
): Pick<OwnStack, 'folders' | 'frameworksFrom'> => ({
  folders: [...libraryFolders(join(prefix, DEBIAN_ROOT))],
  frameworksFrom: npm === null ? null : join(prefix, NPM_ROOT),
});

/** What the provider's name alone means after --stack: a stack with nothing of its own but variables is of this system's library. */
function installed(provider: string, library: LibrarySpec): string {
  const [found] = searchLibrary(library, localSystem);
  if (found !== undefined) return found;
  throw new Error(
    `this system has no ${library.sonames[0] ?? provider}, and the stack has no packages, folders or library of its own. ${library.needed}`,
  );
}

/** The library's file; null: this provider has none. */
function libraryOf(
  { request, folder }: Described,
  prefix: string | null,
  folders: readonly string[],
): string | null {
  const { library } = findStack(request.provider);
  if (library === null) return null;
  if (request.library !== null) {
    const below = prefix === null ? [] : [join(prefix, DEBIAN_ROOT), join(prefix, NPM_ROOT)];
    const candidates = isAbsolute(request.library)
      ? [request.library]
      : [...below, folder].map((base) => join(base, request.library ?? ''));
    const found = candidates.find((path) => localSystem.realPath(path) !== null);
    if (found !== undefined) return found;
    const other = candidates.find((path) => existsSync(path));
    const where = isAbsolute(request.library) ? '' : ' in its packages or beside the stack file';
    throw new Error(
      other === undefined
        ? `there is no file ${request.library}${where}`
        : `library ${request.library}: ${whyNoFile(other)}`,
    );
  }
  if (prefix === null && folders.length === 0) return installed(request.provider, library);
  const inside: LibrarySystem = {
    architecture: localSystem.architecture,
    loaderFolders: folders,
    linkerCache: () => '',
    realPath: (path) =>
      folders.some((own) => path.startsWith(`${own}/`)) ? localSystem.realPath(path) : null,
  };
  const [found] = searchLibrary(library, inside);
  if (found !== undefined) return found;
  const where = prefix === null ? folders.join(', ') : 'its packages';
  throw new Error(`${where} have no ${library.sonames.join(', ')}: name the file as its library`);
}

/**
 * A framework that is missing from the stack's packages would be taken from somewhere else, as one that a link leads out of them is.
 * @throws Error
 */
function checkFramework(own: Pick<OwnStack, 'provider' | 'variant' | 'frameworksFrom'>): void {
  const { provider, variant, frameworksFrom } = own;
  const { framework, identify } = findStack(provider);
  if (frameworksFrom === null || framework === null) return;
  const { file, folders } = withFrameworksOf(own, () => ({
    file: identify(variant, CPU).path,
    folders: framework.folders(variant, CPU),
  }));
  const root = realpathSync(frameworksFrom);
  const isInside = (path: string): boolean => path.startsWith(`${root}/`);
  if (file != null && folders.length > 0 && isInside(file) && folders.every(isInside)) return;
  throw new Error(`its packages are not all that ${stackText({ provider, variant })} needs`);
}

const NOTHING = { lock: null, packages: [], folders: [], frameworksFrom: null, owner: null } as const;

/** A stack that cannot be measured, and why: its launches end with that. */
export function problemStack(
  { name, provider, variant, environment }: StackRequest,
  error: unknown,
): OwnStack {
  const problem = messageOf(error)
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
  return {
    ...NOTHING,
    name,
    provider,
    variant,
    environment: { ...environment },
    packages: [],
    folders: [],
    problem,
  };
}

/** The package of Debian that a file below the prefix is of. @param file with all links followed, as the prefix need not be */
function ownerOf(prefix: string | null, file: string | null): string | null {
  if (prefix === null || file === null) return null;
  const root = join(realpathSync(prefix), DEBIAN_ROOT);
  if (!file.startsWith(root + sep)) return null;
  const owners = JSON.parse(readFileSync(join(prefix, OWNERS), 'utf8')) as Owners;
  return owners[`/${relative(root, file)}`] ?? null;
}

/** The lock holds elsewhere, too, where other versions are installed. */
const systemsOf = async ({ system }: DebianLock): Promise<Pick<OwnStack, 'system' | 'systemVersions'>> => ({
  system,
  systemVersions: await installedVersions(system),
});

/**
 * The stack with its packages in the cache.
 * @param lock as `resolveLock` gives it
 * @throws what there is to say when it cannot be made
 */
export async function makeOwnStack(
  described: Described,
  lock: StackLock | null,
  hooks: Hooks,
): Promise<OwnStack> {
  const { request, folder } = described;
  const { name, provider, environment } = request;
  const prefix = lock === null ? null : await prefixOf(name, lock, environment, hooks);
  const places = prefix === null || lock === null ? null : placesIn(prefix, lock);
  const folders = [...request.folders.map((one) => resolve(folder, one)), ...(places?.folders ?? [])];
  const missing = folders.find((one) => !existsSync(one));
  if (missing !== undefined) throw new Error(`there is no folder ${missing}`);
  const path = libraryOf(described, prefix, folders);
  const real = path === null ? null : localSystem.realPath(path);
  const own: OwnStack = {
    name,
    provider,
    variant: path ?? request.variant,
    lock: lock === null ? null : lockDigest(lock),
    packages: lock === null ? [] : lockedPackages(lock).map((one) => ({ ...one })),
    ...(lock?.debian == null ? {} : await systemsOf(lock.debian)),
    environment: { ...environment },
    folders: [...folders],
    frameworksFrom: places?.frameworksFrom ?? null,
    owner: ownerOf(prefix, real),
    problem: null,
  };
  checkFramework(own);
  return own;
}

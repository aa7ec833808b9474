/** Where a library lies: as the system's loader would find it first, then in the folders of distributions and vendors. Pure. */
import { join } from 'node:path';
import type { LibrarySpec } from './library-spec.js';

/** What the search asks the system. */
export interface LibrarySystem {
  /** As `process.arch` has it. */
  readonly architecture: string;
  /** LD_LIBRARY_PATH. */
  readonly loaderFolders: readonly string[];
  /** What `ldconfig -p` prints; empty where there is none. */
  linkerCache(): string;
  /** Where a file lies when every link is followed; null: there is none. */
  realPath(path: string): string | null;
}

const TRIPLETS: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };
/** How `ldconfig` marks libraries of an architecture; those of 32 bits have no mark. */
const CACHE_MARKS: Readonly<Record<string, string>> = { x64: 'x86-64', arm64: 'AArch64' };

function fromCache(soname: string, cache: string, mark: string | undefined): readonly string[] {
  return cache.split('\n').flatMap((line) => {
    const [, name, marks = '', path] = /^\s*(\S+) \(([^)]*)\) => (.+)$/.exec(line) ?? [];
    return name === soname && path !== undefined && (mark === undefined || marks.includes(mark))
      ? [path]
      : [];
  });
}

/** Every build that is found, each once, with all links followed: the one that programs get first. */
export function searchLibrary(
  { sonames, subfolders, folders }: Pick<LibrarySpec, 'sonames' | 'subfolders' | 'folders'>,
  system: LibrarySystem,
): readonly string[] {
  const triplet = TRIPLETS[system.architecture];
  const usual = [
    ...(triplet === undefined ? [] : [`/usr/lib/${triplet}`]),
    '/usr/lib64',
    '/usr/lib',
    '/usr/local/lib',
    '/usr/local/lib64',
  ];
  const below = usual.flatMap((folder) => subfolders.map((name) => join(folder, name)));
  const cache = sonames.length === 0 ? '' : system.linkerCache();
  const mark = CACHE_MARKS[system.architecture];
  const inFolders = (some: readonly string[]): readonly string[] =>
    some.flatMap((folder) => sonames.map((soname) => join(folder, soname)));
  const candidates = [
    ...inFolders(system.loaderFolders),
    ...sonames.flatMap((soname) => fromCache(soname, cache, mark)),
    ...inFolders([...below, ...usual, ...folders]),
  ];
  return [...new Set(candidates.flatMap((path) => system.realPath(path) ?? []))];
}

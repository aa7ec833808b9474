/** This system, as the search for libraries and their identities ask it. The edge to files and other programs. */
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { sha256 } from '../record/digest.js';
import { readSharedObject } from './elf.js';
import { fileOnce } from './file-once.js';
import type { LibrarySystem } from './search.js';

const LDCONFIG = ['/sbin/ldconfig', '/usr/sbin/ldconfig', 'ldconfig'];

/** What a program prints, or null where it is missing or fails. */
function output(command: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout : null;
}

let cache: string | undefined;

export const localSystem: LibrarySystem = {
  architecture: process.arch,
  loaderFolders: (process.env.LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder !== ''),
  linkerCache() {
    if (cache === undefined) {
      cache = '';
      for (const command of LDCONFIG) {
        const printed = output(command, ['-p']);
        if (printed === null) continue;
        cache = printed;
        break;
      }
    }
    return cache;
  },
  realPath(path) {
    try {
      const real = realpathSync(path);
      return statSync(real).isFile() ? real : null;
    } catch {
      return null;
    }
  },
};

/** Of a path that `realPath` has none of, in words. */
export function whyNoFile(path: string): string {
  try {
    return statSync(path).isDirectory() ? 'that is a folder: name the file in it' : 'that is no file';
  } catch {
    return 'there is no such file';
  }
}

export interface LibraryFile {
  readonly path: string;
  /** Of 64 bits, as all that can be loaded here. */
  readonly isLibrary: boolean;
  readonly soname: string | null;
  readonly sha256: string;
  /** Whether it names a product of bfloat16; null: it names none of float32, either, and may have both from another file. */
  readonly bfloat16: boolean | null;
  /** `libopenblas0-pthread 0.3.21+ds-4`; null: no package of this system owns it. */
  readonly package: string | null;
}

/** Which Debian package owns a file. Where /lib is a link, packages may know the file by its shorter path. */
function debianPackage(path: string): string | null {
  const names = [path, ...(path.startsWith('/usr/lib') ? [path.slice('/usr'.length)] : [])];
  for (const name of names) {
    const owner = /^([^:,\s]+)/.exec(output('dpkg-query', ['--search', name]) ?? '')?.[1];
    if (owner === undefined || owner === 'diversion') continue;
    // A line for each architecture: name and version.
    const version = output('dpkg-query', ['--show', owner])?.split(/\s+/)[1];
    return version === undefined ? owner : `${owner} ${version}`;
  }
  return null;
}

/** A library's file as it lies there now, read again only when it has changed; null: it cannot be read. */
export function libraryFile(path: string): LibraryFile | null {
  try {
    return fileOnce(realpathSync(path), readLibrary);
  } catch {
    return null;
  }
}

/** As native/stacks/cblas.cc calls them. */
const OF_BFLOAT16 = ['cblas_sbgemm', 'cblas_gemm_bf16bf16f32'];

function namesBfloat16(content: Buffer): boolean | null {
  if (OF_BFLOAT16.some((name) => content.includes(name))) return true;
  return content.includes('cblas_sgemm') ? false : null;
}

function readLibrary(path: string): LibraryFile {
  const content = readFileSync(path);
  const object = readSharedObject(content);
  return {
    path,
    isLibrary: object !== null,
    soname: object?.soname ?? null,
    sha256: sha256(content),
    bfloat16: namesBfloat16(content),
    package: debianPackage(path),
  };
}

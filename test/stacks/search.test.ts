import { describe, expect, it } from 'vitest';
import { type LibrarySystem, searchLibrary } from '../../src/stacks/search.js';

const CACHE = `3 libs found in cache \`/etc/ld.so.cache'
\tlibopenblas.so.0 (libc6,x86-64) => /lib/x86_64-linux-gnu/libopenblas.so.0
\tlibopenblas.so.0 (libc6) => /lib/i386-linux-gnu/libopenblas.so.0
\tlibblis.so.4 (libc6,x86-64) => /lib/x86_64-linux-gnu/libblis.so.4
`;
const DEBIAN = '/usr/lib/x86_64-linux-gnu';
/** Links of a Debian with two builds of BLIS, of which the system's choice is the one with POSIX threads. */
const FILES: Readonly<Record<string, string>> = {
  '/lib/x86_64-linux-gnu/libopenblas.so.0': `${DEBIAN}/openblas-pthread/libopenblasp-r0.3.21.so`,
  [`${DEBIAN}/openblas-pthread/libopenblas.so.0`]: `${DEBIAN}/openblas-pthread/libopenblasp-r0.3.21.so`,
  '/lib/i386-linux-gnu/libopenblas.so.0': '/usr/lib/i386-linux-gnu/libopenblas.so.0',
  '/lib/x86_64-linux-gnu/libblis.so.4': `${DEBIAN}/blis-pthread/libblis.so.4`,
  [`${DEBIAN}/blis-pthread/libblis.so.4`]: `${DEBIAN}/blis-pthread/libblis.so.4`,
  [`${DEBIAN}/blis-openmp/libblis.so.4`]: `${DEBIAN}/blis-openmp/libblis.so.4`,
  '/home/me/lib/libblis.so.4': '/home/me/lib/libblis.so.4',
};
const system = (changes: Partial<LibrarySystem> = {}): LibrarySystem => ({
  architecture: 'x64',
  loaderFolders: [],
  linkerCache: () => CACHE,
  realPath: (path) => FILES[path] ?? null,
  ...changes,
});
const BLIS = { sonames: ['libblis.so.4'], subfolders: ['blis-openmp', 'blis-pthread'], folders: [] };
const OPENBLAS = { sonames: ['libopenblas.so.0'], subfolders: ['openblas-pthread'], folders: [] };

describe('the search for a library', () => {
  it('finds a build once, whatever links lead to it, and none of another architecture', () => {
    expect(searchLibrary(OPENBLAS, system())).toEqual([`${DEBIAN}/openblas-pthread/libopenblasp-r0.3.21.so`]);
  });

  it('takes the build that the system chose before its siblings', () => {
    expect(searchLibrary(BLIS, system())).toEqual([
      `${DEBIAN}/blis-pthread/libblis.so.4`,
      `${DEBIAN}/blis-openmp/libblis.so.4`,
    ]);
  });

  it('takes what LD_LIBRARY_PATH names before everything else, as the loader does', () => {
    expect(searchLibrary(BLIS, system({ loaderFolders: ['/home/me/lib'] }))[0]).toBe(
      '/home/me/lib/libblis.so.4',
    );
  });

  it('finds siblings also without a linker cache, and a vendor’s own folder', () => {
    const without = system({ linkerCache: () => '' });
    expect(searchLibrary(BLIS, without)[0]).toBe(`${DEBIAN}/blis-openmp/libblis.so.4`);
    expect(searchLibrary({ ...BLIS, subfolders: [], folders: ['/home/me/lib'] }, without)).toEqual([
      '/home/me/lib/libblis.so.4',
    ]);
  });

  it('finds nothing where nothing is', () => {
    expect(searchLibrary({ sonames: ['libmkl_rt.so.2'], subfolders: [], folders: [] }, system())).toEqual([]);
    expect(searchLibrary({ sonames: [], subfolders: [], folders: [] }, system())).toEqual([]);
  });
});

// The MPI libraries that tests start and benchmarks compare with, as Debian names their programs, and where they are.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} MpiLibrary
 * @property {'Open MPI' | 'MPICH'} name
 * @property {string} launcher
 * @property {string} compiler
 * @property {string} headers the package that it compiles nothing without
 * @property {string} soname
 * @property {readonly string[]} crowd arguments with which ranks may be more than CPUs
 * @property {readonly string[]} bind arguments that bind each rank to a core
 * @property {Readonly<Record<string, string>>} environment
 */

/** @type {readonly MpiLibrary[]} */
export const MPI_LIBRARIES = [
  {
    name: 'Open MPI',
    launcher: 'mpirun.openmpi',
    compiler: 'mpicc.openmpi',
    headers: 'libopenmpi-dev',
    soname: 'libmpi.so.40',
    crowd: ['--oversubscribe'],
    bind: ['--bind-to', 'core'],
    // It refuses root unless told twice that this is meant.
    environment: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
  },
  {
    name: 'MPICH',
    launcher: 'mpirun.mpich',
    compiler: 'mpicc.mpich',
    headers: 'libmpich-dev',
    soname: 'libmpich.so.12',
    crowd: [],
    bind: ['-bind-to', 'core'],
    environment: {},
  },
];

/**
 * @param {string} name
 * @returns {string | undefined} undefined: it is not in PATH
 */
export const programFile = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** @type {string | undefined} */
let loaderCache;

/**
 * What a loader finds under a name; undefined: nothing.
 * @param {string} soname
 * @returns {string | undefined}
 */
export function libraryFile(soname) {
  loaderCache ??= spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? '';
  return loaderCache
    .split('\n')
    .find((line) => line.includes(`${soname} (`))
    ?.split(' => ')[1];
}

/** @param {Pick<MpiLibrary, 'launcher' | 'soname'>} library */
export const isInstalled = ({ launcher, soname }) =>
  programFile(launcher) !== undefined && libraryFile(soname) !== undefined;

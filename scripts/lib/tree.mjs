// What of this package is there, and what is older than its sources. No dependency: runs before anything is installed.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * What a command line may need of the addon (needed-part.mjs): all of it, or what is built first, which is enough for the
 * first command that anybody types and has the kernels of this CPU; or nothing.
 * @typedef {'whole' | 'firstAvx512' | 'firstAvx2' | 'none'} Part
 */

const built = (name) => join(packageRoot, 'build', 'Release', `${name}.node`);

/** Where the addon is, and the parts of it of which one is built first. */
export const ADDONS = {
  whole: built('pibench'),
  firstAvx512: built('pibench_first_avx512'),
  firstAvx2: built('pibench_first_avx2'),
};
export const COMPILED = join(packageRoot, 'dist');
/** Where a program of src/programs.ts is, as it is run. */
export const bundled = (program) => pathToFileURL(join(COMPILED, 'bundle', `${program}.js`));

/** A clone has the TypeScript sources; an installed package has only what they compile to. */
export const isClone = existsSync(join(packageRoot, 'tsconfig.json'));

/** Newest modification among the files below the given paths, in milliseconds; 0 where there are none. */
function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (stat.isDirectory())
      latest = Math.max(latest, newest(readdirSync(path).map((name) => `${path}/${name}`)));
    else latest = Math.max(latest, stat.mtimeMs);
  }
  return latest;
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

const inRoot = (names) => names.map((name) => join(packageRoot, name));

export function dependenciesMissing() {
  const marker = join(packageRoot, 'node_modules', '.package-lock.json');
  return modified(marker) < newest(inRoot(['package-lock.json']));
}

/**
 * True where so much of the addon has to be built: it is absent or, in a clone, older than a source.
 * @param {Part} [part]
 */
export function addonStale(part = 'whole') {
  if (part === 'none') return false;
  const addon = ADDONS[part];
  if (!existsSync(addon)) return true;
  return isClone && modified(addon) < newest(inRoot(['native', 'kernels', 'binding.gyp']));
}

/** True where dist/ has to be compiled and bundled; an installed package always has it. */
export function compiledStale() {
  const sources = ['src', 'tsconfig.json', join('scripts', 'bundle.mjs'), 'package-lock.json'];
  return isClone && modified(bundled('cli/main')) < newest(inRoot(sources));
}

/**
 * True where nothing has to be installed, built or compiled before pi-bench runs what needs so much of the addon.
 * @param {Part} [part]
 */
export const isReady = (part = 'whole') =>
  !((isClone && dependenciesMissing()) || addonStale(part) || compiledStale());

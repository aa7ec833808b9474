// What of this package is there, and what is older than its sources. No dependency: runs before anything is installed.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { builtOfOthers, filesBelow, modified } from './source-record.mjs';

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

const NATIVE = ['native', 'kernels', 'binding.gyp'];
const TYPESCRIPT = ['src', 'tsconfig.json', 'scripts/bundle.mjs', 'package-lock.json'];

/** What the addon is built of, as it is now. */
export const nativeFiles = () => filesBelow(packageRoot, NATIVE);
/** What dist/ is made of. */
export const typescriptFiles = () => filesBelow(packageRoot, TYPESCRIPT);

/**
 * Where it is noted of what an addon was built.
 * @param {string} addon
 */
export const sourcesOf = (addon) => `${addon}.sources`;
/**
 * The same of what was compiled.
 * @param {string} compiled
 */
export const compiledOf = (compiled) => join(compiled, 'sources');
/**
 * The hash of their contents, where it was packed to be brought elsewhere.
 * @param {string} compiled
 */
export const contentsOf = (compiled) => join(compiled, 'contents');
/**
 * What stands beside an addon that could not be loaded here.
 * @param {string} addon
 */
export const refusalOf = (addon) => `${addon}.refused`;

/** The compiler of TypeScript, a dependency of development: an installation may have left these out. */
export const COMPILER = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');

/** True where dependencies are to be installed; what only compiles is not missed while there is nothing to compile. */
export function dependenciesMissing() {
  const marker = join(packageRoot, 'node_modules', '.package-lock.json');
  if (modified(marker) < modified(join(packageRoot, 'package-lock.json'))) return true;
  return !existsSync(COMPILER) && compiledStale();
}

/**
 * True where so much of the addon has to be built: it is absent, was refused, or, in a clone, was built of other sources.
 * @param {Part} [part]
 */
export function addonStale(part = 'whole') {
  if (part === 'none') return false;
  const addon = ADDONS[part];
  if (!existsSync(addon) || existsSync(refusalOf(addon))) return true;
  return isClone && builtOfOthers(addon, sourcesOf(addon), nativeFiles());
}

/**
 * True where so much of the addon is there, and has to be built anew all the same.
 * @param {Part} [part]
 */
export const addonReplaced = (part = 'whole') =>
  part !== 'none' && existsSync(ADDONS[part]) && addonStale(part);

/** True where dist/ has to be compiled and bundled; an installed package always has it. */
export function compiledStale() {
  if (!isClone) return false;
  const main = fileURLToPath(bundled('cli/main'));
  return !existsSync(main) || builtOfOthers(main, compiledOf(COMPILED), typescriptFiles());
}

/**
 * True where nothing has to be installed, built or compiled before pi-bench runs what needs so much of the addon.
 * @param {Part} [part]
 */
export const isReady = (part = 'whole') =>
  !((isClone && dependenciesMissing()) || addonStale(part) || compiledStale());

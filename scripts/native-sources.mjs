// What the native code consists of and how each file is compiled, as binding.gyp says: the checks and the linters
// compile the same files with the same flags as the addon.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from './lib/tree.mjs';

/** binding.gyp is JSON but for its comments; keep it so. */
function readBinding() {
  const text = readFileSync(join(packageRoot, 'binding.gyp'), 'utf8');
  try {
    return JSON.parse(text.replaceAll(/^\s*#.*$/gm, ''));
  } catch (error) {
    throw new Error(`binding.gyp is no longer JSON with # comments: ${error.message}`);
  }
}

/**
 * The targets that are built for an architecture: those of its conditions that hold, which take longest to compile, and
 * those of the file.
 */
function targetsFor(binding, arch) {
  const conditional = (binding.conditions ?? [])
    .filter(([condition]) => condition === `target_arch=='${arch}'`)
    .flatMap(([, then]) => then.targets ?? []);
  return [...conditional, ...binding.targets];
}

/** The addon, and the parts of it of which one is built first: they have nothing that the addon lacks but the lists of what they have. */
export const ADDON_TARGET = 'pibench';
export const FIRST_TARGETS = { firstAvx512: 'pibench_first_avx512', firstAvx2: 'pibench_first_avx2' };

/**
 * The targets that one of binding.gyp is linked with, in the order in which they are best built: those that take longest
 * first. undefined: that target is not built for this architecture.
 * @param {string} name
 * @param {string} [arch] as Node names it
 * @returns {string[] | undefined}
 */
export function linkedWith(name, arch = process.arch) {
  const target = targetsFor(readBinding(), arch).find(({ target_name }) => target_name === name);
  if (target === undefined) return undefined;
  const conditional = (target.conditions ?? [])
    .filter(([condition]) => condition === `target_arch=='${arch}'`)
    .flatMap(([, then]) => then.dependencies ?? []);
  return [...conditional, ...(target.dependencies ?? [])];
}

/**
 * The sources of the addon for an architecture, the target of each and the flags with which it is compiled.
 * @param {string} [arch] as Node names it
 * @returns {{ path: string, target: string, flags: string[] }[]}
 */
export function addonSources(arch = process.arch) {
  const binding = readBinding();
  const common = [...binding.target_defaults.cflags, ...binding.target_defaults.cflags_cc];
  const first = Object.values(FIRST_TARGETS);
  const targets = targetsFor(binding, arch).filter(({ target_name }) => !first.includes(target_name));
  return targets.flatMap((target) =>
    (target.sources ?? []).map((path) => ({
      path,
      target: target.target_name,
      flags: [
        ...common,
        ...(target.cflags ?? []),
        ...(target.cflags_cc ?? []),
        ...(target.defines ?? []).map((define) => `-D${define}`),
      ],
    })),
  );
}

/** The flags of files that are part of no target: the check programs. */
export function commonFlags() {
  const { target_defaults } = readBinding();
  return [...target_defaults.cflags, ...target_defaults.cflags_cc];
}

/** Node's own headers and node-addon-api's, which addon.cc includes: system headers, not ours to lint. */
export function nodeHeaderFlags() {
  const addonApi = dirname(createRequire(join(packageRoot, 'package.json')).resolve('node-addon-api/napi.h'));
  const node = join(dirname(dirname(process.execPath)), 'include', 'node');
  return ['-isystem', addonApi, '-isystem', node];
}

/** Whether a file only brings others together, to be compiled as one. */
export const bringsTogether = (path) => basename(path).endsWith('together.cc');

/** Every C++ file below a folder of the package, in order. */
export function filesBelow(folder, extensions) {
  const entries = readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' });
  return entries
    .filter((name) => extensions.some((extension) => name.endsWith(extension)))
    .map((name) => join(folder, name))
    .sort();
}

// Builds on a machine that has compilers and no npm: the addon and the check of the kernels with g++ alone, the kernels and
// the independent timer with nvcc. With the sources and flags of binding.gyp.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildCudaCheck } from '../cuda-check.mjs';
import { install } from '../lib/compile-kept.mjs';
import { CUDA_FOLDER, CUDA_MODULES, findNvcc } from '../lib/cuda-kernels.mjs';
import { buildAddon } from '../lib/native-objects.mjs';
import { HOST } from '../lib/native-programs.mjs';
import { ADDONS, packageRoot } from '../lib/tree.mjs';
import { bounded } from './bounded.mjs';
import { takeCarried } from './carried.mjs';

/** @type {import('../lib/native-objects.mjs').Build} */
const ALONE = { ...HOST, asBuilt: false, folder: 'gpu-check', flags: ['-O3', '-fPIC'] };
export const CHECK = join(packageRoot, 'build', 'gpu-check', 'cuda_check');
const TIMER = join(packageRoot, 'build', 'gpu-check', 'events');
const TIMER_SOURCE = join('scripts', 'gpu-check', 'events.cu');

const modules = Object.keys(CUDA_MODULES).map((name) => join(CUDA_FOLDER, `${name}.fatbin`));

/** Where what is compiled has to be, by its name in the folder carried. */
export const PLACES = Object.fromEntries(
  [ADDONS.whole, CHECK, TIMER, ...modules].map((place) => [basename(place), place]),
);

/** A machine that has another C++ library than the one where it was built may not take it. */
const loads = () =>
  spawnSync(process.execPath, ['-e', `require(${JSON.stringify(ADDONS.whole)})`]).status === 0;

export async function compileWithHost() {
  install(join(packageRoot, await buildAddon(ALONE)), ADDONS.whole);
  install(join(packageRoot, await buildCudaCheck(ALONE)), CHECK);
}

const BUILDS_KERNELS = join('scripts', 'gpu-check', 'kernels.mjs');

/**
 * In a process of its own, so that it can go on beside the addon's.
 * @param {() => number} left seconds
 * @param {string} [builder] the script
 * @throws Error where it did not build all of them: what then lies there may be of other sources
 */
export async function compileKernels(left, builder = BUILDS_KERNELS) {
  const done = await bounded(process.execPath, [builder], { seconds: left() });
  const lacking = modules.filter((place) => !existsSync(place)).map((place) => basename(place));
  if (done.status === 0 && lacking.length === 0) return;
  const what = lacking.length > 0 ? `no ${lacking.join(', ')}` : 'kernels may be of other sources';
  throw new Error(`${what}: ${done.outOfTime ? 'there was no more time' : done.stderr.trim()}`);
}

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;

/**
 * The independent program that times one of our kernels with CUDA's events; it has no kernel of its own, so it is of no
 * architecture. Returns its path.
 */
export async function compileTimer(left) {
  const nvcc = findNvcc();
  if (nvcc === undefined) throw new Error('no nvcc was found');
  mkdirSync(dirname(TIMER), { recursive: true });
  if (existsSync(TIMER) && modified(TIMER) > modified(join(packageRoot, TIMER_SOURCE))) return TIMER;
  const done = await bounded(nvcc, ['-std=c++20', '-O2', TIMER_SOURCE, '-o', TIMER], { seconds: left() });
  if (done.status !== 0) throw new Error(`nvcc ${TIMER_SOURCE}: ${done.stderr}`);
  return TIMER;
}

/**
 * All of it, one beside the other; what cannot be built leaves the rest. `packedOfThese`: what was built elsewhere is of these sources;
 * `carried`: it is used.
 */
export async function build(left) {
  const packedOfThese = takeCarried(PLACES);
  const carried = packedOfThese && loads();
  const [timer, ...compiled] = await Promise.allSettled([
    carried ? TIMER : compileTimer(left),
    // The kernels are of no C++ library: those that were carried are good wherever their sources are these.
    ...(carried ? [] : [compileWithHost(), ...(packedOfThese ? [] : [compileKernels(left)])]),
  ]);
  return {
    timer: timer.status === 'fulfilled' ? timer.value : null,
    packedOfThese,
    carried,
    wrong: [timer, ...compiled].flatMap((one) =>
      one.status === 'rejected' ? [`building: ${one.reason.message}`] : [],
    ),
  };
}

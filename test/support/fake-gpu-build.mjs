// Fakes of the NVIDIA driver's two libraries and of NCCL (test/native/fake-cuda), compiled once for whoever needs a GPU that is none.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/lib/build-lock.mjs';
import { packageRoot } from '../../scripts/lib/tree.mjs';

const SOURCES = join(packageRoot, 'test', 'native', 'fake-cuda');
const DRIVER = ['fake_driver', 'fake_kernels'];
const MODULES = [
  'gemm_wgmma',
  'gemm_mma',
  'gemm_mma_fp8',
  'gemm_scalar',
  'peak',
  'peak_fp8',
  'peak_wgmma',
  'memory',
  'memory_bulk',
  'support',
];

const COMPILE = [
  '-std=c++20',
  '-O2',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fvisibility=hidden',
  '-fPIC',
  '-pthread',
];
const LINK = ['-shared', '-pthread'];

/**
 * Whoever finds the file finds all of it.
 * @param {string} path
 * @param {readonly string[]} args
 */
function make(path, args) {
  const partial = `${path}.${process.pid}.tmp`;
  const { status, stderr } = spawnSync('g++', [...args, '-o', partial], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`g++ ${args.join(' ')}: ${stderr}`);
  renameSync(partial, path);
}

/**
 * @param {string} folder
 * @param {string} name
 */
function compile(folder, name) {
  const object = join(folder, `${name}.o`);
  make(object, [...COMPILE, '-c', join(SOURCES, `${name}.cc`)]);
  return object;
}

/**
 * @param {string} folder
 * @param {string} library
 * @param {readonly string[]} objects
 * @param {readonly string[]} [more]
 */
const link = (folder, library, objects, more = []) =>
  make(join(folder, library), [...LINK, `-Wl,-soname,${library}`, ...more, ...objects]);

/** Whatever the fakes are made of: their own files, the contract of the kernels, the driver's types. */
function fingerprint() {
  const hash = createHash('sha256').update([...COMPILE, ...LINK].join(' '));
  for (const folder of [SOURCES, join(packageRoot, 'kernels', 'cuda'), join(packageRoot, 'native', 'cuda')]) {
    for (const name of readdirSync(folder).sort()) {
      if (/\.(h|cc)$/.test(name)) hash.update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Makes a folder unless it is there, once for all processes that run at the same time.
 * @param {string} folder
 * @param {() => void} fill
 */
function madeOnce(folder, fill) {
  const ready = join(folder, 'ready');
  if (existsSync(ready)) return folder;
  mkdirSync(folder, { recursive: true });
  withLock(join(folder, 'lock'), () => {
    if (existsSync(ready)) return;
    fill();
    writeFileSync(ready, '');
  });
  return folder;
}

/** The folder of the fakes. */
export function fakeGpu() {
  const folder = join(packageRoot, 'node_modules', '.cache', 'fake-gpu', fingerprint());
  return madeOnce(folder, () => {
    for (const name of ['kernels', 'nccl']) mkdirSync(join(folder, name), { recursive: true });
    link(
      folder,
      'libcuda.so.1',
      DRIVER.map((name) => compile(folder, name)),
    );
    link(folder, 'libnvidia-ml.so.1', [compile(folder, 'fake_nvml')]);
    link(join(folder, 'nccl'), 'libnccl.so.2', [compile(folder, 'fake_nccl')]);
    for (const name of MODULES)
      writeFileSync(join(folder, 'kernels', `${name}.fatbin`), 'of the fake driver');
  });
}

/**
 * The folder of a driver that lacks a function: the same objects, of which it shows one symbol less.
 * @param {string} symbol
 */
export function driverWithout(symbol) {
  const whole = fakeGpu();
  const folder = join(whole, `without-${symbol}`);
  return madeOnce(folder, () => {
    const script = join(folder, 'symbols.map');
    writeFileSync(script, `{ local: ${symbol}; };\n`);
    const objects = DRIVER.map((name) => join(whole, `${name}.o`));
    link(folder, 'libcuda.so.1', objects, [`-Wl,--version-script,${script}`]);
  });
}

/**
 * The environment of a process that finds the fakes; `settings` as test/native/fake-cuda/settings.h reads them.
 * @param {string} folder
 * @returns {NodeJS.ProcessEnv}
 */
export const fakeEnvironment = (folder, settings = '') => ({
  ...process.env,
  LD_LIBRARY_PATH: folder,
  PIBENCH_GPU_KERNELS: join(folder, 'kernels'),
  PIBENCH_FAKE_GPU: settings,
});

/**
 * The same where there is a fake of NCCL, too.
 * @param {string} folder
 * @returns {NodeJS.ProcessEnv}
 */
export const fakeNcclEnvironment = (folder, settings = '') => ({
  ...fakeEnvironment(folder, settings),
  LD_LIBRARY_PATH: `${folder}:${folder}/nccl`,
});

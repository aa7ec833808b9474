/**
 * A GPU for tests that is none: fakes of the NVIDIA driver's two libraries, compiled once, which a process finds by
 * LD_LIBRARY_PATH. Its kernels are its own, so the modules it is given may hold anything.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/lib/build-lock.mjs';
import { piBenchIn, piBench as plain, type Run, root } from './pi-bench.js';

const SOURCES = join(root, 'test', 'native', 'fake-cuda');
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

/** Whoever finds the file finds all of it. */
function make(path: string, args: readonly string[]): void {
  const partial = `${path}.${process.pid}.tmp`;
  const { status, stderr } = spawnSync('g++', [...args, '-o', partial], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`g++ ${args.join(' ')}: ${stderr}`);
  renameSync(partial, path);
}

function compile(folder: string, name: string): string {
  const object = join(folder, `${name}.o`);
  make(object, [...COMPILE, '-c', join(SOURCES, `${name}.cc`)]);
  return object;
}

const link = (folder: string, library: string, objects: readonly string[], more: readonly string[] = []) =>
  make(join(folder, library), [...LINK, `-Wl,-soname,${library}`, ...more, ...objects]);

/** Whatever the fakes are made of: their own files, the contract of the kernels, the driver's types. */
function fingerprint(): string {
  const hash = createHash('sha256').update([...COMPILE, ...LINK].join(' '));
  for (const folder of [SOURCES, join(root, 'kernels', 'cuda'), join(root, 'native', 'cuda')]) {
    for (const name of readdirSync(folder).sort()) {
      if (/\.(h|cc)$/.test(name)) hash.update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Makes a folder unless it is there, once for all test files that run at the same time. */
function madeOnce(folder: string, fill: () => void): string {
  const ready = join(folder, 'ready');
  if (existsSync(ready)) return folder;
  mkdirSync(folder, { recursive: true });
  withLock(join(folder, 'lock'), folder, () => {
    if (existsSync(ready)) return;
    fill();
    writeFileSync(ready, '');
  });
  return folder;
}

/** The folder of the fakes. */
export function fakeGpu(): string {
  const folder = join(root, 'node_modules', '.cache', 'fake-gpu', fingerprint());
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

/** The folder of a driver that lacks a function: the same objects, of which it shows one symbol less. */
function driverWithout(symbol: string): string {
  const whole = fakeGpu();
  const folder = join(whole, `without-${symbol}`);
  return madeOnce(folder, () => {
    const script = join(folder, 'symbols.map');
    writeFileSync(script, `{ local: ${symbol}; };\n`);
    const objects = DRIVER.map((name) => join(whole, `${name}.o`));
    link(folder, 'libcuda.so.1', objects, [`-Wl,--version-script,${script}`]);
  });
}

/** The environment of a process that finds the fakes; `settings` as test/native/fake-cuda/settings.h reads them. */
export const fakeEnvironment = (folder: string, settings = ''): NodeJS.ProcessEnv => ({
  ...process.env,
  LD_LIBRARY_PATH: folder,
  PIBENCH_GPU_KERNELS: join(folder, 'kernels'),
  PIBENCH_FAKE_GPU: settings,
});

/** pi-bench where the fake GPU is. */
export const onFakeGpu = (settings: string, ...args: readonly string[]): Promise<Run> =>
  piBenchIn({ env: fakeEnvironment(fakeGpu(), settings) }, ...args);

/** pi-bench where there is a fake of NCCL, too. */
export function onFakeNccl(settings: string, ...args: readonly string[]): Promise<Run> {
  const folder = fakeGpu();
  const environment = { ...fakeEnvironment(folder, settings), LD_LIBRARY_PATH: `${folder}:${folder}/nccl` };
  return piBenchIn({ env: environment }, ...args);
}

/** pi-bench with a driver that lacks this function. */
export function onBrokenDriver(symbol: string, ...args: readonly string[]): Promise<Run> {
  const path = `${driverWithout(symbol)}:${fakeGpu()}`;
  return piBenchIn({ env: { ...fakeEnvironment(fakeGpu()), LD_LIBRARY_PATH: path } }, ...args);
}

export const withoutGpu = plain;

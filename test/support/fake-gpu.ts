/**
 * A GPU for tests that is none: fakes of the NVIDIA driver's two libraries, compiled once, which a process finds by
 * LD_LIBRARY_PATH. Its kernels are its own, so the modules it is given may hold anything.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { piBench as plain, type Run, root, startPiBench } from './pi-bench.js';

const SOURCES = join(root, 'test', 'native', 'fake-cuda');
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

function compile(
  folder: string,
  library: string,
  sources: readonly string[],
  flags: readonly string[],
): void {
  const partial = join(folder, `${library}.${process.pid}.tmp`);
  const args = [
    ...[
      '-std=c++20',
      '-O2',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-fvisibility=hidden',
      '-shared',
      '-fPIC',
      '-pthread',
    ],
    `-Wl,-soname,${library}`,
    ...flags,
    ...sources.map((name) => join(SOURCES, name)),
    ...['-o', partial],
  ];
  const { status, stderr } = spawnSync('g++', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`g++ ${args.join(' ')}: ${stderr}`);
  renameSync(partial, join(folder, library));
}

/** Whatever the fakes are made of: their own files, the contract of the kernels, the driver's types. */
function fingerprint(flags: readonly string[]): string {
  const hash = createHash('sha256').update(flags.join(' '));
  for (const folder of [SOURCES, join(root, 'kernels', 'cuda'), join(root, 'native', 'cuda')]) {
    for (const name of readdirSync(folder).sort()) {
      if (/\.(h|cc)$/.test(name)) hash.update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The folder of the fakes; `flags` make a driver that lacks something. */
export function fakeGpu(...flags: readonly string[]): string {
  const folder = join(root, 'node_modules', '.cache', 'fake-gpu', fingerprint(flags));
  if (existsSync(join(folder, 'ready'))) return folder;
  mkdirSync(join(folder, 'kernels'), { recursive: true });
  compile(folder, 'libcuda.so.1', ['fake_driver.cc', 'fake_kernels.cc'], flags);
  compile(folder, 'libnvidia-ml.so.1', ['fake_nvml.cc'], []);
  mkdirSync(join(folder, 'nccl'), { recursive: true });
  compile(join(folder, 'nccl'), 'libnccl.so.2', ['fake_nccl.cc'], []);
  for (const name of MODULES) writeFileSync(join(folder, 'kernels', `${name}.fatbin`), 'of the fake driver');
  writeFileSync(join(folder, 'ready'), '');
  return folder;
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
  startPiBench(args, undefined, fakeEnvironment(fakeGpu(), settings)).ended;

/** pi-bench where there is a fake of NCCL, too. */
export function onFakeNccl(settings: string, ...args: readonly string[]): Promise<Run> {
  const folder = fakeGpu();
  const environment = { ...fakeEnvironment(folder, settings), LD_LIBRARY_PATH: `${folder}:${folder}/nccl` };
  return startPiBench(args, undefined, environment).ended;
}

/** pi-bench with a driver that was compiled to lack something. */
export const onBrokenDriver = (flag: string, ...args: readonly string[]): Promise<Run> =>
  startPiBench(args, undefined, fakeEnvironment(fakeGpu(flag))).ended;

export const withoutGpu = plain;

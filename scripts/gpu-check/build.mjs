// Builds on a machine that has compilers and no npm: the addon with g++ alone, the kernels and the independent timer with
// nvcc. With the sources and flags of binding.gyp.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { findNvcc } from '../lib/cuda-kernels.mjs';
import { packageRoot } from '../lib/tree.mjs';
import { addonSources } from '../native-sources.mjs';

const OBJECTS = join(packageRoot, 'build', 'gpu-check');
const ADDON = join(packageRoot, 'build', 'Release', 'pibench.node');

/** @returns {Promise<void>} */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: packageRoot, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')}\n${said}`)),
    );
  });
}

async function inParallel(items, work) {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;

/** The addon, unless it is there and runs. */
export async function buildAddon() {
  const headers = [
    join(dirname(dirname(process.execPath)), 'include', 'node'),
    join(packageRoot, 'node_modules', 'node-addon-api'),
  ];
  const common = ['-O3', '-fPIC', '-pthread', ...headers.flatMap((path) => ['-I', path])];
  const sources = addonSources();
  const objects = [];
  mkdirSync(dirname(ADDON), { recursive: true });
  await inParallel(sources, async ({ path, flags }) => {
    const object = join(OBJECTS, path.replace(/\.cc$/, '.o'));
    objects.push(object);
    if (modified(object) > modified(join(packageRoot, path))) return;
    mkdirSync(dirname(object), { recursive: true });
    await run('g++', [...common, ...flags.filter((flag) => flag !== '-Werror'), '-c', path, '-o', object]);
  });
  await run('g++', ['-shared', '-pthread', ...objects.sort(), '-ldl', '-o', ADDON]);
}

/** Our kernels as fat binaries; in a process of its own, so that it can go on beside the addon's build. */
export const buildKernels = () => run(process.execPath, [join('scripts', 'build-plugins.mjs')]);

/** The independent program that times one of our kernels with CUDA's events. Returns its path. */
export function buildTimer() {
  const nvcc = findNvcc();
  const program = join(packageRoot, 'build', 'gpu-check', 'events');
  mkdirSync(dirname(program), { recursive: true });
  const source = join('scripts', 'gpu-check', 'events.cu');
  if (existsSync(program) && modified(program) > modified(join(packageRoot, source))) return program;
  const done = spawnSync(nvcc, ['-std=c++20', '-O2', '-arch=native', source, '-o', program], {
    cwd: packageRoot,
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`nvcc ${source}: ${done.stderr}`);
  return program;
}

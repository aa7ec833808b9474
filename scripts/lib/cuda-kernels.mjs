// Compiles the kernels for NVIDIA GPUs, kernels/cuda/<module>.cu to build/plugins/cuda/<module>.fatbin, with nvcc alone: the
// driver loads such a file as it is, so there is nothing to link, and neither CMake nor a GPU is needed.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { compileKept } from './compile-kept.mjs';
import { isClone, packageRoot } from './tree.mjs';

const CACHE = join(packageRoot, 'node_modules', '.cache', 'cuda-kernels');
export const CUDA_FOLDER = join(packageRoot, 'build', 'plugins', 'cuda');
/** Those that a package comes with (scripts/prepack.mjs). */
export const PACKED_KERNELS = join(packageRoot, 'dist', 'cuda');

/** Machine code for 8.0 (and 8.x), Hopper and Blackwell, and PTX, which drivers compile for what comes later. */
const EVERYWHERE = ['sm_80', 'sm_90', 'sm_100', 'compute_100'];
const WITH_FP8 = ['sm_89', 'sm_90', 'sm_100', 'compute_100'];

/**
 * Each module and what it is compiled for.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const CUDA_MODULES = {
  gemm_wgmma: ['sm_90a'],
  gemm_mma: EVERYWHERE,
  gemm_mma_fp8: WITH_FP8,
  gemm_scalar: EVERYWHERE,
  peak: EVERYWHERE,
  peak_fp8: WITH_FP8,
  peak_wgmma: ['sm_90a'],
  memory: EVERYWHERE,
  memory_bulk: ['sm_90', 'sm_100', 'compute_100'],
  support: EVERYWHERE,
};

/** Where an nvcc does not know a module's PTX: the newest of these that it knows and that the module can do with. */
const OLDER_PTX = ['compute_90', 'compute_89', 'compute_80'];

/**
 * What an nvcc makes of a module's targets: those that it knows, and PTX for what comes later, however old nvcc is. Nothing
 * where it knows none.
 * @param {readonly string[]} wanted
 * @param {(target: string) => boolean} knows
 */
export function targetsFor(wanted, knows) {
  const known = wanted.filter(knows);
  const isPtx = (target) => target.startsWith('compute_');
  if (known.length === 0 || known.some(isPtx) || !wanted.some(isPtx)) return known;
  const least = Math.min(...wanted.map((target) => Number(target.replace(/\D/g, ''))));
  const older = OLDER_PTX.find((target) => knows(target) && Number(target.replace(/\D/g, '')) >= least);
  return older === undefined ? known : [...known, older];
}

// Warnings are told, not errors: another nvcc than that of the tests may have new ones. -warn-spills: of registers.
// Not compressed: loading begins sooner, and a kernel's name can be found in the file.
const FLAGS = [
  '-std=c++20',
  '-O3',
  '--expt-relaxed-constexpr',
  '-Xptxas',
  '-warn-spills',
  '--no-compress',
  '-t2',
  '-fatbin',
];

/**
 * nvcc: as CUDACXX says, below CUDA_HOME or CUDA_PATH, on the path, or where NVIDIA installs it. Undefined: there is none.
 * @param {Readonly<Record<string, string | undefined>>} [environment]
 */
export function findNvcc(environment = process.env) {
  const { CUDACXX, CUDA_HOME, CUDA_PATH, PATH } = environment;
  const candidates = [
    CUDACXX,
    ...[CUDA_HOME, CUDA_PATH].map((home) => home && join(home, 'bin', 'nvcc')),
    ...(PATH ?? '').split(delimiter).map((folder) => folder && join(folder, 'nvcc')),
    '/usr/local/cuda/bin/nvcc',
  ];
  return candidates.find((path) => path && existsSync(path));
}

function ask(nvcc, ...args) {
  const done = spawnSync(nvcc, args, { encoding: 'utf8' });
  return done.status === 0 ? done.stdout : undefined;
}

/** The version of an nvcc, and the targets it knows. Undefined where it does not run. */
function knownOf(nvcc) {
  const version = ask(nvcc, '--version');
  const codes = ask(nvcc, '--list-gpu-code');
  const architectures = ask(nvcc, '--list-gpu-arch');
  if (version === undefined || codes === undefined || architectures === undefined) return undefined;
  const names = new Set(`${codes}\n${architectures}`.split(/\s+/));
  // Targets of one architecture only, as sm_90a, are not listed by themselves.
  return { version, has: (target) => names.has(target.replace(/a$/, '')) };
}

const virtualOf = (target) => target.replace('sm_', 'compute_');

const sourceOf = (module) => join('kernels', 'cuda', `${module}.cu`);

/**
 * nvcc's arguments for a module: one -gencode for each target.
 * @param {string} module
 * @param {readonly string[]} targets
 * @param {string} output
 */
const nvccArguments = (module, targets, output) => [
  ...FLAGS,
  ...targets.flatMap((target) => ['-gencode', `arch=${virtualOf(target)},code=${target}`]),
  sourceOf(module),
  '-o',
  output,
];

const place = (module) => join(CUDA_FOLDER, `${module}.fatbin`);

/** True where this machine has to build them, if it is to have any, and can. */
export const cudaKernelsToBuild = () => (isClone || !existsSync(PACKED_KERNELS)) && findNvcc() !== undefined;

/** True where any module was built. */
export const cudaKernelsThere = () => Object.keys(CUDA_MODULES).some((module) => existsSync(place(module)));

/**
 * Compiles and installs a module.
 * @returns {ReturnType<typeof compileKept>} why it could not, and what the compiler warned of
 */
function compile(nvcc, known, module) {
  const targets = targetsFor(CUDA_MODULES[module], known.has);
  if (targets.length === 0) {
    const wanted = CUDA_MODULES[module].join(', ');
    // Another nvcc may have made one, of other sources.
    rmSync(place(module), { force: true });
    return {
      failure: `${sourceOf(module)} was not compiled: this nvcc knows none of ${wanted}`,
      warning: null,
    };
  }
  return compileKept({
    compiler: nvcc,
    source: sourceOf(module),
    how: [known.version, nvccArguments(module, targets, '')],
    argumentsFor: (output) => nvccArguments(module, targets, output),
    cache: CACHE,
    to: place(module),
  });
}

/**
 * Builds all modules. Returns where they are, what was built, for each that failed one line why, with nvcc's log behind it,
 * and what nvcc warned of. One module that fails leaves the others usable.
 * @param {{ nvcc?: string | undefined, onModule?: (module: string, failure: string | null, seconds: number) => void }} [options]
 */
export function buildCudaKernels({ nvcc = findNvcc(), onModule = () => {} } = {}) {
  /** @type {{ folder: string, built: string[], failed: string[], warned: string[] }} */
  const done = { folder: CUDA_FOLDER, built: [], failed: [], warned: [] };
  if (nvcc === undefined) return { ...done, failed: ['no nvcc was found: set CUDACXX to it, or CUDA_HOME'] };
  const known = knownOf(nvcc);
  if (known === undefined) return { ...done, failed: [`${nvcc} does not run`] };
  for (const module of Object.keys(CUDA_MODULES)) {
    const began = performance.now();
    const { failure, warning } = compile(nvcc, known, module);
    if (failure === null) done.built.push(module);
    else done.failed.push(failure);
    if (warning !== null) done.warned.push(warning);
    onModule(module, failure, (performance.now() - began) / 1000);
  }
  return done;
}

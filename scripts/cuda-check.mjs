// npm run check:cuda [-- --quick] [--only TEXT]: builds the CUDA kernels and the program that checks each of them on the GPU of
// this machine, and times it beside cuBLASLt where one is found (CUBLASLT names the file). One line of JSON for each case. Ends with
// 1 where a case is wrong or a module could not be built, with 2 where only some cases were left out for want of time.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCudaKernels, CUDA_FOLDER } from './lib/cuda-kernels.mjs';
import { buildProgram, HOST } from './lib/native-programs.mjs';
import { packageRoot } from './lib/tree.mjs';

const SOURCES = ['cuda_check', 'gemm_case', 'memory_case', 'other_cases', 'workload_case'].map(
  (name) => `scripts/cuda-check/${name}.cc`,
);

/**
 * The program, relative to the package.
 * @param {import('./lib/native-objects.mjs').Build} [build]
 */
export const buildCudaCheck = (build = HOST) => buildProgram(build, 'cuda_check', SOURCES);

/** cuBLASLt: as CUBLASLT says, or of the Python packages that bring it. Undefined: none. */
function findCublasLt() {
  if (process.env.CUBLASLT) return process.env.CUBLASLT;
  const script =
    'import glob, site, sys\n' +
    'roots = [p for p in sys.path if p] + site.getsitepackages()\n' +
    'found = [f for r in roots for f in glob.glob(r + "/nvidia/**/libcublasLt.so.*", recursive=True)]\n' +
    'print(found[0] if found else "")';
  const said = spawnSync('python3', ['-c', script], { encoding: 'utf8' }).stdout?.trim();
  const usual = '/usr/local/cuda/lib64/libcublasLt.so';
  return said || (existsSync(usual) ? usual : undefined);
}

/** What the program ends with where nothing was wrong and not all was checked. */
const LEFT_OUT = 2;

/**
 * How the check ends.
 * @param {readonly string[]} failed why modules could not be built: what is there of them is of other sources
 * @param {number | null} status of the program that checks; null: a signal ended it
 */
export const exitCodeOf = (failed, status) =>
  failed.length > 0 && [0, LEFT_OUT].includes(status) ? 1 : (status ?? 70);

async function main(args) {
  const { failed } = buildCudaKernels();
  for (const why of failed) process.stderr.write(`cuda-check: ${why}\n`);
  const program = await buildCudaCheck();
  const library = findCublasLt();
  const done = spawnSync(
    join(packageRoot, program),
    ['--kernels', CUDA_FOLDER, ...(library === undefined ? [] : ['--cublaslt', library]), ...args],
    { stdio: 'inherit' },
  );
  return exitCodeOf(failed, done.status);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`cuda-check: ${error.message}\n`);
    return 70;
  });
}

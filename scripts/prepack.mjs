// npm's step before packing: compiles, bundles, writes the schemas, notes the commit, since a package has no git, and compiles the
// kernels for GPUs, since a node with GPUs often has the driver and nothing else.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOfSources } from './lib/commit.mjs';
import { buildCudaKernels, findNvcc, PACKED_KERNELS } from './lib/cuda-kernels.mjs';
import { packageRoot } from './lib/tree.mjs';

const run = (command, ...args) =>
  execFileSync(command, args, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

rmSync(join(packageRoot, 'dist'), { recursive: true, force: true });
run(process.execPath, join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json');
run(process.execPath, join('scripts', 'bundle.mjs'));
run(process.execPath, join('scripts', 'build-schema.mjs'));
const commit = commitOfSources();
if (commit === null) throw new Error('git does not say of which commit this is');
writeFileSync(join(packageRoot, 'dist', 'commit'), `${commit}\n`);

if (findNvcc() !== undefined) {
  const { folder, built, failed } = buildCudaKernels();
  if (failed.length > 0) throw new Error(failed.join('\n'));
  for (const module of built)
    cpSync(join(folder, `${module}.fatbin`), join(PACKED_KERNELS, `${module}.fatbin`));
} else if (process.env.npm_command === 'publish') {
  throw new Error('no nvcc was found, and what is published has the kernels for GPUs: set CUDACXX to it');
} else {
  process.stderr.write('pi-bench: no nvcc was found: the package has no kernels for GPUs\n');
}

// npm run build:plugins: builds what needs a toolkit that not every machine has: the kernels for NVIDIA GPUs, with nvcc.
import { buildCudaKernels } from './lib/cuda-kernels.mjs';

const { built, failed, warned } = buildCudaKernels({
  onModule: (module, failure, seconds) =>
    process.stdout.write(
      `${module.padEnd(14)} ${failure === null ? 'built' : 'FAILED'} ${seconds.toFixed(1).padStart(5)} s\n`,
    ),
});
for (const what of warned) process.stderr.write(`${what}\n`);
for (const why of failed) process.stderr.write(`pi-bench: ${why}\n`);
process.stdout.write(`${built.length} modules of CUDA kernels built\n`);
if (failed.length > 0) process.exitCode = 1;

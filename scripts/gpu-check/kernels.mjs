// Builds the kernels for NVIDIA GPUs; ends with 1 where one of them could not be built of the sources that are here.
import { buildCudaKernels } from '../lib/cuda-kernels.mjs';

const { failed } = buildCudaKernels();
for (const why of failed) process.stderr.write(`${why}\n`);
if (failed.length > 0) process.exitCode = 1;

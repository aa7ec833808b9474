// npm's install step. Never a reason for an install to fail: where it cannot build (a bare clone that npx has only
// linked, a machine without a compiler) the launcher builds, or says why not, when pi-bench is first used.
import { buildCudaKernels, findNvcc } from './lib/cuda-kernels.mjs';
import { buildGlooPlugin, glooThere } from './lib/gloo-plugin.mjs';
import { buildNative, dependenciesThere } from './lib/native-build.mjs';

if (dependenciesThere()) {
  const failure = buildNative();
  if (failure !== null) process.stderr.write(`pi-bench: ${failure.split('\n', 2).join(' ')}\n`);
  // For NVIDIA GPUs, where there is a compiler for them.
  if (findNvcc() !== undefined) {
    const { failed } = buildCudaKernels();
    for (const why of failed) process.stderr.write(`pi-bench: ${why.split('\n', 1)[0]}\n`);
  }
  // To compare with, where its headers are.
  if (glooThere()) {
    const why = buildGlooPlugin();
    if (why !== null) process.stderr.write(`pi-bench: ${why.split('\n', 1)[0]}\n`);
  }
}

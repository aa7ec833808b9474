// npm's install step, where this Node can run it.
import { buildCudaKernels, cudaKernelsToBuild } from './cuda-kernels.mjs';
import { buildGlooPlugin, glooThere } from './gloo-plugin.mjs';
import { buildNative, dependenciesThere } from './native-build.mjs';

const say = (text) => process.stderr.write(`pi-bench: ${text}\n`);
const firstLine = (text) => text.split('\n', 1)[0];

/** Builds what can be built here, and says what cannot. */
export function install() {
  if (!dependenciesThere()) return;
  const failure = buildNative();
  if (failure !== null) say(failure.split('\n', 2).join(' '));
  // For NVIDIA GPUs, where the package came without and there is a compiler for them.
  if (cudaKernelsToBuild()) for (const why of buildCudaKernels().failed) say(firstLine(why));
  // To compare with, where its headers are.
  const why = glooThere() ? buildGlooPlugin() : null;
  if (why !== null) say(firstLine(why));
}

// npm run build:plugins: builds what needs something that not every machine has: the kernels for NVIDIA GPUs, with nvcc; what
// calls Gloo, with its headers. What cannot be built for want of these is said; that is a failure only where nothing can.
import { buildCudaKernels, findNvcc } from './lib/cuda-kernels.mjs';
import { buildGlooPlugin, GLOO_NEEDED, GLOO_PLUGIN, glooThere } from './lib/gloo-plugin.mjs';

const print = (text) => process.stdout.write(`${text}\n`);

/** Returns whether all modules were built. */
function buildForGpus() {
  const { built, failed, warned } = buildCudaKernels({
    onModule: (module, failure, seconds) =>
      print(
        `${module.padEnd(14)} ${failure === null ? 'built' : 'FAILED'} ${seconds.toFixed(1).padStart(5)} s`,
      ),
  });
  for (const what of warned) process.stderr.write(`${what}\n`);
  for (const why of failed) process.stderr.write(`pi-bench: ${why}\n`);
  print(`${built.length} modules of CUDA kernels built`);
  return failed.length === 0;
}

/** Returns whether it was built. */
function buildForGloo() {
  const began = performance.now();
  const why = buildGlooPlugin();
  if (why !== null) process.stderr.write(`pi-bench: ${why}\n`);
  else
    print(
      `${'gloo'.padEnd(14)} built ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s, ${GLOO_PLUGIN}`,
    );
  return why === null;
}

const gpus = findNvcc() === undefined ? null : buildForGpus();
if (gpus === null) print('CUDA kernels: not built, no nvcc was found: set CUDACXX to it, or CUDA_HOME');
const gloo = glooThere() ? buildForGloo() : null;
if (gloo === null) print(`gloo: not built, it needs ${GLOO_NEEDED}`);
if (gpus === false || gloo === false || (gpus === null && gloo === null)) process.exitCode = 1;

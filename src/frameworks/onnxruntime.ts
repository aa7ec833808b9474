/**
 * ONNX Runtime in Node: one session with one node. On the CPU A and B stay where the addon has them; C is written where it is
 * checked on every device.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors.js';
import {
  ARRAYS,
  type OpenedFramework,
  type OpenFramework,
  type Operands,
  type PreparedProduct,
  type Product,
  shapeOf,
} from './adapter.js';
import { ONLY_GPU } from './gpu-environment.js';
import { mappedFile } from './mapped.js';
import { matmulModel, operatorOf } from './onnx-model.js';
import { provenSession, type Runtime, type Session, type Tensor } from './onnx-session.js';

const LIBRARY = /\/libonnxruntime\.so[^/]*$/;
const CUDA_LIBRARY = 'libonnxruntime_providers_cuda.so';
const CUDA_NEEDS =
  'it takes an NVIDIA driver, and the CUDA toolkit and cuDNN that it was built for where the loader finds them (LD_LIBRARY_PATH)';

const optionsFor = (threads: number): object => ({
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  executionMode: 'sequential',
});

/** The operator, and C where the addon checks it. @throws Error where ONNX has none */
function partsOf(runtime: Runtime, product: Product, { c }: Operands) {
  const { m, n, batch, dtype } = product;
  const operator = operatorOf(product);
  if (operator === null || dtype === 'bfloat16') throw new Error('ONNX has no operator for this product');
  const type = dtype === 'int8' ? 'int32' : dtype;
  const result = new ARRAYS[dtype].result(c);
  const fetches: Record<string, Tensor> = {
    C: new runtime.Tensor(type, result, shapeOf(batch, m, n, false)),
  };
  return { operator, dtype, result, fetches };
}

const prepared = (
  session: Session,
  feeds: Record<string, Tensor>,
  fetches: Record<string, Tensor>,
  told: Pick<PreparedProduct, 'implementation' | 'timed' | 'renew'>,
): PreparedProduct => ({
  ...told,
  run: () => session.run(feeds, fetches),
  // C is the addon's own memory: it poisons that by itself, and there the result is.
  poison() {},
  deliver() {},
});

async function prepareOnCpu(runtime: Runtime, threads: number, product: Product, operands: Operands) {
  const { operator, dtype, fetches } = partsOf(runtime, product, operands);
  const { m, n, k, transposeA, transposeB, batch } = product;
  const { operand } = ARRAYS[dtype];
  const options = { ...optionsFor(threads), executionProviders: ['cpu'] };
  const session = await runtime.InferenceSession.create(matmulModel(product), options);
  const feeds = {
    A: new runtime.Tensor(dtype, new operand(operands.a), shapeOf(batch, m, k, transposeA)),
    B: new runtime.Tensor(dtype, new operand(operands.b), shapeOf(batch, k, n, transposeB)),
  };
  return prepared(session, feeds, fetches, {
    // They are read from the addon's memory in each run.
    renew() {},
    implementation: `${operator}, CPU execution provider`,
    timed: 'dispatch through a promise; C is allocated once',
  });
}

/** On the GPU that this process sees. @throws Error where it does not compute */
async function sessionOnGpu(runtime: Runtime, product: Product, operands: Operands) {
  const { operator, result, fetches } = partsOf(runtime, product, operands);
  const session = await provenSession(runtime, {
    // Node can bind no memory of CUDA to inputs: they would be copied to the GPU in each run. Constants are there for good.
    model: matmulModel(product, 'constants'),
    options: {
      ...optionsFor(1),
      executionProviders: [{ name: 'cuda', deviceId: ONLY_GPU }],
      externalData: [
        { path: 'A', data: new Uint8Array(operands.a) },
        { path: 'B', data: new Uint8Array(operands.b) },
      ],
      // A product of constants would be computed once, while the session is made.
      graphOptimizationLevel: 'disabled',
      // What a provider cannot execute would be computed on the CPU without a word.
      extra: { session: { disable_cpu_ep_fallback: '1' } },
    },
    feeds: {},
    fetches,
    result,
    operator,
    provider: 'CUDAExecutionProvider',
  });
  return { session, operator, fetches };
}

async function prepareOnGpu(runtime: Runtime, product: Product, operands: Operands) {
  const { session, operator, fetches } = await sessionOnGpu(runtime, product, operands);
  return prepared(session, {}, fetches, {
    renew: null,
    implementation: `${operator}, CUDA execution provider`,
    timed:
      'dispatch through a promise and the copy of C to the host, by which it is waited for; A and B lie on the GPU',
  });
}

const SMALL = { m: 8, n: 8, k: 8, transposeA: false, transposeB: false, batch: 1, dtype: 'float32' } as const;

/**
 * Whether the provider loads and computes at all, before a case depends on it.
 * @throws Error with what it needs
 */
async function tryGpu(runtime: Runtime): Promise<void> {
  const bytes = (): ArrayBuffer => new ArrayBuffer(Float32Array.BYTES_PER_ELEMENT * SMALL.m * SMALL.n);
  try {
    const { session } = await sessionOnGpu(runtime, SMALL, { a: bytes(), b: bytes(), c: bytes() });
    await session.release();
  } catch (error) {
    throw new Error(`ONNX Runtime does not compute with CUDA here: ${messageOf(error)}; ${CUDA_NEEDS}`);
  }
}

export const open: OpenFramework = async (packages, backend, threads): Promise<OpenedFramework> => {
  const runtime = packages.load('onnxruntime-node') as Runtime;
  const library = mappedFile(LIBRARY);
  if (library === null || !existsSync(library)) {
    throw new Error('onnxruntime-node was loaded, and no libonnxruntime.so is in this process');
  }
  const onGpu = backend === 'cuda';
  if (onGpu) await tryGpu(runtime);
  return {
    version: runtime.env.versions.node ?? runtime.env.versions.common,
    chose: null,
    // Providers are loaded from beside the library.
    binary: onGpu ? join(dirname(library), CUDA_LIBRARY) : library,
    threads: null,
    prepare: (product, operands) =>
      onGpu ? prepareOnGpu(runtime, product, operands) : prepareOnCpu(runtime, threads, product, operands),
  };
};

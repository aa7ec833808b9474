/**
 * TensorFlow.js: one adapter for all its backends. A repetition ends when its result has been read back into JavaScript: no
 * backend can answer later than that.
 */
import { join } from 'node:path';
import type {
  OpenedFramework,
  OpenFramework,
  Operands,
  Packages,
  PreparedProduct,
  Product,
} from './adapter.js';
import { shapeOf } from './adapter.js';
import { mappedFile } from './mapped.js';
import { type NodeBackend, notOnGpu, withoutGpu } from './tfjs-gpu.js';

interface Tensor {
  readonly dataId: object;
  dataSync(): Float32Array;
  dispose(): void;
}

/** As much of TensorFlow.js as is used. */
interface TensorFlow {
  readonly version_core?: string;
  readonly version?: { readonly 'tfjs-core'?: string };
  setBackend(name: string): Promise<boolean>;
  getBackend(): string;
  findBackend(name: string): NodeBackend | null;
  tensor(values: Float32Array, shape: readonly number[], dtype: 'float32'): Tensor;
  fill(shape: readonly number[], value: number): Tensor;
  matMul(a: Tensor, b: Tensor, transposeA: boolean, transposeB: boolean): Tensor;
  env(): { getAsync(flag: string): Promise<boolean | number> };
  engine(): { readonly state: { readonly tensorInfo: WeakMap<object, { readonly backend: NodeBackend }> } };
}

interface WasmBackend {
  setWasmPaths(folder: string): void;
  setThreadsCount(threads: number): void;
  getThreadsCount(): number;
}

const CORE = '@tensorflow/tfjs-core';
const WASM = '@tensorflow/tfjs-backend-wasm';
const CUBLAS = /\/libcublas\.so[^/]*$/;
const ON_GPU = 'tensorflow-gpu';
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  tensorflow: '@tensorflow/tfjs-node',
  [ON_GPU]: '@tensorflow/tfjs-node-gpu',
};

/** Where the framework's own choice fell, once a backend is ready. */
interface Ready {
  readonly tf: TensorFlow;
  /** As TensorFlow.js registers it. */
  readonly registered: string;
  readonly chose: string | null;
  readonly binary: string;
  readonly threads: OpenedFramework['threads'];
  readonly onGpu: boolean;
}

/** TensorFlow.js takes another backend without a word where one cannot be initialised. */
async function answering(tf: TensorFlow, name: string): Promise<void> {
  const ready = await tf.setBackend(name);
  const answers = tf.getBackend();
  if (!ready || answers !== name) {
    throw new Error(
      `TensorFlow.js could not initialise its backend ${name}${ready ? '' : ' (setBackend says no)'}; ${answers === '' ? 'none' : answers} would answer in its place`,
    );
  }
}

async function openCpu(packages: Packages): Promise<Ready> {
  const tf = packages.load(CORE) as TensorFlow;
  packages.load('@tensorflow/tfjs-backend-cpu');
  await answering(tf, 'cpu');
  const binary = join(packages.folder('@tensorflow/tfjs-backend-cpu'), 'dist', 'tf-backend-cpu.node.js');
  return { tf, registered: 'cpu', chose: 'plain JavaScript', binary, threads: 1, onGpu: false };
}

async function openWasm(packages: Packages, threads: number): Promise<Ready> {
  const tf = packages.load(CORE) as TensorFlow;
  const wasm = packages.load(WASM) as WasmBackend;
  const folder = join(packages.folder(WASM), 'wasm-out');
  wasm.setWasmPaths(`${folder}/`);
  wasm.setThreadsCount(threads);
  await answering(tf, 'wasm');
  // The backend's own rule: of its three binaries the one that these two allow.
  const simd = (await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT')) === true;
  const threaded = simd && (await tf.env().getAsync('WASM_HAS_MULTITHREAD_SUPPORT')) === true;
  const build = threaded ? '-threaded-simd' : simd ? '-simd' : '';
  return {
    tf,
    registered: 'wasm',
    chose: threaded ? 'SIMD and threads' : simd ? 'SIMD' : 'neither SIMD nor threads',
    binary: join(folder, `tfjs-backend-wasm${build}.wasm`),
    threads: threaded ? wasm.getThreadsCount() : 1,
    onGpu: false,
  };
}

/** libtensorflow takes its threads from the environment, which was set before this process started. */
async function openNode(packages: Packages, backend: string): Promise<Ready> {
  const name = NODE_PACKAGES[backend];
  if (name === undefined) throw new Error(`TensorFlow.js has no backend ${backend}`);
  const tf = packages.load(name) as TensorFlow;
  await answering(tf, 'tensorflow');
  const onGpu = backend === ON_GPU;
  const problem = onGpu ? withoutGpu(tf.findBackend('tensorflow') ?? {}) : null;
  if (problem !== null) throw new Error(problem);
  const binary = mappedFile(/\/libtensorflow\.so[^/]*$/) ?? mappedFile(/\/tfjs_binding\.node$/);
  if (binary === null) throw new Error(`${name} was loaded, and no libtensorflow is in this process`);
  return { tf, registered: 'tensorflow', chose: onGpu ? 'GPU' : null, binary, threads: null, onGpu };
}

/** On a GPU the wait for C is its copy: libtensorflow puts every operand there once, when it is first used. */
const TIMED = {
  cpu: 'dispatch, allocation of C, reading it back, disposal of the C before',
  gpu: 'dispatch, allocation of C on the GPU, its copy to the host, by which it is waited for, and disposal of the C before; A and B lie on the GPU',
} as const;

function prepare(
  { tf, registered, chose, onGpu }: Ready,
  product: Product,
  operands: Operands,
): PreparedProduct {
  const { m, n, k, transposeA, transposeB, batch, dtype } = product;
  if (dtype !== 'float32') throw new Error(`TensorFlow.js has no matrix product for ${dtype}`);
  const tensors = () => ({
    a: tf.tensor(new Float32Array(operands.a), shapeOf(batch, m, k, transposeA), dtype),
    b: tf.tensor(new Float32Array(operands.b), shapeOf(batch, k, n, transposeB), dtype),
  });
  let { a, b } = tensors();
  // XNNPACK, inside the WebAssembly, packs a B once for each tensor and keeps it.
  const packedOnce = registered === 'wasm' && batch === 1 && !transposeA && !transposeB;
  let last: Tensor | undefined;
  let result: Float32Array | undefined;
  return {
    implementation: [registered, chose, packedOnce ? 'B packed once' : null]
      .filter((part) => part !== null)
      .join(', '),
    timed: onGpu ? TIMED.gpu : TIMED.cpu,
    run() {
      last?.dispose();
      last = tf.matMul(a, b, transposeA, transposeB);
      result = last.dataSync();
    },
    renew() {
      a.dispose();
      b.dispose();
      ({ a, b } = tensors());
    },
    // A tensor of C's size, freed at once: its memory is the next that an allocator gives for a C.
    poison() {
      last?.dispose();
      last = undefined;
      result = undefined;
      const poison = tf.fill(shapeOf(batch, m, n, false), Number.NaN);
      poison.dataSync();
      poison.dispose();
    },
    deliver() {
      if (last === undefined || result === undefined) throw new Error('nothing was computed');
      const computed = tf.engine().state.tensorInfo.get(last.dataId)?.backend;
      if (tf.getBackend() !== registered || computed !== tf.findBackend(registered)) {
        throw new Error(
          `the backend ${registered} was asked, and another one (${tf.getBackend()}) has answered`,
        );
      }
      const elsewhere = onGpu ? notOnGpu(computed ?? {}, mappedFile(CUBLAS)) : null;
      if (elsewhere !== null) throw new Error(elsewhere);
      new Float32Array(operands.c).set(result);
    },
  };
}

export const open: OpenFramework = async (packages, backend, threads): Promise<OpenedFramework> => {
  const ready =
    backend === 'cpu'
      ? await openCpu(packages)
      : backend === 'wasm'
        ? await openWasm(packages, threads)
        : await openNode(packages, backend);
  const { tf, chose, binary } = ready;
  return {
    version: tf.version_core ?? tf.version?.['tfjs-core'] ?? 'unknown',
    chose,
    binary,
    threads: ready.threads,
    prepare: async (product, operands) => prepare(ready, product, operands),
  };
};

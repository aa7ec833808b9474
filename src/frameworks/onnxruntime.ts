/** ONNX Runtime in Node: one session with one node. A and B stay where the addon has them, C is written where it is checked. */
import { existsSync } from 'node:fs';
import { ARRAYS, type OpenedFramework, type OpenFramework, type Product, shapeOf } from './adapter.js';
import { mappedFile } from './mapped.js';
import { matmulModel, operatorOf } from './onnx-model.js';

type Tensor = object;

interface Session {
  run(feeds: Record<string, Tensor>, fetches: Record<string, Tensor>): Promise<unknown>;
}

/** As much of onnxruntime-node as is used. */
interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: string, data: ArrayBufferView, dims: readonly number[]) => Tensor;
  readonly env: { readonly versions: { readonly node?: string; readonly common: string } };
}

const LIBRARY = /\/libonnxruntime\.so[^/]*$/;
const PROVIDERS: Readonly<Record<string, string>> = { cpu: 'CPU', cuda: 'CUDA' };

function optionsOf(backend: string, threads: number): object {
  return {
    executionProviders: [backend],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // What a provider cannot execute would be computed on the CPU without a word.
    ...(backend === 'cpu' ? {} : { extra: { session: { disable_cpu_ep_fallback: '1' } } }),
  };
}

async function prepare(
  runtime: Runtime,
  backend: string,
  threads: number,
  product: Product,
  operands: Parameters<OpenedFramework['prepare']>[1],
) {
  const { m, n, k, transposeA, transposeB, batch, dtype } = product;
  const operator = operatorOf(product);
  if (operator === null || dtype === 'bfloat16') throw new Error('ONNX has no operator for this product');
  const { operand, result } = ARRAYS[dtype];
  const session = await runtime.InferenceSession.create(matmulModel(product), optionsOf(backend, threads));
  const feeds = {
    A: new runtime.Tensor(dtype, new operand(operands.a), shapeOf(batch, m, k, transposeA)),
    B: new runtime.Tensor(dtype, new operand(operands.b), shapeOf(batch, k, n, transposeB)),
  };
  const c = new result(operands.c);
  const fetches = {
    C: new runtime.Tensor(dtype === 'int8' ? 'int32' : dtype, c, shapeOf(batch, m, n, false)),
  };
  return {
    implementation: `${operator}, ${PROVIDERS[backend] ?? backend} execution provider`,
    timed: 'dispatch through a promise; C is allocated once',
    run: () => session.run(feeds, fetches),
    // C is the addon's own memory: it poisons that by itself, and there the result is.
    poison() {},
    deliver() {},
  };
}

export const open: OpenFramework = async (packages, backend, threads): Promise<OpenedFramework> => {
  const runtime = packages.load('onnxruntime-node') as Runtime;
  const binary = mappedFile(LIBRARY);
  if (binary === null || !existsSync(binary)) {
    throw new Error('onnxruntime-node was loaded, and no libonnxruntime.so is in this process');
  }
  return {
    version: runtime.env.versions.node ?? runtime.env.versions.common,
    chose: null,
    binary,
    threads,
    prepare: (product, operands) => prepare(runtime, backend, threads, product, operands),
  };
};

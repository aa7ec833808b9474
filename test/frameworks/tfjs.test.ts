/** The adapter of TensorFlow.js over a TensorFlow.js of this test's own, which can do what the real one does at its worst. */
import { describe, expect, it } from 'vitest';
import type { Packages } from '../../src/frameworks/adapter.js';
import { open } from '../../src/frameworks/tfjs.js';
import { notOnGpu, withoutGpu } from '../../src/frameworks/tfjs-gpu.js';

interface Fake {
  /** What setBackend says, and which backend answers then. */
  readonly ready?: boolean;
  readonly answers?: string;
  /** The backend that computes. */
  readonly computes?: string;
  /** Whether the native backend is that of the package for GPUs, and whether it has one. */
  readonly gpuPackage?: boolean;
  readonly hasGpu?: boolean;
}

function fakeTensorFlow({ ready = true, answers, computes, gpuPackage, hasGpu }: Fake): Packages {
  const backends = new Map<string, object>(['cpu', 'wasm'].map((name) => [name, { name }]));
  backends.set('tensorflow', { isGPUPackage: gpuPackage ?? true, isUsingGpuDevice: hasGpu ?? true });
  const tensorInfo = new WeakMap<object, { backend: object }>();
  let asked = '';
  const tensor = (values: Float32Array) => {
    const dataId = {};
    tensorInfo.set(dataId, { backend: backends.get(computes ?? asked) ?? {} });
    // Brought to where the backend computes, as a native one does.
    return { dataId, dataSync: () => values, brought: Float32Array.from(values), dispose: () => {} };
  };
  const tf = {
    version_core: '4.0.0-fake',
    setBackend: async (name: string) => {
      asked = name;
      return ready;
    },
    getBackend: () => answers ?? asked,
    findBackend: (name: string) => backends.get(name) ?? null,
    tensor,
    fill: () => tensor(new Float32Array(1)),
    matMul: ({ brought }: { brought: Float32Array }) => tensor(Float32Array.of(42 + (brought[0] ?? 0))),
    env: () => ({ getAsync: async (flag: string) => flag === 'WASM_HAS_SIMD_SUPPORT' }),
    engine: () => ({ state: { tensorInfo } }),
    setWasmPaths: () => {},
    setThreadsCount: () => {},
    getThreadsCount: () => 1,
  };
  return { load: () => tf, folder: () => '/packages' };
}

const ONE = { m: 1, n: 1, k: 1, transposeA: false, transposeB: false, batch: 1, dtype: 'float32' } as const;
const operands = () => ({ a: new ArrayBuffer(4), b: new ArrayBuffer(4), c: new ArrayBuffer(4) });

describe('TensorFlow.js', () => {
  it('brings the result of the last repetition to where it is checked', async () => {
    const opened = await open(fakeTensorFlow({}), 'wasm', 1);
    expect(opened).toMatchObject({ version: '4.0.0-fake', chose: 'SIMD', threads: 1 });
    const memory = operands();
    const product = await opened.prepare(ONE, memory);
    product.run();
    product.deliver();
    expect(new Float32Array(memory.c)).toEqual(Float32Array.of(42));
  });

  it('multiplies what its operands hold once it was told that they are others', async () => {
    const memory = operands();
    const product = await (await open(fakeTensorFlow({}), 'wasm', 1)).prepare(ONE, memory);
    new Float32Array(memory.a).set([5]);
    product.renew?.();
    product.run();
    product.deliver();
    expect(new Float32Array(memory.c)).toEqual(Float32Array.of(47));
  });

  it('that has nothing to bring says so: a result from before the poison would pass', async () => {
    const product = await (await open(fakeTensorFlow({}), 'cpu', 1)).prepare(ONE, operands());
    expect(() => product.deliver()).toThrow(/nothing was computed/);
    product.run();
    product.poison();
    expect(() => product.deliver()).toThrow(/nothing was computed/);
  });

  it.each([
    ['says that it could not take it', { ready: false }],
    ['takes another one without a word', { answers: 'cpu' }],
  ])('is refused where it %s', async (_, fake) => {
    await expect(open(fakeTensorFlow(fake), 'wasm', 1)).rejects.toThrow(
      /could not initialise its backend wasm.*would answer in its place/,
    );
  });

  it('is refused where another backend computed than the one that answers', async () => {
    const product = await (await open(fakeTensorFlow({ computes: 'cpu' }), 'wasm', 1)).prepare(
      ONE,
      operands(),
    );
    product.run();
    expect(() => product.deliver()).toThrow(/the backend wasm was asked, and another one/);
  });
});

describe('TensorFlow.js on a GPU', () => {
  it.each([
    [
      'libtensorflow found none',
      { hasGpu: false },
      /found no GPU that it can use and would compute on the CPU/,
    ],
    ['the package is that for CPUs', { gpuPackage: false }, /the one for CPUs/],
  ])('is refused before anything is computed where %s', async (_, fake, why) => {
    await expect(open(fakeTensorFlow(fake), 'tensorflow-gpu', 1)).rejects.toThrow(why);
  });

  it('asks nothing about a GPU of the backend for CPUs, which stops where its library is missing', async () => {
    const fake = fakeTensorFlow({ gpuPackage: false, hasGpu: false });
    await expect(open(fake, 'tensorflow', 1)).rejects.toThrow(/no libtensorflow is in this process/);
  });

  it('has computed there only with the library that it has for it', () => {
    const sound = { isGPUPackage: true, isUsingGpuDevice: true };
    expect(withoutGpu(sound)).toBeNull();
    expect(notOnGpu(sound, '/usr/lib/libcublas.so.11')).toBeNull();
    expect(notOnGpu(sound, null)).toMatch(/no cuBLAS is in this process/);
    // A backend that says nothing is none of a GPU.
    expect(notOnGpu({}, '/usr/lib/libcublas.so.11')).toMatch(/the one for CPUs/);
  });
});

/** The adapter of TensorFlow.js over a TensorFlow.js of this test's own, which can do what the real one does at its worst. */
import { describe, expect, it } from 'vitest';
import type { Packages } from '../../src/frameworks/adapter.js';
import { open } from '../../src/frameworks/tfjs.js';

interface Fake {
  /** What setBackend says, and which backend answers then. */
  readonly ready?: boolean;
  readonly answers?: string;
  /** The backend that computes. */
  readonly computes?: string;
}

function fakeTensorFlow({ ready = true, answers, computes }: Fake): Packages {
  const backends = new Map<string, object>(['cpu', 'wasm', 'tensorflow'].map((name) => [name, { name }]));
  const tensorInfo = new WeakMap<object, { backend: object }>();
  let asked = '';
  const tensor = (values: Float32Array) => {
    const dataId = {};
    tensorInfo.set(dataId, { backend: backends.get(computes ?? asked) ?? {} });
    return { dataId, dataSync: () => values, dispose: () => {} };
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
    matMul: () => tensor(Float32Array.of(42)),
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

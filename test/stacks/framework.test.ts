import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORKS_FROM } from '../../src/frameworks/packages.js';
import { findStack, parseStack, stackText } from '../../src/stacks/index.js';
import { writePackage } from '../support/frameworks.js';

const CASE = { m: 8, n: 8, k: 8, threads: 1, transpose: 'NN', batch: 1, prepack: false, cache: 'hot' };
const check =
  (stack: string, dtype: string, more = {}, indicator = 'matmul', device = 'cpu') =>
  () => {
    const { provider, variant } = parseStack(stack);
    findStack(provider).check(variant, indicator, dtype, { ...CASE, ...more }, device);
  };
const onGpu = (stack: string, dtype = 'float32', more = {}) => check(stack, dtype, more, 'matmul', 'cuda:0');

it('a backend is typed after the framework’s name, and is no path', () => {
  expect(parseStack('tfjs:wasm')).toEqual({ provider: 'tfjs', variant: 'wasm' });
  expect(stackText(parseStack('onnxruntime'))).toBe('onnxruntime');
});

describe('what a framework cannot do is said before anything is launched', () => {
  it.each([
    ['another indicator', check('tfjs:cpu', 'float32', {}, 'peak'), /executes matmul, not peak/],
    ['a data type', check('tfjs:wasm', 'int8'), /no matrix product for int8; it has float32$/],
    ['bfloat16', check('onnxruntime', 'bfloat16'), /it has float32, float64, int8$/],
    ['a prepacked B', check('tfjs:wasm', 'float32', { prepack: true }), /leave --prepack out/],
    ['cold caches', check('tfjs:wasm', 'float32', { cache: 'cold' }), /cannot evict/],
    ['transposed bytes', check('onnxruntime', 'int8', { transpose: 'NT' }), /take --transpose NN/],
    [
      'a transposed batch',
      check('onnxruntime', 'float32', { transpose: 'TN', batch: 2 }),
      /take --transpose NN/,
    ],
  ])('%s', (_, action, message) => {
    expect(action).toThrow(message);
  });
});

describe('a package that is installed without what computes', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pi-bench-bare-'));
    writePackage(folder, '@tensorflow/tfjs-node', 'throw new Error("never loaded")', '4.22.0');
    writePackage(folder, 'onnxruntime-node', 'throw new Error("never loaded")', '1.30.0');
    process.env[FRAMEWORKS_FROM] = folder;
  });
  afterAll(() => {
    delete process.env[FRAMEWORKS_FROM];
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused with the step that is missing', () => {
    expect(check('tfjs:tensorflow', 'float32')).toThrow(
      /installed without its native binding.*npm rebuild @tensorflow\/tfjs-node$/,
    );
    expect(check('onnxruntime', 'float32')).toThrow(/has no build for/);
  });

  it('is identified as far as it goes', () => {
    expect(findStack('tfjs').identify('tensorflow', 'cpu')).toMatchObject({ version: null, sha256: null });
  });
});

describe('a backend that computes on a GPU', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pi-bench-cuda-'));
    writePackage(folder, 'onnxruntime-node', 'throw new Error("never loaded")', '1.30.0');
    const place = join(folder, 'node_modules/onnxruntime-node/bin/napi-v6', process.platform, process.arch);
    mkdirSync(place, { recursive: true });
    for (const name of ['libonnxruntime.so.1', 'libonnxruntime_providers_cuda.so'])
      writeFileSync(join(place, name), name);
    process.env[FRAMEWORKS_FROM] = folder;
  });
  afterAll(() => {
    delete process.env[FRAMEWORKS_FROM];
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what the framework’s name means on a GPU, and not on the CPU', () => {
    expect(onGpu('onnxruntime')).not.toThrow();
    expect(onGpu('onnxruntime:cuda', 'float64')).not.toThrow();
    const { framework, identify } = findStack('onnxruntime');
    expect(framework?.job(null, 1, 'cuda:1')).toMatchObject({ backend: 'cuda' });
    expect(framework?.job(null, 1, 'numa:0')).toMatchObject({ backend: 'cpu' });
    expect(identify(null, 'cuda:1').file).toBe('libonnxruntime_providers_cuda.so');
    expect(identify(null, 'cpu').file).toBe('libonnxruntime.so.1');
  });

  it.each([
    ['on the CPU', check('onnxruntime:cuda', 'float32'), /computes on a GPU: add --device cuda:0$/],
    [
      'a backend of the CPU there',
      onGpu('tfjs:wasm'),
      /--stack tfjs:wasm computes on the CPU; on cuda:0 there is tfjs:tensorflow-gpu$/,
    ],
    ['a data type', onGpu('onnxruntime', 'bfloat16'), /it has float32, float64$/],
    [
      'TF32, which it would take without being asked',
      onGpu('onnxruntime', 'tf32'),
      /it has float32, float64$/,
    ],
    ['cold caches', onGpu('onnxruntime', 'float32', { cache: 'cold' }), /leave --cache cold out/],
    [
      'without its packages',
      onGpu('tfjs'),
      /--stack tfjs cannot be measured yet: npm install @tensorflow\/tfjs-node-gpu@4\.22\.0$/,
    ],
  ])('is refused %s', (_, action, message) => {
    expect(action).toThrow(message);
  });

  it('is among those that can be measured, and what others need is said', () => {
    expect(findStack('onnxruntime').variants().here).toEqual(['cpu', 'cuda']);
    const missing = findStack('tfjs').framework?.missing();
    expect(missing?.find(({ variant }) => variant === 'tensorflow-gpu')?.needed).toMatch(/^npm install/);
  });

  it('that was installed without its CUDA provider says how it comes', () => {
    const place = join(folder, 'node_modules/onnxruntime-node/bin/napi-v6', process.platform, process.arch);
    rmSync(join(place, 'libonnxruntime_providers_cuda.so'));
    expect(onGpu('onnxruntime')).toThrow(/without its CUDA provider.*: npm rebuild onnxruntime-node$/);
  });
});

it('threads are those of the case that a backend can use', () => {
  expect(findStack('tfjs').framework?.job('cpu', 4, 'cpu')).toMatchObject({ backend: 'cpu', threads: 1 });
  expect(findStack('onnxruntime').framework?.job(null, 4, 'cpu')).toMatchObject({
    backend: 'cpu',
    threads: 4,
  });
});

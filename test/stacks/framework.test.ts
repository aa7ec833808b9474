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
      writeFileSync(join(place, name), '');
    process.env[FRAMEWORKS_FROM] = folder;
  });
  afterAll(() => {
    delete process.env[FRAMEWORKS_FROM];
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused for that, although all of it is installed', () => {
    expect(check('onnxruntime:cuda', 'float32')).toThrow(/cannot be measured yet: it computes on a GPU/);
  });

  it('is listed with that, and neither as one that can be measured nor with something to install', () => {
    const runtime = findStack('onnxruntime');
    expect(runtime.variants().here).toEqual(['cpu']);
    expect(runtime.framework?.missing()).toEqual([
      expect.objectContaining({ variant: 'cuda', needed: expect.stringMatching(/^it computes on a GPU/) }),
    ]);
    const gpu = findStack('tfjs')
      .framework?.missing()
      .find(({ variant }) => variant === 'tensorflow-gpu');
    expect(gpu?.needed).not.toMatch(/npm/);
  });
});

it('threads are those of the case that a backend can use', () => {
  expect(findStack('tfjs').framework?.job('cpu', 4)).toMatchObject({ backend: 'cpu', threads: 1 });
  expect(findStack('onnxruntime').framework?.job(null, 4)).toMatchObject({ backend: 'cpu', threads: 4 });
});

/** Who computes in a session: the real ONNX Runtime, made to compute elsewhere than it was asked to. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { matmulModel } from '../../src/frameworks/onnx-model.js';
import { type Asked, provenSession, type Runtime } from '../../src/frameworks/onnx-session.js';
import { frameworksProject } from '../support/frameworks.js';

let project: ReturnType<typeof frameworksProject>;
beforeAll(() => {
  project = frameworksProject();
}, 300_000);

/** Where profiles are written meanwhile. */
let scratch = '';
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'pi-bench-sessions-'));
  vi.stubEnv('TMPDIR', scratch);
});
afterEach(() => {
  vi.unstubAllEnvs();
  // Whatever came of it, none of them is left behind; ONNX Runtime's own telemetry is not ours.
  expect(readdirSync(scratch).filter((name) => name.startsWith('pi-bench'))).toEqual([]);
  rmSync(scratch, { recursive: true, force: true });
});

function runtimeOf(context: TestContext): Runtime {
  if (project.folder === null) return context.skip(project.why);
  return createRequire(join(project.folder, 'package.json'))('onnxruntime-node') as Runtime;
}

const PRODUCT = {
  m: 2,
  n: 2,
  k: 3,
  transposeA: false,
  transposeB: false,
  batch: 1,
  dtype: 'float32',
} as const;
const A = Float32Array.of(1, 2, 3, 4, 5, 6);
const B = Float32Array.of(1, 0, 0, 1, 1, 1);
const C = [4, 5, 10, 11];

/** As the adapter asks for a product of constants, on the only provider that there is here. */
function asked(runtime: Runtime, provider: string, more: object = {}): { asked: Asked; c: Float32Array } {
  const c = new Float32Array(4).fill(Number.NaN);
  return {
    c,
    asked: {
      model: matmulModel(PRODUCT, 'constants'),
      options: {
        executionProviders: ['cpu'],
        graphOptimizationLevel: 'disabled',
        externalData: [
          { path: 'A', data: new Uint8Array(A.buffer) },
          { path: 'B', data: new Uint8Array(B.buffer) },
        ],
        ...more,
      },
      feeds: {},
      fetches: { C: new runtime.Tensor('float32', c, [2, 2]) },
      result: c,
      operator: 'MatMul',
      provider,
    },
  };
}

describe('a session', () => {
  it('is taken where the provider that was asked computes, in each of its runs', async (context) => {
    const runtime = runtimeOf(context);
    const { asked: one, c } = asked(runtime, 'CPUExecutionProvider');
    const session = await provenSession(runtime, one);
    expect([...c]).toEqual(C);
    c.fill(Number.NaN);
    await session.run(one.feeds, one.fetches);
    expect([...c]).toEqual(C);
    await session.release();
  });

  it('is refused where the CPU computed in the place of the GPU', async (context) => {
    const runtime = runtimeOf(context);
    const { asked: one } = asked(runtime, 'CUDAExecutionProvider');
    await expect(provenSession(runtime, one)).rejects.toThrow(
      'CUDAExecutionProvider was asked, and CPUExecutionProvider has computed the MatMul',
    );
  });

  it('is refused where a run says that it is done before it is', async (context) => {
    const runtime = runtimeOf(context);
    const { asked: one } = asked(runtime, 'CPUExecutionProvider');
    let runs = 0;
    const create = async (model: Uint8Array, options: object) => {
      const session = await runtime.InferenceSession.create(model, options);
      const run: typeof session.run = async (...given) => (runs++ === 0 ? session.run(...given) : {});
      return { run, endProfiling: () => session.endProfiling(), release: () => session.release() };
    };
    await expect(provenSession({ ...runtime, InferenceSession: { create } }, one)).rejects.toThrow(
      /ended before its result was there/,
    );
  });

  it('is refused where the product was computed once and for all while it was made', async (context) => {
    const runtime = runtimeOf(context);
    const { asked: one } = asked(runtime, 'CPUExecutionProvider', { graphOptimizationLevel: 'all' });
    await expect(provenSession(runtime, one)).rejects.toThrow(/executed no MatMul/);
  });

  it('is not even made where the CPU would have to help out and may not', async (context) => {
    const runtime = runtimeOf(context);
    const { asked: one } = asked(runtime, 'CUDAExecutionProvider', {
      executionProviders: [],
      extra: { session: { disable_cpu_ep_fallback: '1' } },
    });
    await expect(provenSession(runtime, one)).rejects.toThrow(
      /fallback to CPU EP has been explicitly disabled/,
    );
  });
});

/**
 * Frameworks that are asked for a GPU, on a driver that is a fake. The ONNX Runtime is the real one, which has no CUDA here; where a
 * test needs it to have some, its package is a wrapper that says so and computes on the CPU. No GPU has run any of this.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import type { Survey } from '../../src/stacks/survey.js';
import type { GpuTelemetry } from '../../src/telemetry/gpu.js';
import { fakeEnvironment, fakeGpu } from '../support/fake-gpu.js';
import { frameworksProject, writePackage } from '../support/frameworks.js';
import { campaignFolder, piBenchIn, readInspectionFile, withFolder } from '../support/pi-bench.js';

const PROVIDER = 'libonnxruntime_providers_cuda.so';

let scratch = '';
let real: ReturnType<typeof frameworksProject>;
beforeAll(() => {
  fakeGpu();
  real = frameworksProject();
  scratch = mkdtempSync(join(tmpdir(), 'pi-bench-frameworks-gpu-'));
}, 420_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function realProject(context: TestContext): string {
  return real.folder ?? context.skip('why' in real ? real.why : '');
}

/** The folder of a package in which its libraries lie. */
function librariesOf(folder: string): string {
  const bin = join(folder, 'bin');
  const [version = 'napi-v6'] = readdirSync(bin).filter((name) => name.startsWith('napi-v'));
  return join(bin, version, process.platform, process.arch);
}

/** A project with the real ONNX Runtime, beside whose library lies a CUDA provider that nobody can load. */
function withBrokenProvider(context: TestContext): string {
  const modules = join(realProject(context), 'node_modules');
  const project = join(scratch, 'broken');
  const folder = join(project, 'node_modules', 'onnxruntime-node');
  try {
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(join(modules, 'onnxruntime-common'), join(project, 'node_modules', 'onnxruntime-common'));
  } catch {
    return project;
  }
  // Links where they can be made: it is large. The library looks for its providers where it lies itself.
  const from = join(modules, 'onnxruntime-node');
  if (spawnSync('cp', ['-rl', from, folder]).status !== 0) spawnSync('cp', ['-r', from, folder]);
  writeFileSync(join(librariesOf(folder), PROVIDER), 'no library');
  return project;
}

/**
 * A project whose ONNX Runtime takes the CPU where it is asked for CUDA; `says` in its profiles who computed.
 * @param beforeRun a program that comes before each run, which is asked for `fetches`; `count` is its own
 */
function withWrapper(context: TestContext, name: string, says: 'the truth' | 'CUDA', beforeRun = ''): string {
  const project = join(scratch, name);
  const theRealOne = join(withBrokenProvider(context), 'node_modules', 'onnxruntime-node');
  const rename = says === 'CUDA';
  writePackage(
    project,
    'onnxruntime-node',
    `const fs = require('node:fs');
     const path = require('node:path');
     const real = require(${JSON.stringify(theRealOne)});
     let count = 0;
     const create = async (model, options) => {
       const [{ name, deviceId }] = options.executionProviders;
       if (name !== 'cuda' || deviceId !== 0) throw new Error('asked for something else');
       const { extra, ...others } = options;
       const session = await real.InferenceSession.create(model, { ...others, executionProviders: ['cpu'] });
       return {
         run(feeds, fetches) {
           ${beforeRun}
           return session.run(feeds, fetches);
         },
         release: () => session.release(),
         endProfiling() {
           session.endProfiling();
           if (!${rename}) return;
           const folder = path.dirname(options.profileFilePrefix);
           for (const file of fs.readdirSync(folder).map((one) => path.join(folder, one)))
             fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll('CPUExecution', 'CUDAExecution'));
         },
       };
     };
     module.exports = { ...real, InferenceSession: { create } };`,
    '1.30.0',
  );
  const place = join(project, 'node_modules', 'onnxruntime-node', 'bin', 'napi-v6', process.platform);
  mkdirSync(join(place, process.arch), { recursive: true });
  writeFileSync(join(place, process.arch, PROVIDER), 'of a test');
  return project;
}

/** Of the provider's trial one, of the case's session two, then the first repetition's, and that of the call after all of them. */
const POISONED_RUNS = 5;
const FEW = ['--inspections', '1', '--reps', '20', '--warmup', '3'];

/** matmul on a framework in a project, where there are two fake GPUs. */
const onGpu = (project: string, out: string, ...args: readonly string[]) =>
  onSuchGpus('devices=2', project, out, ...args);

/** @param settings of the fake driver */
async function onSuchGpus(settings: string, project: string, out: string, ...args: readonly string[]) {
  const command = ['matmul', '--size', '48', ...FEW, '--json', '--quiet', '--out', out, ...args];
  const { CUDA_VISIBLE_DEVICES: _, ...environment } = fakeEnvironment(fakeGpu(), settings);
  const run = await piBenchIn({ cwd: project, env: environment }, ...command);
  return { run, record: run.stdout === '' ? null : (JSON.parse(run.stdout) as PiBenchRecord) };
}

describe('ONNX Runtime on a GPU', () => {
  it('is measured where it computes there, on the GPU that was asked for', (context) =>
    withFolder(async (out) => {
      const project = withWrapper(context, 'believed', 'CUDA');
      const { run, record } = await onGpu(project, out, '--device', 'cuda:1', '--stack', 'onnxruntime');
      expect(run.code, run.stderr).toBe(0);
      const [batch] = record?.batches ?? [];
      expect(batch).toMatchObject({ device: 'cuda:1', verified: 'passed', measured: 1 });
      expect(batch?.case.parameters).not.toHaveProperty('threads');
      expect(batch?.stack).toMatchObject({
        provider: 'onnxruntime',
        file: PROVIDER,
        implementation: 'MatMul, CUDA execution provider',
        timed: expect.stringMatching(/copy of C to the host, by which it is waited for/),
        environment: expect.objectContaining({ CUDA_VISIBLE_DEVICES: '1', NVIDIA_TF32_OVERRIDE: '0' }),
      });
      // How fast these threads are bounds nothing on a GPU.
      expect(batch?.inspections[0]?.ceilings).toEqual({ arithmetic: null, memory: null });
      const document = readInspectionFile(campaignFolder(out), 0);
      expect(document.clock.name).toBe('monotonic, read from JavaScript');
      const { clock, nvml } = document.telemetry.gpu as unknown as GpuTelemetry;
      expect(clock).toBeNull();
      expect(nvml).toMatchObject({ problem: null, eccUncorrected: 0 });
      expect(nvml.readings).toBeGreaterThanOrEqual(0);
    }));

  it('has no figure where the CPU computed in its place, and says who did', (context) =>
    withFolder(async (out) => {
      const project = withWrapper(context, 'fallback', 'the truth');
      const { run, record } = await onGpu(project, out, '--device', 'cuda:0', '--stack', 'onnxruntime:cuda');
      expect(run.code).toBe(2);
      expect(record?.batches[0]).toMatchObject({ rate: null, measured: 0 });
      expect(record?.batches[0]?.inspections[0]).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/CPUExecutionProvider has computed the MatMul/),
      });
    }));

  it('is watched until its output has been checked, which may be what finds an error in memory', (context) =>
    withFolder(async (out) => {
      // As many errors as there were runs into an output that was poisoned.
      const errors = `if (Number.isNaN(fetches.C.data[0]))
        process.env.PIBENCH_FAKE_GPU = 'ecc-uncorrected=' + ++count;`;
      const project = withWrapper(context, 'erring', 'CUDA', errors);
      const { run } = await onGpu(project, out, '--device', 'cuda:0', '--stack', 'onnxruntime');
      expect(run.code, run.stderr).toBe(0);
      const { telemetry, verification } = readInspectionFile(campaignFolder(out), 0);
      expect(verification).toMatchObject({ passed: true, checked: 2 * 48 * 48 });
      expect((telemetry.gpu as unknown as GpuTelemetry).nvml).toMatchObject({
        eccUncorrected: POISONED_RUNS,
      });
    }));

  it('that fails says what was counted of the GPU until then', (context) =>
    withFolder(async (out) => {
      // In the repetitions, or shortly before them.
      const fails = "if (++count === 10) throw new Error('CUDA failure 719: unspecified launch failure');";
      const project = withWrapper(context, 'failing', 'CUDA', fails);
      const settings = 'xid=48,ecc-uncorrected=2';
      const args = ['--device', 'cuda:0', '--stack', 'onnxruntime'];
      const { run, record } = await onSuchGpus(settings, project, out, ...args);
      expect(run.code).toBe(2);
      const [batch] = record?.batches ?? [];
      expect(batch?.inspections[0]).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(
          /^CUDA failure 719: .*; NVML since the launch began: XID 48, uncorrected memory errors 2$/,
        ),
      });
    }));

  it('has no figure where its CUDA provider does not load', (context) =>
    withFolder(async (out) => {
      const project = withBrokenProvider(context);
      const { run, record } = await onGpu(project, out, '--device', 'cuda:0', '--stack', 'onnxruntime');
      expect(run.code).toBe(2);
      const [batch] = record?.batches ?? [];
      expect(batch).toMatchObject({ rate: null, measured: 0, stack: { file: PROVIDER } });
      expect(batch?.inspections[0]).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/does not compute with CUDA here: .*; it takes an NVIDIA driver/),
      });
    }));
});

describe('a framework for GPUs that is not there', () => {
  it.for([
    [
      'onnxruntime',
      /--stack onnxruntime cannot be measured yet: onnxruntime-node is installed without its CUDA provider.*: npm rebuild onnxruntime-node$/m,
    ],
    ['tfjs:tensorflow-gpu', /cannot be measured yet: npm install @tensorflow\/tfjs-node-gpu@4\.22\.0$/m],
    ['tfjs:cpu', /computes on the CPU; on cuda:0 there is tfjs:tensorflow-gpu$/m],
  ] as const)('is refused before anything is launched, with what to type: %s', ([stack, message], context) =>
    withFolder(async (out) => {
      const { run } = await onGpu(realProject(context), out, '--device', 'cuda:0', '--stack', stack);
      expect(run.code).toBe(64);
      expect(run.stderr).toMatch(message);
    }));

  it('is listed with what is missing: a package, a provider that loads, a GPU', async (context) => {
    const project = withBrokenProvider(context);
    const surveyed = async (environment: NodeJS.ProcessEnv): Promise<Survey> => {
      const { stdout, stderr } = await piBenchIn({ cwd: project, env: environment }, 'stacks', '--json');
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Survey;
    };
    const there = await surveyed(fakeEnvironment(fakeGpu()));
    expect(there.here.find(({ stack }) => stack === 'onnxruntime:cuda')?.problem).toMatch(
      /does not compute with CUDA here/,
    );
    const { here, missing } = await surveyed(fakeEnvironment(fakeGpu(), 'devices=0'));
    expect(here.map(({ stack }) => stack)).not.toContain('onnxruntime:cuda');
    const needed = new Map(missing.map((one) => [one.provider, one.needed]));
    expect(needed.get('onnxruntime:cuda')).toMatch(/^an NVIDIA GPU: /);
    expect(needed.get('tfjs:tensorflow-gpu')).toMatch(/^npm install @tensorflow\/tfjs-node-gpu@/);
  });

  it('is among what doctor says to type', async (context) => {
    const { stdout } = await piBenchIn({ cwd: realProject(context) }, 'doctor', '--json');
    const { advice } = JSON.parse(stdout) as { advice: { topic: string; action: string }[] };
    const told = advice.map(({ action }) => action).join('\n');
    expect(told).toContain('tfjs:tensorflow-gpu: npm install @tensorflow/tfjs-node-gpu@4.22.0');
    expect(told).toMatch(/onnxruntime:cuda: .*npm rebuild onnxruntime-node/);
  });
});

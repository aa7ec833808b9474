/** Matrix products on frameworks in JavaScript: the real packages, and projects in which one of them goes wrong. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { coresHere } from '../../src/cli/here.js';
import { sha256 } from '../../src/record/digest.js';
import { type PiBenchRecord, type RecordBatch, written } from '../../src/record/schema.js';
import type { Survey } from '../../src/stacks/survey.js';
import { frameworksProject, writePackage } from '../support/frameworks.js';
import {
  campaignFolder,
  launcher,
  piBenchIn,
  printedRecord,
  readInspectionFile,
  readRecordFile,
  readSamples,
  start,
  until,
  withFolder,
} from '../support/pi-bench.js';
import { familyOf } from '../support/slurm/daemon.js';

let project: ReturnType<typeof frameworksProject>;
let scratch = '';
beforeAll(() => {
  project = frameworksProject();
  scratch = mkdtempSync(join(tmpdir(), 'pi-bench-frameworks-'));
}, 300_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The project that has the frameworks; without one the test is skipped. */
function real(context: TestContext): string {
  if (project.folder === null) return context.skip(project.why);
  return project.folder;
}

const SMALL = ['--size', '48', '--reps', '30', '--inspections', '2', '--warmup', '5'];
const TWO_CPUS = cpus().length > 1;
/** A CPU that may be used, as a device. */
const PART_OF_THE_CPU = `cpu:${coresHere().allowed[0]}`;

async function recordOf(cwd: string, out: string, command: readonly string[], args: readonly string[]) {
  const run = await piBenchIn({ cwd }, ...command, '--json', '--quiet', '--out', out, ...args);
  return { run, record: printedRecord(run) };
}

const nameOf = ({ asked: { stack } }: RecordBatch): string =>
  [stack.provider, stack.variant].filter((part) => part !== null).join(':');
const batchOn = (record: PiBenchRecord, name: string): RecordBatch => {
  const found = record.batches.find((batch) => nameOf(batch) === name);
  if (found === undefined) throw new Error(`no batch on ${name}`);
  return found;
};

describe('frameworks and our own kernels in one command', () => {
  it('are measured by the same rules, verified and identified', (context) =>
    withFolder(async (out) => {
      const folder = real(context);
      const stacks = 'embedded,tfjs:cpu,tfjs:wasm,onnxruntime';
      const args = [...SMALL, '--threads', '1', '--stack', stacks];
      const { run, record } = await recordOf(folder, out, ['matmul'], args);
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      expect(written.record.safeParse(record).error).toBeUndefined();
      for (const batch of record.batches) expect(batch).toMatchObject({ verified: 'passed', measured: 2 });
      const identities = {
        'tfjs:cpu': {
          version: '4.22.0',
          file: 'tf-backend-cpu.node.js',
          implementation: 'cpu, plain JavaScript',
        },
        'tfjs:wasm': {
          version: '4.22.0',
          file: 'tfjs-backend-wasm-simd.wasm',
          implementation: 'wasm, SIMD, B packed once',
        },
        onnxruntime: {
          version: '1.30.0',
          file: expect.stringMatching(/^libonnxruntime\.so/),
          implementation: 'MatMul, CPU execution provider',
        },
      };
      for (const [name, identity] of Object.entries(identities)) {
        const { stack, inspections } = batchOn(record, name);
        expect(stack).toMatchObject({ ...identity, threadBinding: 'each', threads: { set: 1 } });
        expect(stack.sha256).toBe(sha256(readFileSync(stack.path ?? '')));
        expect(Object.values(stack.packages ?? {})).toContain(identity.version);
        const [first] = inspections;
        expect(first?.ceilings?.arithmetic?.rate).toBeGreaterThan(0);
        const document = readInspectionFile(campaignFolder(out), first?.index ?? -1);
        expect(document.clock.name).toBe('monotonic, read from JavaScript');
        expect(document.warmup.calls).toBe(5);
        expect(document.cpus).toHaveLength(1);
        // All of what the repetitions left, and all of what one call more leaves.
        expect(document.verification?.checked).toBe(2 * 48 * 48);
        expect(readSamples(campaignFolder(out), document.index).seconds).toHaveLength(30);
        // Spans add up to the launch: nothing of it is unaccounted for.
        expect(document.spans.map(({ name: span }) => span)).toEqual(
          expect.arrayContaining(['allocate', 'open', 'fill', 'warm-up', 'measure', 'verify']),
        );
      }
    }));

  it('with more threads than a backend can use say how many are there', (context) =>
    withFolder(async (out) => {
      const folder = real(context);
      if (!TWO_CPUS) return context.skip('there is one CPU');
      const args = ['--size', '256', '--reps', '10', '--inspections', '1', '--warmup', '3', '--threads', '2'];
      const { record } = await recordOf(
        folder,
        out,
        ['matmul'],
        [...args, '--stack', 'tfjs:wasm,onnxruntime'],
      );
      expect(batchOn(record, 'tfjs:wasm').stack.implementation).toBe(
        'wasm, SIMD, B packed once, 1 of 2 threads there',
      );
      const { stack, verified } = batchOn(record, 'onnxruntime');
      expect(verified).toBe('passed');
      expect(stack).toMatchObject({ implementation: 'MatMul, CPU execution provider', threads: { set: 2 } });
      expect(stack.threads?.found).toBeGreaterThanOrEqual(2);
    }));

  it.for([
    ['tfjs:wasm', ['--dtype', 'float32', '--transpose', 'TN,TT', '--batch', '1,3']],
    ['onnxruntime', ['--dtype', 'float32,float64', '--transpose', 'NT,TN']],
    ['onnxruntime', ['--dtype', 'float32,float64,int8', '--batch', '3', '--device', PART_OF_THE_CPU]],
  ] as const)('%s multiplies every shape that it takes, rightly: %j', ([stack, shapes], context) =>
    withFolder(async (out) => {
      const folder = real(context);
      const few = ['--reps', '5', '--inspections', '1', '--warmup', '2', '--threads', '1'];
      const args = ['--m', '7', '--n', '19', '--k', '33', ...few, ...shapes, '--stack', stack];
      const { run, record } = await recordOf(folder, out, ['sweep', 'matmul'], args);
      expect(run.stderr).toBe('');
      expect(record.batches.length).toBeGreaterThan(2);
      for (const { verified, inspections } of record.batches) {
        expect(verified).toBe('passed');
        // Without, nobody would see that it is faster than the CPU.
        expect(inspections[0]?.ceilings?.arithmetic?.rate).toBeGreaterThan(0);
      }
    }));
});

/** In a project: TensorFlow.js and its backends, of which this program changes the core, `tf`. */
function changedTensorFlow(project: string, installed: string, changes: string): string {
  const theRealOne = (name: string) => `require(${JSON.stringify(join(installed, name))})`;
  const core = '@tensorflow/tfjs-core';
  writePackage(project, core, `const tf = ${theRealOne(core)}; ${changes}`);
  for (const name of ['cpu', 'wasm']) {
    const backend = `@tensorflow/tfjs-backend-${name}`;
    writePackage(project, backend, `module.exports = ${theRealOne(backend)};`);
  }
  const place = join(project, 'node_modules', '@tensorflow');
  const program = join('tfjs-backend-cpu', 'dist', 'tf-backend-cpu.node.js');
  mkdirSync(dirname(join(place, program)));
  copyFileSync(join(installed, '@tensorflow', program), join(place, program));
  return place;
}

describe('a framework that goes wrong', () => {
  it('ends its own stack only, with the reason in the record', (context) =>
    withFolder(async (out) => {
      const installed = join(real(context), 'node_modules');
      const project = join(scratch, 'wrong');
      // Its products are a thousandth too large.
      const larger =
        'module.exports = { ...tf, matMul: (...operands) => tf.mul(tf.matMul(...operands), 1.001) };';
      const place = changedTensorFlow(project, installed, larger);
      // And no WebAssembly: TensorFlow.js would go on in plain JavaScript.
      const wasmFile = join(place, 'tfjs-backend-wasm', 'wasm-out', 'tfjs-backend-wasm-simd.wasm');
      mkdirSync(dirname(wasmFile));
      writeFileSync(wasmFile, 'no WebAssembly');
      const args = [...SMALL, '--threads', '1', '--stack', 'embedded,tfjs:cpu,tfjs:wasm'];
      const { run, record } = await recordOf(project, out, ['matmul'], args);
      expect(run.code).toBe(3);
      expect(batchOn(record, 'embedded')).toMatchObject({ measured: 2, verified: 'passed' });
      const cpu = batchOn(record, 'tfjs:cpu');
      expect(cpu).toMatchObject({ rate: null, verified: 'failed' });
      expect(cpu.inspections.map(({ status }) => status)).toEqual(['wrong', 'wrong']);
      const wasm = batchOn(record, 'tfjs:wasm');
      expect(wasm).toMatchObject({ rate: null, measured: 0 });
      for (const { status, reason } of wasm.inspections) {
        expect(status).toBe('failed');
        expect(reason).toMatch(/could not initialise its backend wasm/);
      }
    }));

  it('that makes its threads in its first call has them counted without a warm-up, too', (context) =>
    withFolder(async (out) => {
      const installed = join(real(context), 'node_modules');
      if (!TWO_CPUS) return context.skip('there is one CPU');
      const project = join(scratch, 'late');
      const late =
        "const { Worker } = require('node:worker_threads'); let other = null; module.exports = { ...tf, matMul: (...operands) => { other ??= new Worker('setInterval(() => {}, 1e6)', { eval: true }); other.unref(); return tf.matMul(...operands); } };";
      changedTensorFlow(project, installed, late);
      const args = [
        '--size',
        '48',
        '--reps',
        '5',
        '--inspections',
        '1',
        '--threads',
        '2',
        '--stack',
        'tfjs:cpu',
      ];
      for (const warmup of ['0', '3']) {
        const { record } = await recordOf(project, out, ['matmul'], [...args, '--warmup', warmup]);
        const { stack, verified } = batchOn(record, 'tfjs:cpu');
        expect([warmup, verified, stack.threads?.found]).toEqual([warmup, 'passed', 2]);
      }
    }));

  it('is found out where all repetitions together have computed C, and none of them by itself', (context) =>
    withFolder(async (out) => {
      const installed = join(real(context), 'node_modules');
      // Each call computes one half; the other lies there from the call before.
      const halves = `
        let memory;
        let half = 0;
        const fill = (...given) => {
          const filled = tf.fill(...given);
          memory = filled.dataSync().slice();
          return filled;
        };
        const matMul = (...operands) => {
          const whole = tf.matMul(...operands);
          const computed = whole.dataSync();
          memory ??= new Float32Array(computed.length);
          half = 1 - half;
          const begin = (half * computed.length) / 2;
          memory.set(computed.subarray(begin, begin + computed.length / 2), begin);
          whole.dispose();
          return tf.tensor(memory.slice(), whole.shape);
        };
        module.exports = { ...tf, fill, matMul };`;
      const project = join(scratch, 'halves');
      changedTensorFlow(project, installed, halves);
      const few = ['--size', '48', '--reps', '30', '--inspections', '1', '--warmup', '5'];
      const args = [...few, '--threads', '1', '--stack', 'tfjs:cpu'];
      const { run, record } = await recordOf(project, out, ['matmul'], args);
      expect(run.code).toBe(3);
      const [batch] = record.batches;
      expect(batch).toMatchObject({ rate: null, verified: 'failed' });
      const { verification } = readInspectionFile(campaignFolder(out), 0);
      expect(verification).toMatchObject({ passed: false, checked: 2 * 48 * 48, wrong: (48 * 48) / 2 });
    }));

  it('keeps what was measured when it is stopped', (context) =>
    withFolder(async (out) => {
      const folder = real(context);
      const what = `matmul --size 96 --reps 1000000 --inspections 1 --threads 1 --warmup 5 --stack tfjs:wasm --out ${out}`;
      // In a terminal a campaign says which repetition is measured.
      const command = `stty cols 200; exec ${process.execPath} ${launcher} ${what}`;
      const { child, stdout, ended } = start('script', ['-qec', command, '/dev/null'], folder);
      try {
        await until(() => (/repetition [1-9]/.test(stdout()) ? true : undefined), 'repetitions');
        process.kill(await until(() => familyOf(child.pid ?? 0)[1], 'the campaign'), 'SIGINT');
        expect((await ended).code).toBe(130);
      } finally {
        child.kill('SIGKILL');
      }
      const record = readRecordFile(campaignFolder(out));
      expect(record.batches[0]?.inspections[0]).toMatchObject({
        status: 'interrupted',
        verification: { passed: true },
      });
    }));
});

describe('a framework that is not there', () => {
  const refusal = async (...args: string[]): Promise<string> => {
    const empty = mkdtempSync(join(tmpdir(), 'pi-bench-empty-'));
    try {
      const { code, stderr } = await piBenchIn({ cwd: empty }, 'matmul', '--size', '8', ...args);
      expect(code).toBe(64);
      return stderr;
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  };

  it('is refused before anything is launched, with what to type', async () => {
    const expected: readonly (readonly [string, RegExp])[] = [
      [
        'onnxruntime',
        /--stack onnxruntime cannot be measured yet: ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node$/m,
      ],
      [
        'tfjs:tensorflow',
        /--stack tfjs:tensorflow cannot be measured yet: npm install @tensorflow\/tfjs-node@/,
      ],
      ['tfjs', /has several backends: say which, tfjs:cpu, tfjs:wasm/],
      ['tfjs:metal', /--stack tfjs:metal is unknown; there is tfjs:cpu/],
    ];
    const said = await Promise.all(expected.map(([stack]) => refusal('--stack', stack)));
    for (const [i, [, message]] of expected.entries()) expect(said[i]).toMatch(message);
  });

  it('is listed with what would be needed', async (context) => {
    const folder = real(context);
    const run = await piBenchIn({ cwd: folder }, 'stacks', '--json');
    const { here, missing } = JSON.parse(run.stdout) as Survey;
    const ours = here.filter(({ identity }) => ['tfjs', 'onnxruntime'].includes(identity.provider));
    expect(ours.map(({ stack, problem }) => [stack, problem])).toEqual([
      ['tfjs:cpu', null],
      ['tfjs:wasm', null],
      ['onnxruntime', null],
    ]);
    expect(ours.map(({ dtypes }) => dtypes)).toEqual([
      ['float32'],
      ['float32'],
      ['float32', 'float64', 'int8'],
    ]);
    const needed = new Map(missing.map((one) => [one.provider, one.needed]));
    expect(needed.get('tfjs:tensorflow')).toMatch(/^npm install/);
    expect(needed.get('onnxruntime:cuda')).toMatch(/npm rebuild onnxruntime-node$/);
  });
});

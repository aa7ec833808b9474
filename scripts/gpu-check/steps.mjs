// The steps of the GPU check: each returns what it found, and what of it is wrong.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/tree.mjs';
import { piBench, summaryOf, trouble } from './pi-bench.mjs';

const DEVICE = ['--device', 'cuda:0'];
const KERNELS = join(packageRoot, 'build', 'plugins', 'cuda');
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Products of shapes that fit no tile, in every data type and by every engine: all verified. */
export function correctness() {
  const wrong = [];
  let right = 0;
  const shapes = [
    ['64', '64', '64'],
    ['333', '129', '257'],
    ['1024', '512', '2048'],
    ['1', '4096', '64'],
  ];
  const types = ['float32', 'float64', 'tf32', 'float16', 'bfloat16', 'float8_e4m3', 'int8'];
  const few = ['--inspections', '1', '--reps', '2', '--warmup', '1'];
  for (const [m, n, k] of shapes) {
    const given = piBench(
      'sweep',
      'matmul',
      ...DEVICE,
      '--m',
      m,
      '--n',
      n,
      '--k',
      k,
      '--dtype',
      types.join(','),
      ...few,
    );
    const why = trouble(given);
    right += given.record?.batches.filter(({ verified }) => verified === 'passed').length ?? 0;
    if (why !== null) wrong.push(`${m} x ${n} x ${k}: ${why}`);
  }
  // The warp's instruction too, where the device would take the warpgroup's.
  const warp = piBench(
    'sweep',
    'matmul',
    ...DEVICE,
    '--size',
    '768',
    '--stack',
    'embedded:mma',
    '--dtype',
    types.slice(2).join(','),
    ...few,
  );
  const why = trouble(warp);
  right += warp.record?.batches.filter(({ verified }) => verified === 'passed').length ?? 0;
  if (why !== null) wrong.push(`mma: ${why}`);
  return { right, wrong };
}

const TABLE = [
  { dtype: 'bfloat16', size: '4096,8192' },
  { dtype: 'float32', size: '8192' },
  { dtype: 'float64', size: '8192' },
  { dtype: 'tf32', size: '8192' },
  { dtype: 'float16', size: '8192' },
  { dtype: 'float8_e4m3', size: '8192' },
  { dtype: 'int8', size: '8192' },
];

/** Products of ours beside the libraries', interleaved launches. */
export function products(asked = TABLE) {
  const found = libraries();
  const measuring = ['--inspections', '2', '--reps', '30', '--warmup', '1s'];
  const rows = [];
  const wrong = [];
  for (const { dtype, size } of asked) {
    // One of the two libraries is enough where time is short; bfloat16 is what they are compared by.
    const stacks = ['embedded', ...found.filter((name) => name === 'cublaslt' || dtype === 'bfloat16')];
    const given = piBench(
      'sweep',
      'matmul',
      ...DEVICE,
      '--size',
      size,
      '--dtype',
      dtype,
      '--stack',
      stacks.join(','),
      ...measuring,
    );
    const why = trouble(given);
    if (why !== null) wrong.push(`${dtype} ${size}: ${why}`);
    for (const batch of given.record?.batches ?? [])
      rows.push({ dtype, size: batch.case.parameters.m, ...summaryOf(batch), overhead: overheadOf(given) });
  }
  return { rows, wrong, libraries: found };
}

/** Which of NVIDIA's libraries are here. */
function libraries() {
  return ['cublas', 'cublaslt'].filter((stack) => {
    const { code, stderr } = piBench(
      'matmul',
      ...DEVICE,
      '--size',
      '256',
      '--stack',
      stack,
      '--inspections',
      '1',
      '--reps',
      '2',
      '--warmup',
      '1',
    );
    if (code !== 0) process.stderr.write(`gpu-check: ${stack} is not measured: ${stderr}\n`);
    return code === 0;
  });
}

/** Of the host, for each repetition: what the clocks differ by, and what enqueueing took. */
function overheadOf({ documents }) {
  const clocks = documents.flatMap(({ telemetry }) => telemetry.gpu?.clock ?? []);
  const samples = clocks.reduce((sum, clock) => sum + clock.samples, 0);
  if (samples === 0) return null;
  const total = (name) => clocks.reduce((sum, clock) => sum + clock[name], 0);
  return {
    waiting: (total('hostSeconds') - total('deviceSeconds')) / samples,
    enqueueing: total('enqueueSeconds') / samples,
    hostOverDevice: total('hostSeconds') / total('deviceSeconds'),
  };
}

/** What the device's memory, its links and its launches give, and what its arithmetic reaches in registers. */
export function others() {
  const asked = {
    peak: ['--inspections', '2', '--warmup', '500ms'],
    memory: ['--inspections', '1', '--warmup', '300ms'],
    'kernel-launch': ['--inspections', '2', '--warmup', '300ms'],
  };
  const rows = {};
  const wrong = [];
  for (const [indicator, flags] of Object.entries(asked)) {
    const given = piBench(indicator, ...DEVICE, ...flags);
    const why = trouble(given);
    if (why !== null) wrong.push(`${indicator}: ${why}`);
    rows[indicator] = (given.record?.batches ?? []).map((batch) => ({
      parameters: batch.case.parameters,
      ...summaryOf(batch),
    }));
  }
  return { rows, wrong };
}

/** The same kernel, timed by pi-bench and by a program that shares nothing with it, in turn. */
export function timing(program) {
  const SIZE = '4096';
  const REPETITIONS = '50';
  const rounds = [];
  for (let round = 0; round < 3; ++round) {
    const given = piBench(
      'matmul',
      ...DEVICE,
      '--size',
      SIZE,
      '--dtype',
      'float32',
      '--stack',
      'embedded:scalar',
      '--inspections',
      '1',
      '--reps',
      REPETITIONS,
      '--warmup',
      '100',
    );
    const done = spawnSync(program, [KERNELS, SIZE, REPETITIONS], { encoding: 'utf8' });
    const ours = given.record?.batches[0]?.elapsed?.median ?? null;
    const theirs = done.status === 0 ? Number(done.stdout) : null;
    if (ours === null || theirs === null)
      return { rounds, ratio: null, wrong: [trouble(given) ?? `the independent timer: ${done.stderr}`] };
    rounds.push({ ours, theirs });
  }
  return { rounds, ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)), wrong: [] };
}

/** Seconds from the command to the first repetition, without any warm-up. */
export function firstSample() {
  const rounds = [];
  for (let round = 0; round < 3; ++round) {
    const { documents, typedAt } = piBench(
      'matmul',
      ...DEVICE,
      '--size',
      '4096',
      '--dtype',
      'bfloat16',
      '--inspections',
      '1',
      '--reps',
      '1',
      '--warmup',
      '0',
    );
    const [document] = documents;
    if (document === undefined) return { seconds: null, wrong: ['no launch left a document'] };
    const at = document.spans.findIndex(({ name }) => name === 'measure');
    // The worker says when its own code began, which is where its span `start` ends.
    const since = document.spans.slice(1, at).reduce((sum, { seconds }) => sum + seconds, 0);
    rounds.push((Date.parse(document.startedAt) - typedAt) / 1000 + since);
  }
  return { seconds: median(rounds), rounds, wrong: [] };
}

/** PyTorch's rates, where it is. */
export function pytorch() {
  const asked = [
    'bfloat16:4096',
    'bfloat16:8192',
    'float16:8192',
    'tf32:8192',
    'float32:8192',
    'float64:8192',
  ];
  const script = join('scripts', 'gpu-check', 'torch_products.py');
  const done = spawnSync('python3', [script, ...asked], {
    cwd: packageRoot,
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (done.status !== 0) return null;
  return JSON.parse(done.stdout.trim().split('\n').at(-1));
}

/** The tests that are marked gpu, where vitest is. */
export function tests() {
  const vitest = join(packageRoot, 'node_modules', 'vitest', 'vitest.mjs');
  if (!existsSync(vitest)) return { ran: false, wrong: [] };
  const done = spawnSync(process.execPath, [vitest, 'run', 'test/gpu'], {
    cwd: packageRoot,
    encoding: 'utf8',
  });
  return { ran: true, wrong: done.status === 0 ? [] : [`test/gpu: ${done.stdout.slice(-2000)}`] };
}

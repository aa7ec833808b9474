// The steps of the GPU check, in their order: each returns what it found, what of it is wrong, and what it could not do.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CUDA_FOLDER } from '../lib/cuda-kernels.mjs';
import { packageRoot } from '../lib/tree.mjs';
import { bounded } from './bounded.mjs';
import { CHECK } from './build.mjs';
import { overheadOf, rightOf, summaryOf, trouble } from './pi-bench.mjs';

const DEVICE = ['--device', 'cuda:0'];
// A launch that hangs must not cost the others: each of these takes some seconds.
const SHORT = ['--timeout', '20s'];
const LONG = ['--timeout', '40s'];
const FEW = ['--inspections', '1', '--reps', '2', '--warmup', '1', ...SHORT];
const TYPES = ['float32', 'float64', 'tf32', 'float16', 'bfloat16', 'float8_e4m3', 'int8'];
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const parsed = (line) => {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
};

/** Of this compute capability every kernel runs: one that is left out is no kernel that the device has not. */
const HAS_ALL = '9.0';

/**
 * What the program that checks every kernel by itself printed: a line for each, the last one for all.
 * @param {{ status: number | string | null, outOfTime: boolean, stdout: string, stderr: string }} done
 * @param {string | null} [capability] of the device
 */
export function kernelsOf({ status, outOfTime, stdout, stderr }, capability = null) {
  const lines = stdout.split('\n').flatMap(parsed);
  const cases = lines.filter((line) => line.case !== undefined);
  const wrong = cases
    .filter(
      ({ right, skipped }) =>
        right === false || (skipped && (capability === HAS_ALL || skipped.includes('time'))),
    )
    .map((line) => `kernel ${line.case}: ${line.skipped ?? line.wrong?.join('; ') ?? 'wrong'}`);
  if (outOfTime) wrong.push(`kernels: ${cases.length} were checked when there was no more time`);
  else if (wrong.length === 0 && status !== 0) wrong.push(`kernels: ended with ${status}: ${stderr.trim()}`);
  return { right: cases.filter(({ right }) => right === true).length, cases, wrong };
}

/**
 * Every kernel by itself, in a process each: one that hangs or faults ends alone. On shapes of several tiles for each
 * multiprocessor, which no other step has before the large products.
 */
export async function kernels({ left, gpu }) {
  const jobs = Math.min(8, availableParallelism());
  const args = ['--kernels', CUDA_FOLDER, '--untimed', '--seconds', '20', '--jobs', String(jobs)];
  return kernelsOf(await bounded(CHECK, args, { seconds: left() }), gpu.computeCapability);
}

/** Products of shapes that fit no tile, in every data type and by every engine: all verified. */
export async function correctness({ piBench }) {
  const shapes = [
    ['64', '64', '64'],
    ['333', '129', '257'],
    ['1024', '512', '2048'],
    ['1', '4096', '64'],
  ];
  const asked = [
    ...shapes.map(([m, n, k]) => [
      `${m} x ${n} x ${k}`,
      ['--m', m, '--n', n, '--k', k, '--dtype', TYPES.join(',')],
    ]),
    // The warp's instruction too, where the device would take the warpgroup's.
    ['mma', ['--size', '768', '--stack', 'embedded:mma', '--dtype', TYPES.slice(2).join(',')]],
  ];
  const wrong = [];
  let right = 0;
  for (const [what, flags] of asked) {
    const given = await piBench('sweep', 'matmul', ...DEVICE, ...flags, ...FEW);
    const why = trouble(given);
    right += rightOf(given);
    if (why !== null) wrong.push(`${what}: ${why}`);
  }
  return { right, wrong };
}

/** How long each indicator is measured that is no product. */
const OTHERS = {
  peak: ['--inspections', '2', '--warmup', '500ms'],
  // Long enough for what NVML tells twenty milliseconds apart.
  memory: ['--inspections', '2', '--warmup', '300ms', '--duration', '300ms'],
  'kernel-launch': ['--inspections', '2', '--warmup', '300ms'],
};

/** What the device's memory and its links give, what its arithmetic reaches in registers, what launches take: one of them. */
const other =
  (indicator) =>
  async ({ piBench }) => {
    const given = await piBench(indicator, ...DEVICE, ...OTHERS[indicator], ...SHORT);
    const why = trouble(given);
    const rows = (given.record?.batches ?? []).map((batch) => ({
      indicator,
      parameters: batch.case.parameters,
      ...summaryOf(batch),
    }));
    return { rows, wrong: why === null ? [] : [`${indicator}: ${why}`] };
  };

/** The same kernel, timed by pi-bench and by a program that shares nothing with it, in turn. */
export async function timing({ piBench, left, timer }) {
  if (timer === null) return { rounds: [], ratio: null, wrong: ['timing: there is no independent timer'] };
  const [SIZE, REPETITIONS] = ['4096', '50'];
  const product = ['--size', SIZE, '--dtype', 'float32', '--stack', 'embedded:scalar'];
  const measuring = ['--inspections', '1', '--reps', REPETITIONS, '--warmup', '100', ...SHORT];
  const rounds = [];
  for (let round = 0; round < 3; ++round) {
    const given = await piBench('matmul', ...DEVICE, ...product, ...measuring);
    const done = await bounded(timer, [CUDA_FOLDER, SIZE, REPETITIONS], { seconds: Math.min(20, left()) });
    const ours = given.record?.batches[0]?.elapsed?.median ?? null;
    const theirs = done.status === 0 ? Number(done.stdout) : null;
    if (ours === null || theirs === null)
      return { rounds, ratio: null, wrong: [trouble(given) ?? `the independent timer: ${done.stderr}`] };
    rounds.push({ ours, theirs });
  }
  return { rounds, ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)), wrong: [] };
}

/** Seconds from the command to the first repetition, without any warm-up. */
export async function firstSample({ piBench }) {
  const product = ['--size', '4096', '--dtype', 'bfloat16'];
  const measuring = ['--inspections', '1', '--reps', '1', '--warmup', '0', ...SHORT];
  const rounds = [];
  for (let round = 0; round < 3; ++round) {
    const { documents, typedAt } = await piBench('matmul', ...DEVICE, ...product, ...measuring);
    const [document] = documents;
    if (document === undefined) return { seconds: null, wrong: ['first sample: no launch left a document'] };
    const at = document.spans.findIndex(({ name }) => name === 'measure');
    // The worker says when its own code began, which is where its span `start` ends.
    const since = document.spans.slice(1, at).reduce((sum, { seconds }) => sum + seconds, 0);
    rounds.push((Date.parse(document.startedAt) - typedAt) / 1000 + since);
  }
  return { seconds: median(rounds), rounds, wrong: [] };
}

/** PyTorch's rates, where it is. */
export async function pytorch({ left }) {
  const asked = [
    'bfloat16:4096',
    'bfloat16:8192',
    'float16:8192',
    'tf32:8192',
    'float32:8192',
    'float64:8192',
  ];
  const script = join('scripts', 'gpu-check', 'torch_products.py');
  const done = await bounded('python3', [script, ...asked], { seconds: Math.min(60, left()) });
  const [found] = parsed(done.stdout.trim().split('\n').at(-1) ?? '');
  if (done.status === 0 && found !== undefined) return { ...found, wrong: [] };
  if (/No module named 'torch'|ENOENT/.test(`${done.stderr}${done.status}`))
    return { wrong: [], notRun: ['PyTorch, which is not here'] };
  return { wrong: [`PyTorch: ended with ${done.status}: ${done.stderr.trim().slice(-500)}`] };
}

/**
 * What vitest's TAP says of the tests that are marked gpu. One that was skipped was not run, whatever vitest ends with; where
 * others ran, it is of what the device has not.
 * @param {{ status: number | string | null, outOfTime: boolean, stdout: string, stderr: string }} done
 */
export function testsOf({ status, outOfTime, stdout, stderr }) {
  const lines = stdout.split('\n').filter((line) => /^(?:not )?ok /.test(line));
  const [skipped, run] = [true, false].map((is) => lines.filter((line) => line.includes('# SKIP') === is));
  const right = run.filter((line) => line.startsWith('ok ')).length;
  const named = (line) => line.replace(/^ok \d+ - /, '').replace(/ # SKIP.*$/, '');
  if (status === 0 && right > 0)
    return { ran: true, right, wrong: [], notRun: skipped.map((line) => `test/gpu: ${named(line)}`) };
  const ended = outOfTime ? 'there was no more time' : `ended with ${status}`;
  const said = `${stdout}${stderr}`.replaceAll(packageRoot, '.').slice(-2000);
  return { ran: run.length > 0, right, wrong: [`test/gpu: ${ended}: ${said}`], notRun: [] };
}

/** The tests that are marked gpu, where vitest is. */
export async function tests({ left }) {
  const vitest = join(packageRoot, 'node_modules', 'vitest', 'vitest.mjs');
  if (!existsSync(vitest)) return { ran: false, wrong: [], notRun: ['test/gpu: vitest is not here'] };
  const run = [vitest, 'run', 'test/gpu', '--reporter=tap-flat'];
  return testsOf(await bounded(process.execPath, run, { seconds: Math.min(90, left()) }));
}

/** Which of NVIDIA's libraries are here. What is compared with them is not measured without. */
export async function libraries({ piBench }) {
  const here = [];
  const wrong = [];
  for (const stack of ['cublas', 'cublaslt']) {
    const given = await piBench('matmul', ...DEVICE, '--size', '256', '--stack', stack, ...FEW);
    const why = trouble(given);
    if (why === null) here.push(stack);
    else wrong.push(`${stack} is not measured: ${why}`);
  }
  return { libraries: here, rows: [], wrong };
}

/** Of which cuBLAS has no product; cuBLASLt has. */
const NOT_IN_CUBLAS = 'float8_e4m3';
const WITHOUT_TARGET = ['tf32', 'float16'];

/** Products of ours beside the libraries', interleaved launches. */
export const products =
  (dtype, size) =>
  async ({ piBench, check }) => {
    const here = check.products?.libraries ?? [];
    const stacks = ['embedded', ...here.filter((name) => name !== 'cublas' || dtype !== NOT_IN_CUBLAS)];
    // Of what has no target one launch each is enough: time is short.
    const launches = WITHOUT_TARGET.includes(dtype) ? '1' : '3';
    const product = ['--size', String(size), '--dtype', dtype, '--stack', stacks.join(',')];
    const measuring = ['--inspections', launches, '--duration', '500ms', '--warmup', '1s'];
    const limit = size < 8192 ? SHORT : LONG;
    const given = await piBench('sweep', 'matmul', ...DEVICE, ...product, ...measuring, ...limit);
    const why = trouble(given);
    const rows = (given.record?.batches ?? []).map((batch) => ({
      dtype,
      size,
      ...summaryOf(batch),
      overhead: overheadOf(batch, given.documents),
    }));
    return { rows, wrong: why === null ? [] : [`${dtype} ${size}: ${why}`] };
  };

/** Each of the large products twice: its groups launched call by call, and as a graph. */
export async function graphs({ piBench, piBenchByGraph }) {
  // Long enough for some groups of half a second, the first of which also makes the graph.
  const measuring = ['--inspections', '1', '--duration', '2500ms', '--warmup', '1s', ...LONG];
  const rows = [];
  const wrong = [];
  for (const dtype of LARGE.filter((type) => !WITHOUT_TARGET.includes(type))) {
    const product = ['--size', '8192', '--dtype', dtype, '--stack', 'embedded'];
    const [called, graph] = [
      await piBench('matmul', ...DEVICE, ...product, ...measuring),
      await piBenchByGraph('matmul', ...DEVICE, ...product, ...measuring),
    ].map((given) => ({ why: trouble(given), batch: given.record?.batches[0], documents: given.documents }));
    const why = called.why ?? graph.why;
    if (why !== null) {
      wrong.push(`groups of ${dtype}: ${why}`);
      continue;
    }
    const [first] = graph.documents;
    if (!(first?.telemetry.gpu?.clock?.graphGroups > 0))
      wrong.push(`groups of ${dtype}: no graph was launched`);
    const [calls, ofGraph] = [called, graph].map(({ batch, documents }) => ({
      median: batch.elapsed.median,
      overhead: overheadOf(batch, documents),
    }));
    rows.push({ dtype, size: 8192, calls, graph: ofGraph });
  }
  return { rows, wrong };
}

const LARGE = ['bfloat16', 'float32', 'float64', 'float8_e4m3', 'int8', ...WITHOUT_TARGET];

const beside = (dtype, size) => ({
  name: `${dtype}:${size}`,
  key: 'products',
  says: `${dtype} at ${size} beside cuBLAS`,
  work: products(dtype, size),
  instead: { rows: [] },
});

/**
 * What must not be lost comes first, what takes longest last. Those of one key add to each other; by its name a step is asked
 * for alone.
 */
export const STEPS = [
  {
    name: 'kernels',
    key: 'kernels',
    says: 'every kernel by itself',
    work: kernels,
    instead: { right: 0, cases: [] },
  },
  { name: 'correctness', key: 'correctness', says: 'correctness', work: correctness, instead: { right: 0 } },
  ...Object.keys(OTHERS).map((name) => ({
    name,
    key: 'others',
    says: name,
    work: other(name),
    instead: { rows: [] },
  })),
  {
    name: 'timing',
    key: 'timing',
    says: 'timing beside an independent program',
    work: timing,
    instead: { rounds: [], ratio: null },
  },
  {
    name: 'first-sample',
    key: 'firstSample',
    says: 'time to the first sample',
    work: firstSample,
    instead: { seconds: null },
  },
  {
    name: 'libraries',
    key: 'products',
    says: 'cuBLAS and cuBLASLt',
    work: libraries,
    instead: { libraries: [], rows: [] },
  },
  beside('bfloat16', 4096),
  { name: 'tests', key: 'tests', says: 'tests marked gpu', work: tests, instead: { ran: false } },
  { name: 'pytorch', key: 'pytorch', says: 'PyTorch', work: pytorch, instead: {} },
  ...LARGE.map((dtype) => beside(dtype, 8192)),
  {
    name: 'graphs',
    key: 'graphs',
    says: 'groups launched as a graph',
    work: graphs,
    instead: { rows: [] },
  },
];

/**
 * Those that are named, or all where none is. Products are measured beside the libraries that are found before.
 * @param {readonly string[]} names
 * @throws Error of a name that no step has
 */
export function stepsNamed(names) {
  const known = STEPS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no step ${unknown}; there is ${known.join(', ')}`);
  if (names.length === 0) return STEPS;
  const products = STEPS.some(({ name, key }) => key === 'products' && names.includes(name));
  return STEPS.filter(({ name }) => names.includes(name) || (products && name === 'libraries'));
}

// What going through pi-bench costs a framework: `node framework.mjs NAME SIZE ROUNDS` calls it on the same operands as its manual
// has it and through our adapter inside our loop's timed region, in turns in random order, in one process; prints as JSON the
// seconds of a call in each turn. bench-stacks.mjs starts it several times, in a project that has the framework.
import { randomInt } from 'node:crypto';

const { openFramework } = await import('../../dist/frameworks/index.js');
const { findStack, parseStack } = await import('../../dist/stacks/index.js');
const { findPackages } = await import('../../dist/frameworks/packages.js');
const { matmulModel } = await import('../../dist/frameworks/onnx-model.js');
const { native } = await import('../../dist/native.js');

const [name = '', size = '64', rounds = '200'] = process.argv.slice(2);
const n = Number(size);
const TURN_SECONDS = 2e-3;
const { beginCall, endCall, disturbed } = native();

const { provider, variant } = parseStack(name);
const job = findStack(provider).framework.job(variant, 1, 'cpu');
const found = findPackages(job.packages);
if ('missing' in found) throw new Error(`${name} needs ${found.missing.join(', ')}`);
const packages = found;
/** @type {import('../../dist/frameworks/adapter.js').Product} */
const product = { m: n, n, k: n, transposeA: false, transposeB: false, batch: 1, dtype: 'float32' };
const random = () => Float32Array.from({ length: n * n }, () => Math.random() - 0.5);
const [a, b] = [random(), random()];
const c = new Float32Array(n * n);

const opened = await openFramework(job);
const prepare = () => opened.prepare(product, { a: a.buffer, b: b.buffer, c: c.buffer });

/** @typedef {{ dataSync(): unknown, dispose(): void }} Tensor */
/** @typedef {{ tensor(values: Float32Array, shape: number[]): Tensor, matMul(x: Tensor, y: Tensor): Tensor }} TensorFlow */
/** @typedef {{ run(feeds: object, fetches: object): Promise<unknown> }} Session */
/**
 * @typedef {object} OnnxRuntime
 * @property {{ create(model: Uint8Array, options: object): Promise<Session> }} InferenceSession
 * @property {new (type: string, values: Float32Array, shape: number[]) => object} Tensor
 */

/**
 * The call as it stands in the framework's manual.
 * @returns {Promise<() => unknown>}
 */
async function directCall() {
  if (provider === 'tfjs') {
    const tf = /** @type {TensorFlow} */ (packages.load('@tensorflow/tfjs-core'));
    const [x, y] = [tf.tensor(a, [n, n]), tf.tensor(b, [n, n])];
    return () => {
      const z = tf.matMul(x, y);
      z.dataSync();
      z.dispose();
    };
  }
  const ort = /** @type {OnnxRuntime} */ (packages.load('onnxruntime-node'));
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' };
  const session = await ort.InferenceSession.create(matmulModel(product), options);
  const tensor = (data) => new ort.Tensor('float32', data, [n, n]);
  const [feeds, fetches] = [{ A: tensor(a), B: tensor(b) }, { C: tensor(new Float32Array(n * n)) }];
  return () => session.run(feeds, fetches);
}

/** Both await what there is to await; ours has the two readings of the clock and the wire around it too. */
async function directTurn(call, calls) {
  const begin = endCall();
  for (let i = 0; i < calls; ++i) {
    const pending = call();
    if (pending !== undefined) await pending;
  }
  return ((endCall() - begin) * 1e-9) / calls;
}
async function throughTurn({ run }, calls) {
  let inside = 0;
  for (let i = 0; i < calls; ++i) {
    const entry = beginCall();
    const pending = run();
    if (pending !== undefined) await pending;
    inside += endCall() - entry;
    disturbed();
  }
  return (inside * 1e-9) / calls;
}

// Where operands come to lie makes a difference of a percent: which of the two is first is drawn for each launch.
let direct;
let prepared;
if (randomInt(2) === 0) {
  direct = await directCall();
  prepared = await prepare();
} else {
  prepared = await prepare();
  direct = await directCall();
}
for (const until = endCall() + 5e8; endCall() < until; ) {
  await directTurn(direct, 5);
  await throughTurn(prepared, 5);
}
const calls = Math.max(1, Math.round(TURN_SECONDS / (await directTurn(direct, 20))));
const seconds = { direct: [], through: [] };
for (let round = 0; round < Number(rounds); ++round) {
  const first = randomInt(2) === 0;
  if (first) seconds.direct.push(await directTurn(direct, calls));
  seconds.through.push(await throughTurn(prepared, calls));
  if (!first) seconds.direct.push(await directTurn(direct, calls));
}
process.stdout.write(JSON.stringify(seconds), () => process.exit(0));

// Calls every operation, data type and operator of Gloo, in place and out of place, of one to four ranks; then with a fault
// each. Prints one line of JSON: how many cases there were, those whose results were wrong, and what was said
// of each fault. LIBRARY PLUGIN as arguments.

import { createRequire } from 'node:module';
import { shortJob } from './short-job.mjs';

const addon = createRequire(import.meta.url)('../../build/Release/pibench.node');
const [library, plugin] = process.argv.slice(2);

const REDUCED = ['float32', 'float64', 'float16', 'int8', 'uint8', 'int32', 'uint32', 'int64', 'uint64'];
const MOVED = ['bfloat16', 'float8_e4m3'];
const REDOPS = ['sum', 'prod', 'min', 'max'];
const MOVING = ['all-gather', 'broadcast', 'gather', 'scatter', 'all-to-all', 'send-recv'];

const plain = {
  ...{ transport: 'gloo', library, plugin, ranks: 2, workers: 'processes', cpus: [], isa: '', seed: 3 },
  ...{
    operation: 'all-reduce',
    dtype: 'float32',
    redop: 'sum',
    pattern: 'ring',
    root: 0,
    inPlace: 0,
    count: 5000,
  },
  ...{ sync: 'barrier', fresh: 1, algorithm: '', patienceSeconds: 20 },
};
/** So long a rank is waited for that never comes; one that comes may be late where others run as well. */
const patienceOf = { 'absent-rank': 2 };

function* cases() {
  const few = { ...plain, count: 37 };
  for (const dtype of REDUCED) for (const redop of REDOPS) yield { ...few, dtype, redop };
  for (const operation of ['reduce', 'reduce-scatter']) {
    const inPlace = Number(operation === 'reduce-scatter');
    for (const dtype of REDUCED) yield { ...few, operation, inPlace, dtype };
    for (const redop of REDOPS) yield { ...few, operation, inPlace, redop };
  }
  for (const dtype of REDUCED) yield { ...few, operation: 'all-gather', dtype };
  for (const operation of MOVING) for (const dtype of MOVED) yield { ...few, operation, dtype };
  for (const ranks of [1, 2, 3, 4]) {
    const some = { ...plain, ranks, root: ranks - 1 };
    for (const algorithm of ['ring', 'bcube']) yield { ...some, algorithm };
    yield { ...some, algorithm: 'halving-doubling', inPlace: 1 };
    yield { ...some, operation: 'reduce-scatter', inPlace: 1 };
    for (const operation of ['all-reduce', 'reduce', 'broadcast', 'all-gather', 'gather', 'scatter'])
      for (const inPlace of [0, 1]) yield { ...some, operation, inPlace };
    if (ranks > 1) yield { ...some, operation: 'send-recv' };
    if (ranks > 1) yield { ...some, operation: 'barrier', count: 0 };
    if (ranks % 2 === 0) yield { ...some, operation: 'send-recv', pattern: 'pairs' };
  }
  yield { ...plain, sync: 'window' };
  yield { ...plain, sync: 'none', fresh: 0 };
  yield { ...plain, count: 600_001 };
}

const wrong = [];
let count = 0;
for (const parameters of cases()) {
  count += 1;
  try {
    const { verification, ranks } = await addon.inspect(shortJob('collective', parameters)).result;
    const right = verification?.passed === true && ranks.exits.length === 3 * parameters.ranks;
    if (!right) wrong.push({ ...parameters, verification });
  } catch (error) {
    wrong.push({ ...parameters, error: error.message });
  }
}

const faults = {};
for (const kind of /** @type {const} */ (['corrupt-rank', 'absent-rank', 'lost-rank'])) {
  try {
    const parameters = { ...plain, patienceSeconds: patienceOf[kind] ?? plain.patienceSeconds };
    const { verification } = await addon.inspect(
      shortJob('collective', parameters, { fault: { kind, at: 1 } }),
    ).result;
    faults[kind] = verification.passed ? 'nothing' : verification.firstWrong;
  } catch (error) {
    faults[kind] = error.message;
  }
}
process.stdout.write(`${JSON.stringify({ count, wrong, faults })}\n`);

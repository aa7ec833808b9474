// A rank of an MPI job that calls every operation, data type and operator once, in place and out of place; then one whose
// last rank alters its contribution, and one to which it never comes. Rank 0 prints one line of JSON: how many cases there
// were, those whose results were wrong, and what became of the two. LIBRARY as argument. Values of uint8 reach past 127,
// which not every library compares as what they are.

import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { shortJob } from './short-job.mjs';

const addon = createRequire(import.meta.url)('../../build/Release/pibench.node');
const world = addon.mpiOpen(process.argv[2]);
const ranks = world.size;

const REDUCED = ['float32', 'float64', 'int8', 'uint8', 'int32', 'uint32', 'int64', 'uint64'];
const DTYPES = [...REDUCED, 'bfloat16', 'float16', 'float8_e4m3'];
const REDOPS = ['sum', 'prod', 'min', 'max'];
const REDUCING = ['all-reduce', 'reduce', 'reduce-scatter'];
const ROOTED = ['reduce', 'broadcast', 'gather', 'scatter'];

const plain = {
  transport: 'mpi',
  ranks,
  sync: 'barrier',
  fresh: 1,
  algorithm: '',
  patienceSeconds: 10,
  cpus: [],
  seed: 3,
  redop: 'sum',
  pattern: 'ring',
  root: 0,
  inPlace: 0,
  dtype: 'float32',
};
const faulty = { ...plain, operation: 'all-reduce', count: 37 };

function* cases() {
  for (const operation of REDUCING)
    for (const dtype of REDUCED)
      for (const redop of REDOPS) yield { ...plain, operation, dtype, redop, count: 37 };
  const moving = ['all-gather', 'broadcast', 'gather', 'scatter', 'all-to-all', 'send-recv'];
  for (const operation of moving)
    for (const dtype of DTYPES)
      yield { ...plain, operation, dtype, count: 37, inPlace: Number(operation === 'broadcast') };
  for (const operation of ['all-reduce', 'reduce', 'all-gather', 'gather', 'scatter', 'all-to-all'])
    yield { ...plain, operation, inPlace: 1, count: 5000 };
  for (const operation of ROOTED)
    yield { ...plain, operation, root: ranks - 1, count: 5000, inPlace: Number(operation === 'broadcast') };
  if (ranks % 2 === 0) yield { ...plain, operation: 'send-recv', pattern: 'pairs', count: 5000 };
  yield { ...plain, operation: 'barrier', count: 0 };
  yield { ...plain, operation: 'all-reduce', sync: 'window', count: 5000 };
  yield { ...plain, operation: 'all-reduce', sync: 'none', fresh: 0, count: 5000 };
  yield { ...plain, operation: 'all-reduce', count: 300_000 };
}

function inspect(parameters, fault) {
  addon.mpiTell(JSON.stringify(parameters));
  return addon.inspect(shortJob('collective', parameters, { fault })).result;
}

if (world.rank === 0) {
  const wrong = [];
  let count = 0;
  for (const parameters of cases()) {
    const { verification, ranks: times } = await inspect(parameters, null);
    count += 1;
    const right = verification?.passed === true && times.exits.length === 3 * ranks;
    if (!right) wrong.push({ ...parameters, verification });
  }
  const altered = await inspect(faulty, { kind: 'corrupt-rank', at: 1 });
  const lost = await inspect({ ...faulty, patienceSeconds: 1 }, { kind: 'absent-rank', at: 1 }).then(
    () => 'it came',
    ({ message }) => message,
  );
  const said = { ranks, count, wrong, altered: altered.verification, lost };
  writeSync(1, `${JSON.stringify(said)}\n`);
  // The other is in a call for good: its launcher ends it.
  addon.leaveAtOnce(1);
} else {
  for (let text = addon.mpiListen(); text !== ''; text = addon.mpiListen()) addon.mpiFollow(JSON.parse(text));
}

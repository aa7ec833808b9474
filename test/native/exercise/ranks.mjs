// Uses collectives and overlap of ranks that are threads of the CPU.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { shortJob } from '../../support/short-job.mjs';
import { EXCHANGE, right } from './exchange.mjs';

const OVERLAP = {
  ...EXCHANGE,
  m: 40,
  n: 40,
  k: 40,
  threads: 1,
  computeCpus: [],
  computeIsa: '',
  beside: 2,
};

async function collectives(addon) {
  for (const { isa, runsHere } of addon.collectiveKernels())
    if (runsHere) await right(addon, shortJob('collective', { ...EXCHANGE, isa }, { ceilings: true }));
  for (const change of [
    { operation: 'all-to-all', ranks: 3 },
    { operation: 'broadcast', sync: 'window' },
    { sync: 'none', fresh: 0 },
  ])
    await right(addon, shortJob('collective', { ...EXCHANGE, ...change }));
  const altered = shortJob('collective', EXCHANGE, { fault: { kind: 'corrupt-rank', at: 1 } });
  assert.equal((await addon.inspect(altered).result).verification.passed, false);
  const alone = shortJob(
    'collective',
    { ...EXCHANGE, patienceSeconds: 0.5 },
    { fault: { kind: 'absent-rank', at: 1 } },
  );
  await assert.rejects(addon.inspect(alone).result, /did not arrive/);
}

async function overlaps(addon) {
  const outcome = await right(addon, shortJob('overlap', OVERLAP, { ceilings: true }));
  assert(outcome.parts);
  const gated = addon.inspect(shortJob('overlap', OVERLAP, { gate: true }));
  while (gated.progress().phase !== 'gate') await sleep(1);
  gated.openGate();
  assert.equal((await gated.result).samples.seconds.length, 3);
}

export async function exerciseRanks(addon) {
  await collectives(addon);
  await overlaps(addon);
}

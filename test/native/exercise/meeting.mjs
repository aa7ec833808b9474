// Two processes that find each other without MPI, and exchange data between the fakes of two GPUs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortJob } from '../../support/short-job.mjs';
import { EXCHANGE, right } from './exchange.mjs';

const PATIENCE_SECONDS = 60;
const EXCHANGES = ['all-reduce', 'all-gather'].map((operation) => ({
  ...EXCHANGE,
  transport: 'nccl',
  workers: 'processes',
  ordinal: 0,
  operation,
}));

/**
 * Rank 0.
 * @param {(place: string) => import('node:child_process').ChildProcess} startRank
 */
export async function meetOther(addon, startRank) {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-ranks-'));
  try {
    const place = `file:${join(folder, 'meeting')}`;
    const ended = once(startRank(place), 'exit');
    const world = addon.meetRanks(place, 0, 2, PATIENCE_SECONDS);
    assert.deepEqual([world.rank, world.size, world.hosts], [0, 2, 1]);
    for (const parameters of EXCHANGES) {
      addon.mpiTell(JSON.stringify(parameters));
      await right(addon, shortJob('collective', parameters));
    }
    assert.equal(addon.mpiWaited(), 0);
    addon.mpiTell('');
    addon.mpiEnd();
    assert.deepEqual(await ended, [0, null]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rank 1, in the process that was started. */
export function followOther(addon, place) {
  addon.dieWithParent();
  assert.equal(addon.meetRanks(place, 1, 2, PATIENCE_SECONDS).rank, 1);
  for (let text = addon.mpiListen(); text !== ''; text = addon.mpiListen()) addon.mpiFollow(JSON.parse(text));
  addon.mpiEnd();
}

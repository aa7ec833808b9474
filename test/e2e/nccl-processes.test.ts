/**
 * NCCL with a process for each rank, which find each other without MPI: on fakes of the driver and of NCCL
 * (test/native/fake-cuda). Nothing here tells of a GPU, nor of NCCL.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { type PiBenchRecord, written } from '../../src/record/schema.js';
import { fakeEnvironment, fakeGpu } from '../support/fake-gpu.js';
import { expectOneLine, startMetRank } from '../support/met-ranks.js';
import { piBenchEach, type Run, until, withFolder } from '../support/pi-bench.js';

const placeIn = (folder: string): string => `file:${join(folder, 'place')}`;

const ranksOf = (
  ranks: number,
  folder: string,
  args: readonly string[],
  settings = '',
): Promise<readonly Run[]> =>
  Promise.all(
    [...Array(ranks).keys()].map(
      (rank) => startMetRank(folder, args, { rank, ranks, place: placeIn(folder), settings }).ended,
    ),
  );

beforeAll(() => void fakeGpu(), 120_000);

describe('NCCL with a process for each rank', () => {
  it('is one case of all of them, verified; only rank 0 speaks', () =>
    withFolder(async (folder) => {
      const [first, ...others] = await ranksOf(3, folder, [
        'all-reduce',
        '--bytes',
        '8,64KiB',
        '--inspections',
        '2',
      ]);
      expect(first?.code).toBe(0);
      expect(others.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
        [0, '', ''],
        [0, '', ''],
      ]);
      const record = JSON.parse(first?.stdout ?? '') as PiBenchRecord;
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      for (const { case: one, stack, verified, measured, ranks } of record.batches) {
        expect([one.parameters.transport, one.parameters.ranks, one.parameters.workers]).toEqual([
          'nccl',
          3,
          'processes',
        ]);
        expect([verified, measured, ranks?.ranks.length]).toEqual(['passed', 2, 3]);
        expect(stack).toMatchObject({ provider: 'nccl', version: 'NCCL 2.21.5' });
        expect(stack.implementation).toMatch(/^3 GPUs, our own sockets, 3 processes on 1 host, nccl$/);
      }
      expect(existsSync(join(folder, 'place'))).toBe(false);
    }));

  it.each(['all-to-all', 'reduce-scatter'])('computes %s', (operation) =>
    withFolder(async (folder) => {
      const [first] = await ranksOf(2, folder, [operation, '--bytes', '4KiB', '--inspections', '1']);
      const { batches } = JSON.parse(first?.stdout ?? '') as PiBenchRecord;
      expect(batches.map(({ verified }) => verified)).toEqual(['passed']);
    }));

  it('computes with float8_e4m3, or says which library is too old for it', () =>
    withFolder(async (folder) => {
      const what = ['all-reduce', '--dtype', 'float8_e4m3', '--bytes', '3KiB', '--inspections', '1'];
      const [first] = await ranksOf(2, folder, what, ',nccl-version=22403');
      expect(JSON.parse(first?.stdout ?? '').batches[0].verified).toBe('passed');
      const [refused] = await ranksOf(2, folder, what);
      expect(refused?.code).toBe(2);
      const { batches } = JSON.parse(refused?.stdout ?? '') as PiBenchRecord;
      expect(batches[0]?.inspections[0]?.reason).toMatch(
        /NCCL reduces float8_e4m3 from 2\.24 on, and this is 2\.21\.5/,
      );
    }));

  it.each([
    ['refuses a call', ',nccl-fails=1', /rank \d: a call of NCCL failed: as the fake NCCL was told/],
    ['makes no identity', ',nccl-init=2', /ncclGetUniqueId failed: as the fake NCCL was told/],
  ])('where NCCL %s ends in one line, in all ranks', (_, settings, says) =>
    withFolder(async (folder) => {
      const runs = await ranksOf(
        2,
        folder,
        ['all-reduce', '--bytes', '1KiB', '--inspections', '1'],
        settings,
      );
      expect(runs[0]?.code).toBe(2);
      const { batches } = JSON.parse(runs[0]?.stdout ?? '') as PiBenchRecord;
      expect(batches[0]?.inspections[0]?.reason).toMatch(says);
    }));

  it('without one of its ranks names it, in seconds and before anything is measured', () =>
    withFolder(async (folder) => {
      const of = { ranks: 3, place: placeIn(folder), seconds: 5 };
      const runs = await Promise.all(
        [0, 2].map((rank) => startMetRank(folder, ['all-reduce', '--bytes', '8'], { ...of, rank }).ended),
      );
      expect(runs[0]?.code).toBe(64);
      expect(runs[0]?.stderr.trim().split('\n')).toHaveLength(1);
      expect(runs[0]?.stderr).toMatch(/rank 1 of 3 did not come to file:.*place within 5 s/);
      expect(runs[1]?.code).not.toBe(0);
      expect(runs[1]?.stderr).toMatch(/rank 1 of 3 did not come/);
    }));

  it('ends when its rank 0 does, and says so', () =>
    withFolder(async (folder) => {
      const args = ['all-reduce', '--bytes', '8', '--inspections', '200'];
      const of = { ranks: 2, place: placeIn(folder) };
      const [first, second] = [0, 1].map((rank) => startMetRank(folder, args, { ...of, rank }));
      // A campaign has a folder when its ranks have met.
      const out = join(folder, 'out');
      await until(() => (existsSync(out) && readdirSync(out).length > 0 ? true : undefined), 'the meeting');
      process.kill(-(first?.child.pid ?? 0), 'SIGKILL');
      const run = await second?.ended;
      expectOneLine(run, 2, /rank 0 has ended$/m);
    }));

  const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [
      ['--rendezvous', 'file:/x'],
      /--rendezvous takes a process for each rank: say which this one is with --rank/,
    ],
    [['--rank', '0', '--ranks', '2'], /--rank is of ranks that meet somewhere: add --rendezvous/],
    [
      ['--rendezvous', 'node1', '--rank', '0', '--ranks', '2'],
      /--rendezvous takes tcp:HOST:PORT or file:PATH/,
    ],
    [['--rendezvous', 'file:/x', '--rank', '2', '--ranks', '2'], /--rank takes 0 to 1/],
  ];
  it('refuses ranks that cannot meet, each in one line', async () => {
    const fakes = fakeGpu();
    const env = { ...fakeEnvironment(fakes, 'devices=2'), LD_LIBRARY_PATH: `${fakes}:${fakes}/nccl` };
    const what = ['collective', 'all-reduce', '--device', 'cuda:all', '--bytes', '8'];
    const runs = await piBenchEach(
      refused.map(([args]) => [...what, ...args]),
      { env },
    );
    for (const [i, [, says]] of refused.entries()) expectOneLine(runs[i], 64, says);
  });
});

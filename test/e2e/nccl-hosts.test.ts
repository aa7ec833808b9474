/**
 * Ranks on two hosts that find each other without MPI, over TCP between network namespaces; what they call is the fake of NCCL.
 * Nothing here tells of a GPU, nor of NCCL.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeGpu } from '../support/fake-gpu.js';
import { expectLost, expectOneLine, type MetRank, measuredSome, startMetRank } from '../support/met-ranks.js';
import { printedRecord, type Run, type Running, start, until, withFolder } from '../support/pi-bench.js';
import { AHEAD_SECONDS, makeTwoHosts, type TwoHosts } from '../support/two-hosts.js';

/** Longer than any machine takes to start all ranks; and how long tests wait for one that never comes. */
const [LONG, SOON] = [100, 2];
const WHY = 'namespaces cannot be made here';
const FEW = ['broadcast', '--bytes', '8'];

const portOf = ({ addresses }: TwoHosts): string => `tcp:${addresses[0]}:29500`;

/** Somebody else, who listens there. */
async function listener({ on, addresses }: TwoHosts): Promise<Running> {
  const script = `require('node:net').createServer(() => {}).listen(29500, '${addresses[0]}', () => console.error('listens'))`;
  const [program = '', ...rest] = [...on[0], process.execPath, '-e', script];
  const running = start(program, rest);
  await until(() => running.stderr().includes('listens') || undefined, 'the port to be taken');
  return running;
}

describe('ranks on two hosts that meet without MPI (skipped where namespaces cannot be made)', () => {
  let hosts: TwoHosts | null = null;
  beforeAll(() => {
    fakeGpu();
    hosts = makeTwoHosts();
  });
  afterAll(() => hosts?.remove());

  // Two on the first host: the third meets each from elsewhere, and they meet each other at home. More ranks than CPUs take long.
  const places: readonly [string, (two: TwoHosts, folder: string) => string, (0 | 1)[], string][] = [
    ['at a port', portOf, [0, 0, 1], '8'],
    ['by a file that both see', (_, folder) => `file:${join(folder, 'place')}`, [0, 1], '8,64KiB'],
  ];
  it.for(places)('%s: right results, and clocks that are compared', ([, placeOf, at, bytes], { skip }) =>
    withFolder(async (folder) => {
      const two = hosts;
      if (two === null) return skip(WHY);
      const ranks = at.length;
      const what = ['all-reduce', '--bytes', bytes, '--sync', 'window', '--inspections', '1'];
      const of = { ranks, place: placeOf(two, folder), seconds: LONG };
      const [first, ...others] = await Promise.all(
        at.map((host, rank) => startMetRank(folder, what, { ...of, rank, on: two.on[host] }).ended),
      );
      expect(first?.stderr).toBe('');
      expect(first?.code).toBe(0);
      for (const { code, stdout, stderr } of others) expect([code, stdout, stderr]).toEqual([0, '', '']);
      const { batches } = printedRecord(first as Run);
      expect(batches).toHaveLength(bytes.split(',').length);
      const met = `${ranks} GPUs, our own sockets, ${ranks} processes on 2 hosts`;
      for (const { verified, stack, ranks: measured } of batches) {
        expect(verified).toBe('passed');
        expect(stack.implementation).toMatch(new RegExp(`^${met}, clocks within \\d+\\.\\d us, nccl$`));
        expect(measured?.skewIn.max).toBeLessThan(AHEAD_SECONDS / 2);
      }
    }));

  it('name the one that was killed; what was measured before is kept', ({ skip }) =>
    withFolder(async (folder) => {
      if (hosts === null) return skip(WHY);
      const of = { ranks: 2, place: portOf(hosts), seconds: LONG };
      const what = ['all-reduce', '--bytes', '8', '--inspections', '200'];
      const [first, second] = hosts.on.map((on, rank) => startMetRank(folder, what, { ...of, rank, on }));
      await measuredSome(folder);
      process.kill(-(second?.child.pid ?? 0), 'SIGKILL');
      expectLost(await first?.ended, /^rank 1 of 2 has ended: its connection was closed$/);
    }));

  /** One rank of two, without the other unless that is started too. */
  const meet = ({ on }: TwoHosts, folder: string, rank: 0 | 1, place: string): Promise<Run> => {
    const one: MetRank = { rank, ranks: 2, place, on: on[rank], seconds: SOON };
    return startMetRank(folder, FEW, one).ended;
  };

  it('name the one that does not come, wherever that is', ({ skip }) =>
    withFolder(async (folder) => {
      if (hosts === null) return skip(WHY);
      const place = portOf(hosts);
      const first = await meet(hosts, folder, 0, place);
      expectOneLine(first, 64, /rank 1 of 2 did not come to tcp:\S+:29500 within 2 s$/m);
      const second = await meet(hosts, folder, 1, place);
      expectOneLine(second, 2, /rank 0 of 2 was not found at tcp:\S+:29500 within 2 s$/m);
    }));

  it('cannot meet where rank 0 cannot listen: one line says what to do', ({ skip }) =>
    withFolder(async (folder) => {
      if (hosts === null) return skip(WHY);
      const two = hosts;
      const taken = await listener(two);
      try {
        const [first, second] = await Promise.all(
          ([0, 1] as const).map((rank) => meet(two, folder, rank, portOf(two))),
        );
        expectOneLine(first, 64, /cannot listen at \S+:29500: Address already in use: choose another port$/m);
        // Who listens there does not speak as a rank does.
        expectOneLine(second, 2, /rank 0 of 2 was not found at \S+ within 2 s$/m);
      } finally {
        taken.child.kill('SIGKILL');
        await taken.ended;
      }
      const ofTheOther = await meet(two, folder, 0, `tcp:${two.addresses[1]}:29500`);
      expectOneLine(ofTheOther, 64, /Cannot assign requested address: name an address of the host that rank/);
      const nobodys = await meet(two, folder, 0, 'tcp:no-such-host.invalid:29500');
      expectOneLine(nobodys, 64, /there is no host no-such-host.invalid: name the one that rank 0 runs on$/m);
    }));
});

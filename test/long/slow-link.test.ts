/**
 * Which node has the slow link? Four hosts on a switch, the cable of one of them slow: the two passes as docs/fleet.md has them, each pair
 * measured by two ranks over MPI, one after the other, as all hosts share this machine's CPUs.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInstalled, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import { launcher, piBench, start, withFolder } from '../support/pi-bench.js';
import { makeSwitchedHosts, type SwitchedHosts } from '../support/switched-hosts.js';

const NODES = ['a', 'b', 'c', 'd'];
const SLOW = 'c';
const MEGABITS = 50;

/** Said of two pairs. */
const FEW = /^pi-bench: 2 pairs have a rate, and fewer than 3 cannot say/;

const openMpi = MPI_LIBRARIES.find(({ name }) => name === 'Open MPI');

async function measure(hosts: SwitchedHosts, pair: readonly string[], out: string): Promise<void> {
  const mpirun = [
    ...[openMpi?.launcher ?? '', '-np', '2', '--host', pair.join(',')],
    ...['--mca', 'plm_rsh_agent', hosts.agent, '--mca', 'pml', 'ob1', '--mca', 'btl', 'tcp,self'],
    ...['--mca', 'btl_tcp_if_include', hosts.network, '--mca', 'oob_tcp_if_include', hosts.network],
  ];
  const asked = [
    ...['collective', 'all-reduce', '--transport', 'mpi', '--bytes', '256KiB', '--no-pin'],
    ...['--inspections', '1', '--warmup', '2', '--quiet', '--labels', `pair=${pair.join(' ')}`, '--out', out],
  ];
  const [program = '', ...before] = hosts.onSwitch;
  const run = await start(program, [...before, ...mpirun, process.execPath, launcher, ...asked], '/', {
    ...process.env,
    ...openMpi?.environment,
  }).ended;
  expect([run.code, run.stderr]).toEqual([0, '']);
}

const pairsOf = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

const campaignsIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((pair) =>
    readdirSync(join(folder, pair)).map((name) => join(folder, pair, name)),
  );

it('the node whose cable is slow is named by two passes over real links, and nobody before', ({ skip }) =>
  withFolder(async (out) => {
    const hosts = openMpi !== undefined && isInstalled(openMpi) ? makeSwitchedHosts(NODES) : null;
    if (hosts === null) return skip('Open MPI is not installed, or namespaces take root');
    try {
      const pass = async (
        folder: string,
        pairs: readonly (readonly string[])[],
      ): Promise<readonly string[]> => {
        for (const pair of pairs) await measure(hosts, pair, join(folder, pair.join('-')));
        return campaignsIn(folder);
      };
      const planned = pairsOf((await piBench('fleet', 'pairs', '--nodes', NODES.join(','))).stdout);
      const sound = await piBench(
        'fleet',
        'pairs',
        '--first',
        ...(await pass(join(out, 'sound'), planned)),
        '--margin',
        '60%',
      );
      // Four hosts make two pairs, of which nobody knows which is as it should be.
      expect(sound.code).toBe(2);
      expect(sound.stderr).toMatch(FEW);
      expect(sound.stderr).toMatch(/no pair is slower/);

      if (!hosts.slow(SLOW, MEGABITS)) return skip('the kernel cannot make a link slow (tbf)');
      const first = await pass(join(out, 'first'), planned);
      const suspected = await piBench('fleet', 'pairs', '--first', ...first);
      expect([suspected.code, suspected.stderr]).toEqual([2, expect.stringMatching(FEW)]);
      const again = pairsOf(suspected.stdout);
      expect(again.filter((pair) => pair.includes(SLOW))).toHaveLength(1);
      const second = await pass(join(out, 'second'), again);
      const named = await piBench('fleet', 'pairs', '--first', ...first, '--second', ...second);
      expect([named.code, named.stderr]).toEqual([1, expect.stringMatching(FEW)]);
      expect(named.stdout).toMatch(new RegExp(`^slow link at ${SLOW};`));
    } finally {
      hosts.remove();
    }
  }));

import { describe, expect, it } from 'vitest';
import { isInstalled, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import {
  campaignFolder,
  launcher as entry,
  printedRecord,
  readInspectionFile,
  start,
  withFolder,
} from '../support/pi-bench.js';
import { AHEAD_SECONDS, makeTwoHosts, type TwoHosts } from '../support/two-hosts.js';

/** What each launcher has to be told. */
const ARGUMENTS = {
  'Open MPI': ({ addresses, agent, network }: TwoHosts) => [
    ...['--mca', 'plm_rsh_agent', agent, '-H', addresses.map((address) => `${address}:1`).join(',')],
    ...['--mca', 'pml', 'ob1', '--mca', 'btl', 'tcp,self'],
    ...['--mca', 'btl_tcp_if_include', network, '--mca', 'oob_tcp_if_include', network],
  ],
  // UCX would find the other host's shared memory: it is one machine after all.
  MPICH: ({ addresses, agent, device }: TwoHosts) => [
    ...['-launcher', 'ssh', '-launcher-exec', agent, '-hosts', addresses.join(','), '-iface', device],
    ...['-genv', 'UCX_TLS', 'tcp,self', '-ppn', '1'],
  ],
};

describe('ranks on two hosts, made of network namespaces', () => {
  for (const mpi of MPI_LIBRARIES) {
    it(`of ${mpi.name}: right results, and clocks that are compared`, ({ skip }) =>
      withFolder(async (out) => {
        const hosts = isInstalled(mpi) ? makeTwoHosts() : null;
        if (hosts === null) return skip(`${mpi.name} is not installed, or namespaces take root`);
        try {
          const launcher = [mpi.launcher, ...ARGUMENTS[mpi.name](hosts)].join(' ');
          const what = [
            'collective',
            'all-reduce',
            '--transport',
            'mpi',
            '--launcher',
            launcher,
            '--ranks',
            '2',
          ];
          const how = [
            '--no-pin',
            '--bytes',
            '64KiB',
            '--sync',
            'window',
            '--inspections',
            '1',
            '--reps',
            '30',
          ];
          const rest = ['--warmup', '5', '--no-wait', '--quiet', '--json', '--out', out];
          const [program = '', ...before] = hosts.on[0];
          const run = await start(program, [...before, process.execPath, entry, ...what, ...how, ...rest])
            .ended;
          expect(run.stderr).toBe('');
          expect(run.code).toBe(0);
          const { batches } = printedRecord(run);
          expect(batches.map(({ verified }) => verified)).toEqual(['passed']);
          expect(batches[0]?.stack.implementation).toMatch(
            /2 processes on 2 hosts, clocks within \d+\.\d us, MPI_Allreduce$/,
          );
          // Known only since the ranks have met.
          expect(batches[0]?.case.parameters).not.toHaveProperty('perHost');
          expect(readInspectionFile(campaignFolder(out), 0).ranks?.here).toBe(1);
          const { flags = [], inspections = [] } = batches[0] ?? {};
          expect(flags.map(({ name }) => name)).not.toContain('crowded');
          expect(inspections[0]?.notChecked.map(({ why }) => why)).toContain(
            'of the hosts of 1 other rank nothing was read',
          );
          expect(batches[0]?.ranks?.skewIn.max).toBeLessThan(AHEAD_SECONDS / 2);
        } finally {
          hosts.remove();
        }
      }));
  }
});

/** Submissions over a real mpirun to hosts of this machine, which are reached by an agent in the place of ssh. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInstalled, MPI_LIBRARIES } from '../../scripts/lib/mpi-libraries.mjs';
import type { SubmissionSummary } from '../../src/submit/summary.js';
import { waitingLibrary } from '../support/libraries.js';
import {
  launcher as entry,
  type Run,
  type Running,
  readRecordFile,
  start,
  until,
  withFolder,
} from '../support/pi-bench.js';
import { makeTwoHosts, type TwoHosts } from '../support/two-hosts.js';

/** No agent knows the one, and the other lets nobody in. */
const [UNKNOWN, CLOSED] = ['192.0.2.9', '192.0.2.8'];
/** A launcher is looked at every ten seconds, and given up after ten more. */
const LONG_MS = 300_000;
const SHORT = [
  'matmul',
  '--size',
  '16',
  '--reps',
  '10',
  '--inspections',
  '1',
  '--threads',
  '1',
  '--warmup',
  '5',
];

/** Launchers are told by their own variables, as a site does. */
const environment = ({ network, device }: TwoHosts, agent: string): NodeJS.ProcessEnv => ({
  ...process.env,
  OMPI_MCA_plm_rsh_agent: agent,
  OMPI_MCA_oob_tcp_if_include: network,
  HYDRA_LAUNCHER: 'ssh',
  HYDRA_LAUNCHER_EXEC: agent,
  HYDRA_IFACE: device,
});

/** On the first host, from which all are reached. */
function piBenchOn(hosts: TwoHosts, folder: string, args: readonly string[], agent = hosts.agent): Running {
  const [program = '', ...before] = hosts.on[0];
  const command = [...before, process.execPath, entry, ...args];
  return start(program, command, folder, environment(hosts, agent));
}

const nodesOf = ({ stdout, stderr }: Run): ReadonlyMap<string, SubmissionSummary['nodes'][number]> => {
  if (stdout === '') throw new Error(stderr);
  return new Map((JSON.parse(stdout) as SubmissionSummary).nodes.map((node) => [node.target, node]));
};

async function withHosts(
  skip: (why: string) => never,
  use: (hosts: TwoHosts) => Promise<void>,
): Promise<void> {
  const hosts = makeTwoHosts();
  if (hosts === null) return skip('namespaces take root');
  try {
    await use(hosts);
  } finally {
    for (const host of [0, 1] as const) hosts.kill(host);
    hosts.remove();
  }
}

for (const mpi of MPI_LIBRARIES) {
  describe.skipIf(!isInstalled(mpi))(
    `a submission by mpirun of ${mpi.name} (skipped where it is not installed)`,
    () => {
      const submit = ['submit', 'mpi', '--mpirun', mpi.launcher, '--json', '--out', 'results'];

      it(
        'goes on after a kill, and tries a host again that died in mid-run',
        ({ skip }) =>
          withHosts(skip, (hosts) =>
            withFolder(async (folder) => {
              const [first, second] = hosts.addresses;
              const go = join(folder, 'go');
              const asked = [...SHORT, '--stack', `cblas:${waitingLibrary(folder, go)}`];
              const how = ['--hosts', hosts.addresses.join(','), '--retries', '1'];
              const killed = piBenchOn(hosts, folder, [...submit, ...how, ...asked]);
              const results = join(folder, 'results');
              const journal = await until(() => {
                const [name = ''] = existsSync(results) ? readdirSync(results) : [];
                const path = join(results, name, 'submission.ndjson');
                return existsSync(path) && readFileSync(path, 'utf8').includes('"submitted"')
                  ? path
                  : undefined;
              }, 'the submission');
              process.kill(killed.child.pid ?? 0, 'SIGKILL');
              await killed.ended;
              const begun = join(journal, '..', 'attempts', `${second}.1`, 'results');
              await until(() => (existsSync(begun) ? true : undefined), 'the campaign of the second host');
              const resumed = piBenchOn(hosts, folder, ['resume', join(journal, '..'), '--json']);
              hosts.kill(1);
              await until(
                () =>
                  readFileSync(journal, 'utf8').includes(`"ended","target":"${second}"`) ? true : undefined,
                'the loss of the second host',
                LONG_MS / 2,
              );
              writeFileSync(go, '');
              const run = await resumed.ended;
              const nodes = nodesOf(run);
              expect(nodes.get(first)).toMatchObject({ status: 'done', lostAttempts: [] });
              expect(nodes.get(second)).toMatchObject({ status: 'done', lostAttempts: [{ attempt: 1 }] });
              expect(run.stderr).toContain(`pi-bench: ${second}: lost: `);
              expect(run.code).toBe(0);
              for (const [target, { record }] of nodes) {
                expect(record).toBe(`nodes/${target}/record.json`);
                expect(readRecordFile(join(journal, '..', 'nodes', target)).batches[0]?.verified).toBe(
                  'passed',
                );
              }
              expect(readFileSync(journal, 'utf8').match(/"event":"submitted"/g)).toHaveLength(2);
            }),
          ),
        LONG_MS,
      );

      it(
        'names a host that nobody knows, and one that lets nobody in, in their own words, and loses no other',
        ({ skip }) =>
          withHosts(skip, (hosts) =>
            withFolder(async (folder) => {
              const [, second] = hosts.addresses;
              const agent = join(folder, 'agent.sh');
              const told = join(folder, 'told');
              writeFileSync(
                agent,
                [
                  '#!/bin/sh',
                  'for host; do case "$host" in -*) ;; *) break ;; esac; done',
                  `echo "$TMPDIR" >>${told}`,
                  // As ssh says it, with its exit code.
                  `[ "$host" != ${CLOSED} ] || { echo "$host: Permission denied (publickey)." >&2; exit 255; }`,
                  `exec ${hosts.agent} "$@"`,
                  '',
                ].join('\n'),
              );
              chmodSync(agent, 0o755);
              const run = await piBenchOn(
                hosts,
                folder,
                [...submit, '--hosts', [second, UNKNOWN, CLOSED].join(','), ...SHORT],
                agent,
              ).ended;
              const nodes = nodesOf(run);
              expect(nodes.get(second)).toMatchObject({ status: 'done' });
              expect(nodes.get(UNKNOWN)).toMatchObject({ status: 'lost', record: null });
              expect(nodes.get(UNKNOWN)?.reason).toContain(`no host ${UNKNOWN}`);
              expect(nodes.get(CLOSED)?.reason).toMatch(/: 192\.0\.2\.8: Permission denied \(publickey\)\.$/);
              expect(run.code).toBe(2);
              // Launchers that share one may fail, where the first of them removes it; nothing is left of those that are apart.
              const folders = readFileSync(told, 'utf8').trim().split('\n');
              if (mpi.name === 'Open MPI') expect(new Set(folders).size).toBe(3);
              if (mpi.name === 'Open MPI') expect(folders.filter((path) => existsSync(path))).toEqual([]);
            }),
          ),
        LONG_MS,
      );
    },
  );
}

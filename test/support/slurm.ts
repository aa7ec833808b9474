/**
 * A real Slurm on this machine for as long as a test needs it: munge, a controller, and a slurmd for each node, in the
 * foreground, in a temporary folder. Where root allows it each node has namespaces of its own, so that it is another machine to
 * whoever runs there; elsewhere nodes differ in their ports only.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  ACCOUNTING_PROGRAMS,
  type AccountingPorts,
  accountingConf,
  startAccounting,
} from './slurm/accounting.js';
import { type CpuLimit, limitCpu } from './slurm/cgroup.js';
import { type Cluster, GRES_CONF, slurmConf } from './slurm/configuration.js';
import { type Daemon, familyOf, must, processesWith, startDaemon } from './slurm/daemon.js';
import { type Network, namespacesProblem, startNetwork } from './slurm/network.js';

export interface SlurmOptions {
  /** Default 3: n1, n2, n3. */
  readonly nodes?: number;
  /** Seconds after which a node that does not answer is down; default 30. */
  readonly patience?: number;
  /** More lines of slurm.conf, which lies in this folder. */
  readonly configuration?: (folder: string) => readonly string[];
  /** Folders of this machine that nodes do not see: they have empty ones of their own. Needs namespaces. */
  readonly hidden?: readonly string[];
  /** false: ports only, even where namespaces could be made. */
  readonly isolate?: boolean;
  /** slurmdbd with a database: then each job needs an account, and nobody has one at first. */
  readonly accounting?: boolean;
}

export interface Slurm {
  readonly folder: string;
  readonly nodes: readonly string[];
  /** Each node has a network, a name and processes of its own; otherwise this says why not. */
  readonly isolated: true | string;
  /** The environment in which `srun`, `sbatch`, `squeue` ... find this Slurm. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command in that environment. @throws with what it said when it fails. */
  command(...command: readonly string[]): string;
  /** As if its plug were pulled: everything that runs there is gone at once. */
  killNode(name: string): Promise<void>;
  startNode(name: string): Promise<void>;
  /** From now on jobs of this node share `cpus` of a CPU's time. Returns why not, where that cannot be done. */
  limitCpu(name: string, cpus: number): string | null;
  stop(): Promise<void>;
}

const PROGRAMS = [
  'munged',
  'slurmctld',
  'slurmd',
  'srun',
  'sbatch',
  'squeue',
  'sinfo',
  'scontrol',
  'setpriv',
];
const READY_MS = 60_000;

function missingPrograms(programs: readonly string[]): readonly string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}

/** Ports of which nobody listens on any. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve) => server.listen(0, () => resolve(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function accountingPorts(): Promise<AccountingPorts> {
  const [database = 0, accounting = 0] = await freePorts(2);
  return { database, accounting };
}

/** Slurm's own variables of a job in which the tests may run would lead its programs to another Slurm. */
function environment(folder: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('SLURM'));
  const path = `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`;
  return { ...Object.fromEntries(others), PATH: path, SLURM_CONF: join(folder, 'slurm.conf') };
}

async function poll(ready: () => boolean, what: () => string): Promise<void> {
  for (const end = Date.now() + READY_MS; !ready(); ) {
    if (Date.now() > end) throw new Error(what());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** munge's key and daemon; Slurm trusts whoever holds the key. */
async function startMunge(folder: string): Promise<Daemon> {
  const key = join(folder, 'munge.key');
  writeFileSync(key, randomBytes(128), { mode: 0o400 });
  const of = (name: string): string => join(folder, name);
  const daemon = startDaemon(
    [
      'munged',
      '--foreground',
      '--force',
      `--key-file=${key}`,
      `--socket=${of('munge.sock')}`,
      `--pid-file=${of('munged.pid')}`,
      `--log-file=${of('log/munged.log')}`,
      `--seed-file=${of('munged.seed')}`,
      '--num-threads=2',
    ],
    of('log/munged.err'),
    environment(folder),
  );
  await poll(
    () => existsSync(of('munge.sock')),
    () => `munged does not start: ${readFileSync(of('log/munged.err'), 'utf8')}`,
  );
  return daemon;
}

async function clusterOf(
  folder: string,
  options: SlurmOptions,
  network: Network | null,
  accounting: AccountingPorts | null,
): Promise<Cluster> {
  const host = hostname().split('.')[0] ?? 'localhost';
  const names = Array.from({ length: options.nodes ?? 3 }, (_, i) => `n${i + 1}`);
  const [controllerPort = 0, ...ports] = await freePorts(1 + names.length);
  return {
    folder,
    user: userInfo().username,
    controller: { hostname: host, address: network?.address ?? '127.0.0.1', port: controllerPort },
    nodes: names.map((name, i) => ({
      name,
      hostname: network === null ? host : name,
      address: network?.addressOf(i) ?? '127.0.0.1',
      port: ports[i] ?? 0,
    })),
    patience: options.patience ?? 30,
    more: [
      ...(accounting === null ? [] : accountingConf(folder, accounting)),
      ...(options.configuration?.(folder) ?? []),
    ],
  };
}

/** @returns a sentence where Slurm is not installed */
export async function startSlurm(options: SlurmOptions = {}): Promise<Slurm | string> {
  const missing = missingPrograms(PROGRAMS);
  if (missing.length > 0)
    return `Slurm is not installed (no ${missing.join(', ')}): apt-get install slurm-wlm munge`;
  const lacking = options.accounting === true ? missingPrograms(ACCOUNTING_PROGRAMS) : [];
  if (lacking.length > 0)
    return `Slurm's accounting is not installed (no ${lacking.join(', ')}): apt-get install slurmdbd mariadb-server`;
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-slurm-'));
  // Jobs and munge's clients of any user have to come through.
  chmodSync(folder, 0o755);
  for (const name of ['state', 'log']) mkdirSync(join(folder, name));
  const env = environment(folder);
  const problem = options.isolate === false ? 'not asked for' : namespacesProblem();
  const daemons: Daemon[] = [];
  const nodes = new Map<string, Daemon>();
  const limits: CpuLimit[] = [];
  let network: Network | null = null;

  async function stop(): Promise<void> {
    for (const daemon of [...nodes.values(), ...daemons]) await daemon.kill();
    // Without namespaces jobs outlive their slurmd.
    for (const pid of processesWith([`SLURM_CONF=${env.SLURM_CONF}`])) kill(pid);
    await network?.stop();
    for (const limit of limits) limit.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  try {
    const names = Array.from({ length: options.nodes ?? 3 }, (_, i) => `n${i + 1}`);
    if (problem === null) network = await startNetwork(join(folder, 'hosts'), names, env);
    const ports = options.accounting === true ? await accountingPorts() : null;
    const cluster = await clusterOf(folder, options, network, ports);
    writeFileSync(join(folder, 'slurm.conf'), slurmConf(cluster));
    writeFileSync(join(folder, 'gres.conf'), GRES_CONF);
    daemons.push(await startMunge(folder));
    if (ports !== null) daemons.unshift(...(await startAccounting(folder, cluster.user, ports, env, poll)));
    daemons.push(startDaemon(['slurmctld', '-D', '-i'], join(folder, 'log/slurmctld.log'), env));

    const startNode = async (name: string): Promise<void> => {
      const index = names.indexOf(name);
      if (index < 0) throw new Error(`there is no node ${name}`);
      mkdirSync(join(folder, `spool.${name}`), { recursive: true });
      const program = ['slurmd', '-D', '-N', name];
      const started =
        network === null
          ? startDaemon(program, join(folder, `log/slurmd.${name}.log`), env)
          : await network.startHost(index, name, program, options.hidden ?? []);
      nodes.set(name, started);
    };
    for (const name of names) await startNode(name);

    const command = (...words: readonly string[]): string => must(words, env);
    const states = (): string => {
      try {
        return command('sinfo', '--noheader', '--Node', '--format=%N %T');
      } catch (error) {
        return String(error);
      }
    };
    await poll(
      () => names.every((name) => states().includes(`${name} idle\n`)),
      () =>
        `Slurm does not become ready: ${states()}${readFileSync(join(folder, 'log/slurmctld.log'), 'utf8').slice(-2000)}`,
    );

    return {
      folder,
      nodes: names,
      isolated: problem ?? true,
      env,
      command,
      startNode,
      async killNode(name) {
        await nodes.get(name)?.kill();
        const left = [`SLURM_CONF=${env.SLURM_CONF}`, `SLURMD_NODENAME=${name}`];
        if (network === null) for (const pid of processesWith(left)) kill(pid);
      },
      limitCpu(name, cpus) {
        const pid = nodes.get(name)?.pid;
        if (pid === undefined) return `${name} does not run`;
        const limit = limitCpu(`pi-bench-slurm-${process.pid}-${name}`, cpus, familyOf(pid));
        if (typeof limit === 'string') return limit;
        limits.push(limit);
        return null;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

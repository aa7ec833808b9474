/**
 * Machines of one's own, as far as a network, a name, processes and a few files go: Linux namespaces around one program. They
 * hang on a switch that is a namespace too, so the last process that ends takes all of it away, however it ends.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, must, startDaemon } from './daemon.js';

/** A /28 of the block that RFC 2544 keeps for benchmarks: this machine is .1, its nodes follow. */
const BLOCK = '198.18';
const MOST_HOSTS = 12;

export interface Network {
  /** Of this machine, as the others see it. */
  readonly address: string;
  /** Of the others, from 0. */
  addressOf(index: number): string;
  /**
   * Starts `program` in namespaces of its own, with its own name, address, process numbers and machine id.
   * @param hidden folders in whose place it has empty ones
   */
  startHost(
    index: number,
    hostname: string,
    program: readonly string[],
    hidden: readonly string[],
  ): Promise<Daemon>;
  stop(): Promise<void>;
}

/** Whether this user may make all the namespaces that are needed; otherwise why not. */
export function namespacesProblem(): string | null {
  const attempt = spawnSync(
    'unshare',
    [
      '--net',
      '--uts',
      '--mount',
      '--pid',
      '--fork',
      '--mount-proc',
      'ip',
      'link',
      'add',
      'br0',
      'type',
      'bridge',
    ],
    { encoding: 'utf8', timeout: 30_000 },
  );
  if (attempt.error !== undefined) return attempt.error.message;
  return attempt.status === 0 ? null : attempt.stderr.trim();
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Waits for its network between its two words. */
function hostScript(
  hostname: string,
  folder: string,
  program: readonly string[],
  hidden: readonly string[],
): string {
  return [
    'set -e',
    `hostname ${hostname}`,
    `mount --bind ${quoted(join(folder, 'hosts'))} /etc/hosts`,
    `[ ! -e /etc/machine-id ] || mount --bind ${quoted(join(folder, `machine-id.${hostname}`))} /etc/machine-id`,
    ...hidden.map((path) => `mount -t tmpfs -o mode=1777 tmpfs ${quoted(path)}`),
    'echo ready',
    'read -r connected',
    // The first process of a namespace inherits its orphans: a shell that waits collects them, and slurmd would not.
    `${program.map(quoted).join(' ')} &`,
    'wait $!',
  ].join('\n');
}

/**
 * @param folder for the few files that each host has of its own
 * @param hostnames by their index
 */
export async function startNetwork(
  folder: string,
  hostnames: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Network> {
  if (hostnames.length > MOST_HOSTS) throw new Error(`at most ${MOST_HOSTS} hosts`);
  mkdirSync(folder, { recursive: true });
  const block = process.pid % 4096;
  const addressAt = (offset: number): string => `${BLOCK}.${block >> 4}.${((block & 15) << 4) + offset}`;
  const addressOf = (index: number): string => addressAt(2 + index);
  const lines = hostnames.map((name, index) => `${addressOf(index)} ${name}`);
  writeFileSync(
    join(folder, 'hosts'),
    ['127.0.0.1 localhost', `${addressAt(1)} controller`, ...lines, ''].join('\n'),
  );
  hostnames.forEach((name, index) => {
    writeFileSync(
      join(folder, `machine-id.${name}`),
      `${process.pid.toString(16).padStart(8, '0')}${'0'.repeat(22)}${(index + 1).toString(16).padStart(2, '0')}\n`,
    );
  });

  const bridge = [
    'ip link set lo up',
    'ip link add br0 type bridge',
    'ip link set br0 up',
    'echo ready',
    'exec sleep infinity',
  ];
  const hub = startDaemon(['unshare', '--net', 'sh', '-ec', bridge.join('\n')], join(folder, 'switch.log'));
  await hub.firstLine;
  const inHub = (...command: readonly string[]): string =>
    must(['nsenter', `--net=/proc/${hub.pid}/ns/net`, ...command]);
  /** A cable: one end in the switch, the other with a host, or with this machine. */
  const connect = (port: string, end: string, host: number | null): void => {
    const place = host === null ? [] : ['netns', String(host)];
    must([
      'ip',
      'link',
      'add',
      port,
      'netns',
      String(hub.pid),
      'type',
      'veth',
      'peer',
      'name',
      end,
      ...place,
    ]);
    inHub('ip', 'link', 'set', port, 'master', 'br0');
    inHub('ip', 'link', 'set', port, 'up');
  };
  const own = `pibench${process.pid.toString(36)}`;
  connect('own', own, null);
  must(['ip', 'address', 'add', `${addressAt(1)}/28`, 'dev', own]);
  must(['ip', 'link', 'set', own, 'up']);

  let cables = 0;
  return {
    address: addressAt(1),
    addressOf,
    async startHost(index, hostname, program, hidden) {
      const script = hostScript(hostname, folder, program, hidden);
      const namespaces = [
        '--net',
        '--uts',
        '--mount',
        '--pid',
        '--fork',
        '--kill-child=KILL',
        '--mount-proc',
      ];
      const host = startDaemon(
        ['unshare', ...namespaces, 'sh', '-c', script],
        join(folder, `${hostname}.log`),
        env,
      );
      await host.firstLine;
      connect(`port${cables++}`, 'eth0', host.pid);
      const inHost = (...command: readonly string[]): string =>
        must(['nsenter', `--net=/proc/${host.pid}/ns/net`, ...command]);
      inHost('ip', 'link', 'set', 'lo', 'up');
      inHost('ip', 'address', 'add', `${addressOf(index)}/28`, 'dev', 'eth0');
      inHost('ip', 'link', 'set', 'eth0', 'up');
      host.tell('connected');
      return host;
    },
    stop: () => hub.kill(),
  };
}

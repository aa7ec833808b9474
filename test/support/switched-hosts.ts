/** Hosts on one machine, on a switch: network namespaces with names of their own, and an agent that launchers take for ssh. Needs root. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SwitchedHosts {
  readonly names: readonly string[];
  readonly network: string;
  /** A program that is called as `ssh HOST COMMAND`. */
  readonly agent: string;
  /** What runs a command on the switch, from where all hosts are reached, before the command. */
  readonly onSwitch: readonly string[];
  /** From now on its cable carries so many Mbit/s in either direction. @returns false where the kernel cannot do that */
  slow(name: string, megabits: number): boolean;
  remove(): void;
}

/** For benchmarks of networks (RFC 2544), apart from what tests with Slurm take of it. */
const BLOCK = '198.19.0';

const run = (...command: readonly string[]): boolean => {
  const [program = '', ...args] = command;
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
};

/** @returns null where this user may not */
export function makeSwitchedHosts(names: readonly string[]): SwitchedHosts | null {
  const mark = `pb${process.pid % 100_000}`;
  const spaceOf = (name: string): string => `${mark}-${name}`;
  const middle = spaceOf('switch');
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-hosts-'));
  const addressOf = (index: number): string => `${BLOCK}.${index + 2}`;
  const remove = (): void => {
    for (const name of [...names.map(spaceOf), middle]) run('ip', 'netns', 'delete', name);
    rmSync(folder, { recursive: true, force: true });
  };
  const connect = (name: string, index: number): boolean => {
    const space = spaceOf(name);
    return (
      run('ip', 'netns', 'add', space) &&
      run(
        'ip',
        '-n',
        middle,
        'link',
        'add',
        `port${index}`,
        'type',
        'veth',
        'peer',
        'name',
        'eth0',
        'netns',
        space,
      ) &&
      run('ip', '-n', middle, 'link', 'set', `port${index}`, 'master', 'switch', 'up') &&
      run('ip', '-n', space, 'addr', 'add', `${addressOf(index)}/24`, 'dev', 'eth0') &&
      run('ip', '-n', space, 'link', 'set', 'eth0', 'up') &&
      run('ip', '-n', space, 'link', 'set', 'lo', 'up')
    );
  };
  const made =
    run('ip', 'netns', 'add', middle) &&
    run('ip', '-n', middle, 'link', 'add', 'switch', 'type', 'bridge') &&
    run('ip', '-n', middle, 'addr', 'add', `${BLOCK}.1/24`, 'dev', 'switch') &&
    run('ip', '-n', middle, 'link', 'set', 'switch', 'up') &&
    run('ip', '-n', middle, 'link', 'set', 'lo', 'up') &&
    names.every(connect) &&
    run('ip', 'netns', 'exec', middle, 'unshare', '--uts', '--mount', 'true');
  if (!made) {
    remove();
    return null;
  }
  const hosts = join(folder, 'hosts');
  writeFileSync(
    hosts,
    ['127.0.0.1 localhost', ...names.map((name, i) => `${addressOf(i)} ${name}`), ''].join('\n'),
  );
  const agent = join(folder, 'agent.sh');
  writeFileSync(
    agent,
    `#!/bin/sh
while [ "\${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec ${mark}-$host unshare --uts --mount sh -c "mount --bind ${hosts} /etc/hosts; hostname $host; $*"
`,
  );
  chmodSync(agent, 0o755);
  return {
    names,
    network: `${BLOCK}.0/24`,
    agent,
    onSwitch: [
      ...['ip', 'netns', 'exec', middle, 'unshare', '--uts', '--mount'],
      ...['sh', '-c', `mount --bind ${hosts} /etc/hosts; hostname switch; exec "$0" "$@"`],
    ],
    slow(name, megabits) {
      const shape = ['root', 'tbf', 'rate', `${megabits}mbit`, 'burst', '64kb', 'latency', '50ms'];
      const port = `port${names.indexOf(name)}`;
      return (
        run('tc', '-n', spaceOf(name), 'qdisc', 'add', 'dev', 'eth0', ...shape) &&
        run('tc', '-n', middle, 'qdisc', 'add', 'dev', port, ...shape)
      );
    },
    remove,
  };
}

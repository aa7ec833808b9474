/**
 * Two hosts on one machine: network namespaces with a cable between them, each with a name of its own, and an agent that
 * launchers take for ssh. Needs root. Under one kernel, so that their clocks go equally fast; but the second's is far ahead, as those
 * of hosts are that were not started at the same moment, where the kernel can do that.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TwoHosts {
  readonly addresses: readonly [string, string];
  /** Of the first host's end of the cable. */
  readonly device: string;
  readonly network: string;
  /** A program that is called as `ssh HOST COMMAND`. */
  readonly agent: string;
  /** What runs a command on each of them, before the command. */
  readonly on: readonly [readonly string[], readonly string[]];
  /** All that runs on the first (0) or the second (1) is killed at once. */
  kill(host: 0 | 1): void;
  /** Cuts the cable: from now on neither hears anything of the other, not even that a process has ended. */
  cut(): void;
  remove(): void;
}

/** So far the second's CLOCK_MONOTONIC is ahead: times of both that are further apart were read on clocks that nobody compared. */
export const AHEAD_SECONDS = 1000;

const run = (...command: readonly string[]): boolean => {
  const [program = '', ...args] = command;
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
};

/** A cable takes a moment until both ends know that the other is up; libraries look for networks only once. */
function carries(space: string, device: string): boolean {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const said = spawnSync('ip', ['-n', space, 'link', 'show', 'dev', device], { encoding: 'utf8' }).stdout;
    if (said.includes('state UP')) return true;
  }
  return false;
}

/** The names are this process's own, and the addresses of a network that is for tests. */
export function makeTwoHosts(): TwoHosts | null {
  const mark = `pb${process.pid % 100_000}`;
  const [a, b] = [`${mark}a`, `${mark}b`];
  const device = `${mark}v0`;
  const other = `${mark}v1`;
  const addresses = ['192.0.2.1', '192.0.2.2'] as const;
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-hosts-'));
  const remove = (): void => {
    for (const name of [a, b]) run('ip', 'netns', 'delete', name);
    rmSync(folder, { recursive: true, force: true });
  };
  const made =
    run('ip', 'netns', 'add', a) &&
    run('ip', 'netns', 'add', b) &&
    run('ip', 'link', 'add', device, 'netns', a, 'type', 'veth', 'peer', 'name', other, 'netns', b) &&
    run('ip', '-n', a, 'addr', 'add', `${addresses[0]}/24`, 'dev', device) &&
    run('ip', '-n', b, 'addr', 'add', `${addresses[1]}/24`, 'dev', other) &&
    run('ip', '-n', a, 'link', 'set', device, 'up') &&
    run('ip', '-n', b, 'link', 'set', other, 'up') &&
    run('ip', '-n', a, 'link', 'set', 'lo', 'up') &&
    run('ip', '-n', b, 'link', 'set', 'lo', 'up') &&
    carries(a, device) &&
    carries(b, other) &&
    run('ip', 'netns', 'exec', a, 'unshare', '--uts', 'true');
  if (!made) {
    remove();
    return null;
  }
  const later = ['--time', '--monotonic', String(AHEAD_SECONDS)];
  const ahead = run('unshare', ...later, 'true') ? later : [];
  // Hosts of other tests have the same names, by which Open MPI's launchers call what they share below it.
  const temporary = (name: string): string => join(folder, name);
  for (const name of ['first', 'second']) mkdirSync(temporary(name));
  const agent = join(folder, 'agent.sh');
  writeFileSync(
    agent,
    `#!/bin/sh
while [ "\${1#-}" != "$1" ]; do shift; done
case "$1" in
  ${addresses[0]}) space=${a} name=first clock= ;;
  ${addresses[1]}) space=${b} name=second clock="${ahead.join(' ')}" ;;
  *) echo "no host $1" >&2; exit 1 ;;
esac
shift
export TMPDIR=${folder}/$name
exec ip netns exec $space unshare --uts $clock sh -c "hostname $name; $*"
`,
  );
  chmodSync(agent, 0o755);
  const named = (name: string): readonly string[] => [
    'sh',
    '-c',
    `hostname ${name}; TMPDIR=${temporary(name)} exec "$0" "$@"`,
  ];
  const within = (space: string): readonly string[] => ['ip', 'netns', 'exec', space, 'unshare', '--uts'];
  return {
    addresses,
    device,
    network: '192.0.2.0/24',
    agent,
    on: [
      [...within(a), ...named('first')],
      [...within(b), ...ahead, ...named('second')],
    ],
    kill(host) {
      // Again, for whatever was started meanwhile.
      for (const end = Date.now() + 10_000; Date.now() < end; ) {
        const { stdout } = spawnSync('ip', ['netns', 'pids', host === 0 ? a : b], { encoding: 'utf8' });
        const pids = stdout.split('\n').filter(Boolean);
        if (pids.length === 0) return;
        run('kill', '-KILL', ...pids);
      }
    },
    cut: () => void run('ip', '-n', b, 'link', 'set', other, 'down'),
    remove,
  };
}

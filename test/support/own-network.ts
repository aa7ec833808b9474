/**
 * Runs before each file of a project of vitest.config.ts: makes a network namespace, where this user may, in which the
 * commands of the file run. The locks of pi-bench are abstract sockets, which belong to a network, so that campaigns of one
 * file wait for each other and for nobody else's. It is gone with the process that runs the file.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { NSENTER } from './pi-bench.js';

const script = 'ip link set lo up && echo ready && exec sleep infinity';
const holder = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', 'sh', '-c', script], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const isReady = await new Promise<boolean>((resolve) => {
  holder.on('error', () => resolve(false));
  holder.on('exit', () => resolve(false));
  holder.stdout.once('data', () => resolve(true));
});
holder.stdout.destroy();
holder.unref();
// Without, campaigns wait for those of other files as well, which takes longer.
if (isReady && existsSync(NSENTER)) process.env.TESTS_NETWORK = `/proc/${holder.pid}/ns/net`;

// Builds the addon with the node-gyp that npm brings, against the headers of the Node that runs, without downloading.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildCudaKernels, cudaKernelsThere } from './cuda-kernels.mjs';
import { addonStale, packageRoot } from './tree.mjs';

const ADDON = join(packageRoot, 'build', 'Release', 'pibench.node');

/** Where npm keeps its node-gyp: npm says so to its scripts; otherwise beside the Node that runs. */
function findNodeGyp() {
  const prefix = dirname(dirname(process.execPath));
  const npms = [
    process.env.npm_config_node_gyp,
    join(prefix, 'lib', 'node_modules', 'npm', 'node_modules', 'node-gyp', 'bin', 'node-gyp.js'),
    '/usr/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
    '/usr/share/nodejs/node-gyp/bin/node-gyp.js',
    process.env.npm_execpath &&
      join(dirname(dirname(process.env.npm_execpath)), 'node_modules', 'node-gyp', 'bin', 'node-gyp.js'),
  ];
  return npms.find((path) => path && existsSync(path));
}

/** The Node installation's own headers, so that node-gyp need not fetch them. */
function findHeaders() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? prefix : undefined;
}

export function dependenciesThere() {
  try {
    createRequire(join(packageRoot, 'package.json')).resolve('node-addon-api');
    return true;
  } catch {
    return false;
  }
}

/** One builder at a time: a directory is made atomically. Others wait; a lock that nobody refreshed for 10 minutes is dead. */
function withBuildLock(work) {
  const lock = join(packageRoot, 'build.lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > 600_000) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function runNodeGyp(nodeGyp, commands) {
  const headers = findHeaders();
  const options = ['--release', '-j', 'max', ...(headers ? [`--nodedir=${headers}`] : [])];
  const done = spawnSync(process.execPath, [nodeGyp, ...commands, ...options], {
    cwd: packageRoot,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { ...done, log: `${done.stdout ?? ''}${done.stderr ?? ''}` };
}

/** Whether the compiler refused a source: what was compiled before is not to blame. */
const refusesSource = (log) => /\.(?:cc|h):\d+:\d+: (?:fatal )?error:/.test(log);

/** Compiles what changed since the last build, and all of it where there was none or where that did not help. */
function runBuild(nodeGyp, force) {
  if (!force && existsSync(ADDON)) {
    const done = runNodeGyp(nodeGyp, ['configure', 'build']);
    if (done.status === 0 || refusesSource(done.log)) return done;
  }
  return runNodeGyp(nodeGyp, ['rebuild']);
}

/**
 * Builds the addon where it is missing or stale; `force`: from nothing. Returns null, or one line that says why it could
 * not be built. The whole log follows that line where it failed.
 */
export function buildNative({ force = false } = {}) {
  return withBuildLock(() => {
    if (!force && !addonStale()) return null;
    const nodeGyp = findNodeGyp();
    if (nodeGyp === undefined)
      return 'node-gyp was not found: install npm, which brings it, then run this again';
    const kernels = cudaKernelsThere();
    const began = new Date();
    const { status, signal, error, log } = runBuild(nodeGyp, force);
    // node-gyp may empty build/. What was compiled for GPUs is remembered, so this only puts it back.
    if (kernels) buildCudaKernels();
    if (status === 0) {
      // As old as its beginning: a source that was changed while it was built is newer.
      utimesSync(ADDON, began, began);
      return null;
    }
    const cause = log.match(/^.*(?:\berror:|gyp ERR! (?:find Python|stack Error)).*$/m)?.[0]?.trim();
    const why = cause ?? error?.message ?? `node-gyp ended with ${status ?? signal}`;
    return `the native addon could not be built: ${why}\nIt needs a C++20 compiler (g++ 10 or later), make and Python 3.\n${log}`;
  });
}

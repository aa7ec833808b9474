// Builds the addon with the node-gyp that npm brings, against the headers of the Node that runs, without downloading.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { ADDON_TARGET, FIRST_TARGETS, linkedWith } from '../native-sources.mjs';
import { withLock, withLockAsync } from './build-lock.mjs';
import { buildCudaKernels, cudaKernelsThere } from './cuda-kernels.mjs';
import { buildGlooPlugin, glooPluginThere } from './gloo-plugin.mjs';
import { addonStale, packageRoot } from './tree.mjs';

const BUILD = join(packageRoot, 'build');
const LOCK = join(packageRoot, 'build.lock');
/** What of binding.gyp the addons are linked with and knows Node-API, and so needs a dependency. */
const KNOWS_NODE_API = 'pibench_inspection';
/** Each part, and what is made for it: with all of the addon its first parts, too, so that they are of the same sources. */
const TARGETS = {
  whole: [ADDON_TARGET, ...Object.values(FIRST_TARGETS)],
  ...Object.fromEntries(Object.entries(FIRST_TARGETS).map(([part, target]) => [part, [target]])),
};

/** What is made for a part here: not every architecture has first parts. */
const madeFor = (part) => (TARGETS[part] ?? []).filter((target) => linkedWith(target) !== undefined);

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

/** Does `work`, which returns a promise, as the only one who installs, compiles or builds in this folder. */
export const asOnlyBuilder = (work, onWait) => withLockAsync(LOCK, BUILD, work, onWait);

/** Runs a command. `ended` resolves with whether it succeeded; `stop` ends it. */
function background(command, args) {
  const child = spawn(command, args, { cwd: packageRoot, stdio: 'ignore' });
  const ended = new Promise((resolve) =>
    child.on('error', () => resolve(false)).on('close', (code) => resolve(code === 0)),
  );
  return { ended, stop: () => child.kill() };
}

/**
 * Begins to build so much of the addon, while its dependencies are installed with all that needs none of them; for the only
 * builder. Returns `finish`, to be called when they are there, and `stop`, for when they will not be; both resolve when
 * nothing is built any more. Says nothing: what fails here compileNative() does again, and tells.
 * @param {import('./tree.mjs').Part} part
 */
export function beginNative(part) {
  const nodeGyp = findNodeGyp();
  if (nodeGyp === undefined || !addonStale(part)) return { finish: async () => {}, stop: async () => {} };
  const began = new Date();
  const targets = madeFor(part);
  const below = new Set(targets.flatMap((target) => linkedWith(target) ?? []));
  below.delete(KNOWS_NODE_API);
  let current;
  let stopped = false;
  const run = (command, args) => {
    if (stopped) return false;
    current = background(command, args);
    return current.ended;
  };
  const jobs = String(availableParallelism());
  // make itself, which ends its compilers when it is ended.
  const make = (goals) =>
    run(process.env.MAKE ?? 'make', ['-C', BUILD, 'BUILDTYPE=Release', '--jobs', jobs, ...goals]);
  const configured = run(process.execPath, [nodeGyp, 'configure', ...nodeGypOptions()]);
  const belowMade = configured.then((is) => is && make(below));
  const finish = async () => {
    if ((await belowMade) && (await make(targets))) madeSince(began, targets);
  };
  return {
    finish,
    stop: async () => {
      stopped = true;
      current?.stop();
      await belowMade;
    },
  };
}

/** What was built is as old as the beginning of that: a source that was changed meanwhile is newer. */
function madeSince(began, targets) {
  for (const target of targets) {
    const made = join(BUILD, 'Release', `${target}.node`);
    if (existsSync(made)) utimesSync(made, began, began);
  }
}

function nodeGypOptions() {
  const headers = findHeaders();
  return ['--release', '-j', 'max', ...(headers ? [`--nodedir=${headers}`] : [])];
}

function runNodeGyp(nodeGyp, commands) {
  const done = spawnSync(process.execPath, [nodeGyp, ...commands, ...nodeGypOptions()], {
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
  if (!force && existsSync(join(BUILD, 'Release'))) {
    const done = runNodeGyp(nodeGyp, ['configure', 'build']);
    if (done.status === 0 || refusesSource(done.log)) return done;
  }
  return runNodeGyp(nodeGyp, ['rebuild']);
}

/**
 * Builds the addon where it is missing or stale; `force`: from nothing; for the only builder. Returns null, or one line that
 * says why it could not be built. The whole log follows that line where it failed.
 */
export function compileNative({ force = false } = {}) {
  if (!force && !addonStale()) return null;
  const nodeGyp = findNodeGyp();
  if (nodeGyp === undefined)
    return 'node-gyp was not found: install npm, which brings it, then run this again';
  const kernels = cudaKernelsThere();
  const gloo = glooPluginThere();
  const began = new Date();
  const { status, signal, error, log } = runBuild(nodeGyp, force);
  // node-gyp may empty build/. What was compiled for GPUs and for Gloo is remembered, so this only puts it back.
  if (kernels) buildCudaKernels();
  if (gloo) buildGlooPlugin();
  if (status === 0) {
    madeSince(began, madeFor('whole'));
    return null;
  }
  const cause = log.match(/^.*(?:\berror:|gyp ERR! (?:find Python|stack Error)).*$/m)?.[0]?.trim();
  const why = cause ?? error?.message ?? `node-gyp ended with ${status ?? signal}`;
  return `the native addon could not be built: ${why}\nIt needs a C++20 compiler (g++ 11 or later), make and Python 3.\n${log}`;
}

/** The same for anybody: waits where somebody else builds. */
export const buildNative = (options) => withLock(LOCK, BUILD, () => compileNative(options));

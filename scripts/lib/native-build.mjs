// Builds the addon with the node-gyp that npm brings, against the headers of the Node that runs, without downloading.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { ADDON_TARGET, FIRST_TARGETS, linkedWith } from '../native-sources.mjs';
import { buildEnvironment } from './build-environment.mjs';
import { withLock, withLockAsync } from './build-lock.mjs';
import { buildCudaKernels, cudaKernelsThere } from './cuda-kernels.mjs';
import { buildGlooPlugin, glooPluginThere } from './gloo-plugin.mjs';
import { loading, loadProblem } from './load-addon.mjs';
import { changedUnseen, noteSources, readIfThere } from './source-record.mjs';
import { ADDONS, addonStale, nativeFiles, packageRoot, refusalOf, sourcesOf } from './tree.mjs';

const BUILD = join(packageRoot, 'build');
const LOCK = join(packageRoot, 'build.lock');
/** Which compiler compiled what is in the folder: make goes by times alone. */
const COMPILED_BY = join(BUILD, 'compiler');
/** What a person types, in a clone as in an installed package. */
const BUILD_PLUGINS = `node ${join(packageRoot, 'scripts', 'build-plugins.mjs')}`;
/** What of binding.gyp the addons are linked with and knows Node-API, and so needs a dependency. */
const KNOWS_NODE_API = 'pibench_inspection';
/** Each part, and what is made for it: with all of the addon its first parts, too, so that they are of the same sources. */
const TARGETS = {
  whole: [ADDON_TARGET, ...Object.values(FIRST_TARGETS)],
  ...Object.fromEntries(Object.entries(FIRST_TARGETS).map(([part, target]) => [part, [target]])),
};

/** What is made for a part here: not every architecture has first parts. */
const madeFor = (part) => (TARGETS[part] ?? []).filter((target) => linkedWith(target) !== undefined);

const addonOf = (target) => join(BUILD, 'Release', `${target}.node`);

const nodePrefix = () => dirname(dirname(process.execPath));

/** Where npm keeps its node-gyp: npm says so to its scripts; otherwise beside the Node that runs. */
function findNodeGyp() {
  const prefix = nodePrefix();
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
  const prefix = nodePrefix();
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
export const asOnlyBuilder = (work, onWait) => withLockAsync(LOCK, work, onWait);

/** Runs a command. `ended` resolves with whether it succeeded; `stop` ends it. */
function background(command, args) {
  const child = spawn(command, args, { cwd: packageRoot, env: buildEnvironment(), stdio: 'ignore' });
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
  const [sources, began] = [nativeFiles(), new Date()];
  if (nodeGyp === undefined || !addonStale(part) || hasToBeginAnew(sources))
    return { finish: async () => {}, stop: async () => {} };
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
    if (!(await belowMade) || !(await make(targets))) return;
    for (const addon of targets.map(addonOf)) {
      if (await run(process.execPath, loading(addon))) noteBuild([addon], sources, began);
      else rmSync(addon, { force: true });
    }
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

function nodeGypOptions() {
  const headers = findHeaders();
  return ['--release', '-j', 'max', ...(headers ? [`--nodedir=${headers}`] : [])];
}

function runNodeGyp(nodeGyp, commands) {
  const done = spawnSync(process.execPath, [nodeGyp, ...commands, ...nodeGypOptions()], {
    cwd: packageRoot,
    env: buildEnvironment(),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { ...done, log: `${done.stdout ?? ''}${done.stderr ?? ''}` };
}

/** Whether the compiler refused a source: what was compiled before is not to blame. */
const refusesSource = (log) => /\.(?:cc|h):\d+:\d+: (?:fatal )?error:/.test(log);

/** Which compiler it is; undefined: there is none. */
function compilerHere() {
  const compiler = process.env.CXX ?? 'g++';
  const { status, stdout } = spawnSync(compiler, ['--version'], { encoding: 'utf8' });
  return status === 0 ? `${compiler}\n${stdout}` : undefined;
}

/** Whether make would leave what has to be compiled anew: of other sources that are no newer, or by another compiler. */
function hasToBeginAnew(sources) {
  const compiled = readIfThere(COMPILED_BY);
  const here = compilerHere();
  if (compiled !== undefined && here !== undefined && compiled !== here) return true;
  return Object.values(ADDONS).some((addon) => changedUnseen(sourcesOf(addon), sources));
}

/** Compiles what changed since the last build, and all of it where there was none or where that did not help. */
function runBuild(nodeGyp, anew) {
  if (!anew && existsSync(join(BUILD, 'Release'))) {
    const done = runNodeGyp(nodeGyp, ['configure', 'build']);
    // A linker that was killed has left what make takes for linked; and what another compiler linked may be refused here.
    if (done.status === 0 && loadProblem(ADDONS.whole) === null) return done;
    if (done.status !== 0 && refusesSource(done.log)) return done;
  }
  return runNodeGyp(nodeGyp, ['rebuild']);
}

/** What was compiled for GPUs and for Gloo is remembered, so this only puts it back; returns why what is not. */
function restorePlugins({ kernels, gloo }) {
  const failed = kernels ? buildCudaKernels().failed : [];
  const why = gloo ? buildGlooPlugin() : null;
  return [...failed, ...(why === null ? [] : [why])].map((text) => text.split('\n', 1)[0]);
}

/** Notes of what addons were built, and by which compiler. */
function noteBuild(addons, sources, began) {
  for (const addon of addons) {
    noteSources(sourcesOf(addon), sources, began);
    rmSync(refusalOf(addon), { force: true });
  }
  const compiler = compilerHere();
  if (compiler !== undefined) writeFileSync(COMPILED_BY, compiler);
}

/**
 * Why the addon could not be built, in one line.
 * @param {ReturnType<typeof runNodeGyp>} done
 */
function causeOf({ status, signal, error, log }) {
  const cause = log.match(/^.*(?:\berror:|gyp ERR! (?:find Python|stack \w*Error)).*$/m)?.[0]?.trim();
  const why = cause ?? error?.message ?? `node-gyp ended with ${status ?? signal}`;
  // Then it is what fetches them that fails.
  return findHeaders() === undefined && /stack \w*Error/.test(why)
    ? `Node’s headers are not in ${join(nodePrefix(), 'include', 'node')} and could not be fetched: ${why}`
    : why;
}

/**
 * Builds the addon where it is missing or stale; `force`: from nothing; for the only builder. Returns null, or one line that
 * says why it could not be built. The whole log follows that line where it failed.
 * @param {{ force?: boolean, say?: (line: string) => void }} [options] what `say`: is told what else was there and is not any more
 */
export function compileNative({
  force = false,
  say = (line) => process.stderr.write(`pi-bench: ${line}\n`),
} = {}) {
  if (!force && !addonStale()) return null;
  const nodeGyp = findNodeGyp();
  if (nodeGyp === undefined)
    return 'node-gyp was not found: install npm, which brings it, then run this again';
  // node-gyp may empty build/.
  const plugins = { kernels: cudaKernelsThere(), gloo: glooPluginThere() };
  const [sources, began] = [nativeFiles(), new Date()];
  const done = runBuild(nodeGyp, force || hasToBeginAnew(sources));
  for (const why of restorePlugins(plugins))
    say(`a plugin that was built before is not built again: ${why}; then: ${BUILD_PLUGINS}`);
  const problem = done.status === 0 ? loadProblem(ADDONS.whole) : causeOf(done);
  if (problem === null) {
    noteBuild(madeFor('whole').map(addonOf), sources, began);
    return null;
  }
  const what = done.status === 0 ? 'was built and cannot be loaded' : 'could not be built';
  return `the native addon ${what}: ${problem}\nIt needs a C++20 compiler (g++ 11 or later), make, Python 3 and Node’s headers.\n${done.log}`;
}

/** The same for anybody: waits where somebody else builds. */
export const buildNative = (options) => withLock(LOCK, () => compileNative(options));

// Compiles and links native code, several at a time and only what is stale, for whoever says how: with which compiler and
// flags, and for which architecture. What depends on each file the compiler itself notes (-MMD).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { addonSources, nodeHeaderFlags } from '../native-sources.mjs';
import { runsHere } from './cpu-flags.mjs';
import { buildNative, dependenciesThere } from './native-build.mjs';
import { packageRoot } from './tree.mjs';

// Not below build/, which a build of the addon may empty.
const CACHE = join('node_modules', '.cache', 'native-checks');
const PARALLEL = Math.max(2, availableParallelism());
const STANDARD = 'native/precompiled/standard.h';
/** From so many files of the same flags on it is worth its time. */
const WORTH_PRECOMPILING = 8;

/**
 * How to build, and by whom what was built is run.
 * @typedef {object} Build
 * @property {string} folder where its objects and programs are kept, below the cache
 * @property {string} compiler
 * @property {string} arch as Node names it
 * @property {boolean} [asBuilt] the addon's code is linked as it was built for the addon
 * @property {boolean} [whatRuns] of the addon's code only what this CPU can execute is compiled so; the rest is linked as it was built
 * @property {readonly string[]} flags beside those of binding.gyp, to compile and to link
 * @property {(path: string) => readonly string[]} [flagsFor] beside them, for a program of its own
 * @property {readonly string[]} [linkFlags]
 * @property {Record<string, string>} [environment] of the programs
 * @property {readonly string[]} [emulator] the command that runs a program; none: it runs itself
 * @property {number} timeLimit of one program, in milliseconds
 * @property {(line: string) => void} [onProgress] called with each line in which a program says how far it has come
 */

/**
 * Runs a command to its end; never rejects.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { onOutput?: (text: string) => void }} [options]
 * @returns {Promise<{ status: number | string, stdout: string, stderr: string }>} the exit status, or the signal or error in its place
 */
export function execute(command, args, { onOutput = () => {}, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      onOutput(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', (error) => resolve({ status: error.message, stdout, stderr }));
    child.on('close', (code, signal) => resolve({ status: code ?? signal, stdout, stderr }));
  });
}

/**
 * Calls `work` with each item, as many at a time as there are CPUs, and returns what the calls returned, in order.
 * @template T, R
 * @param {readonly T[]} items
 * @param {(item: T) => R | Promise<R>} work
 * @returns {Promise<R[]>}
 */
export async function inParallel(items, work) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;

/** The files that an object was made of, from the rule that g++ -MMD wrote beside it; undefined where there is none. */
function ingredients(object) {
  const rule = object.replace(/\.o$/, '.d');
  if (!existsSync(rule)) return undefined;
  return readFileSync(rule, 'utf8')
    .replace(/^[^:]*:/, '')
    .replaceAll('\\\n', ' ')
    .trim()
    .split(/\s+/);
}

/** True where `target` has to be made again: absent, older than a source, or made by another command. */
function stale(target, sources, command) {
  if (sources === undefined) return true;
  const record = `${target}.command`;
  if (!existsSync(record) || readFileSync(record, 'utf8') !== command) return true;
  const made = modified(target);
  return sources.some((source) => {
    const changed = modified(join(packageRoot, source));
    return changed < 0 || changed >= made;
  });
}

/** Makes `target` unless it is there and fresh. Throws with the compiler's words. */
async function make(target, sources, compiler, args) {
  const command = [compiler, ...args].join(' ');
  if (!stale(target, sources, command)) return;
  mkdirSync(dirname(target), { recursive: true });
  // What a compiler that is ended leaves must not be taken for made.
  rmSync(`${target}.command`, { force: true });
  const done = await execute(compiler, args);
  if (done.status !== 0)
    throw new Error(`${command}\nended with ${done.status}\n${done.stdout}${done.stderr}`);
  writeFileSync(`${target}.command`, command);
}

async function compile({ path, flags }, build) {
  const object = join(CACHE, build.folder, path.replace(/\.cc$/, '.o'));
  const target = join(packageRoot, object);
  const args = [...flags, ...build.flags, '-MMD', '-c', path, '-o', object];
  await make(target, ingredients(target), build.compiler, args);
  return object;
}

/** Precompiles the standard library for whoever is compiled with these flags; returns the flags that bring it in. */
async function precompile(flags, build) {
  const folder = join(CACHE, build.folder, createHash('sha256').update(flags.join(' ')).digest('hex'));
  const args = [
    ...flags,
    ...build.flags,
    '-w',
    '-x',
    'c++-header',
    STANDARD,
    '-o',
    `${folder}/standard.h.gch`,
  ];
  await make(join(packageRoot, folder, 'standard.h.gch'), [STANDARD], build.compiler, args);
  return ['-I', folder, '-I', dirname(STANDARD), '-include', 'standard.h'];
}

/**
 * Compiles sources, each with its flags, and returns where their objects are, relative to the package.
 * @param {Build} build
 * @param {readonly { path: string, flags: readonly string[] }[]} sources
 * @returns {Promise<string[]>}
 */
export async function compileAll(build, sources) {
  const alike = new Map();
  for (const source of sources) {
    const how = source.flags.join(' ');
    alike.set(how, [...(alike.get(how) ?? []), source]);
  }
  const worthIt = [...alike.values()].filter((group) => group.length >= WORTH_PRECOMPILING);
  const brought = await inParallel(worthIt, ([{ flags }]) => precompile(flags, build));
  const more = new Map(worthIt.flatMap((group, i) => group.map((source) => [source, brought[i]])));
  return inParallel(sources, (source) =>
    compile({ ...source, flags: [...source.flags, ...(more.get(source) ?? [])] }, build),
  );
}

/** Links objects to a program, or to what the flags say. Returns where it is, relative to the package. */
export async function link(build, name, objects, flags = []) {
  const binary = join(CACHE, build.folder, name);
  const how = [...build.flags, ...(build.linkFlags ?? []), ...flags];
  const args = [...how, ...objects, '-pthread', '-ldl', '-o', binary];
  await make(join(packageRoot, binary), objects, build.compiler, args);
  return binary;
}

const knowsNodeApi = (path) => path.startsWith('native/addon');

/** The addon's code but for what knows Node-API. */
const belowNode = (arch) => addonSources(arch).filter(({ path }) => !knowsNodeApi(path));

/** Where node-gyp leaves the object of a source. */
const objectAsBuilt = ({ target, path }) =>
  join('build', 'Release', 'obj.target', target, path.replace(/\.cc$/, '.o'));

/**
 * What of the addon's code a build compiles, and the objects of the rest as the addon has them, which is built where it is stale. They
 * are linked last: of an inline function that others have too, the linker takes the first.
 * @param {Build} build
 * @param {ReturnType<typeof addonSources>} sources
 */
function compiledAnew({ whatRuns = false }, sources) {
  const compiled = sources.filter((source) => !whatRuns || runsHere(source));
  const rest = sources.filter((source) => !compiled.includes(source)).map(objectAsBuilt);
  const failure = rest.length > 0 ? buildNative() : null;
  if (failure !== null) throw new Error(failure);
  return { compiled, rest };
}

/**
 * Compiles sources, each with its flags. Returns their objects and those of the addon's code below Node-API, relative to
 * the package: of the addon itself, which is built where it is stale, or compiled as `build` says.
 * @param {Build} build
 * @throws Error with the compiler's words where something does not compile.
 */
export async function objectsWithAddon(build, sources) {
  const { compiled: below, rest } = compiledAnew(build, belowNode(build.arch));
  // Without node-addon-api there can be no addon: a machine to which only the sources were carried.
  if (!build.asBuilt || !dependenciesThere()) {
    // The kernels, which take longest, come first: none of them is left for one CPU at the end.
    const all = await compileAll(build, [...below, ...sources]);
    return { own: all.slice(below.length), shared: [...all.slice(0, below.length), ...rest] };
  }
  const failure = buildNative();
  if (failure !== null) throw new Error(failure);
  return { own: await compileAll(build, sources), shared: below.map(objectAsBuilt) };
}

/**
 * The whole addon, compiled as `build` says, which has to make position-independent code. Returns where it is, relative to
 * the package.
 * @param {Build} build
 */
export async function buildAddon(build) {
  const { compiled, rest } = compiledAnew(build, addonSources(build.arch));
  const sources = compiled.map(({ path, flags }) => ({
    path,
    flags: knowsNodeApi(path) ? [...flags, ...nodeHeaderFlags()] : flags,
  }));
  return link(build, 'pibench.node', [...(await compileAll(build, sources)), ...rest], ['-shared']);
}

// Builds and runs the check programs of test/native, for whoever says how: with which compiler and flags, for which
// architecture, and by which emulator. Compiles only what is stale.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { addonSources, commonFlags, filesBelow } from '../native-sources.mjs';
import { packageRoot } from './tree.mjs';

// Not below build/, which every build of the addon empties.
const CACHE = join('node_modules', '.cache', 'native-checks');
const PARALLEL = 2;
// What begins a line in which a program informs of something.
const INFORMED = '# ';

/**
 * How to build and run the programs.
 * @typedef {object} Build
 * @property {string} folder where its objects and programs are kept, below the cache
 * @property {string} compiler
 * @property {string} arch as Node names it
 * @property {readonly string[]} flags beside those of binding.gyp, to compile and to link
 * @property {readonly string[]} [linkFlags]
 * @property {Record<string, string>} [environment] of the programs
 * @property {readonly string[]} [emulator] the command that runs a program; none: it runs itself
 * @property {number} timeLimit of one program, in milliseconds
 * @property {(line: string) => void} [onProgress] called with each line in which a program informs of something
 */

/** For this machine, with the addon's optimization. */
export const HOST = {
  compiler: 'g++',
  arch: process.arch,
  folder: 'plain',
  flags: ['-O3'],
  timeLimit: 100_000,
};

/** The same where a check is asked for more than usual, and tells of its progress. */
export const unhurried = (build) => ({ ...build, timeLimit: 3_600_000, onProgress: printProgress });

const printProgress = (line) => process.stdout.write(`  ${line}\n`);

/** What a command line asks for: `gemm`, or with arguments of the program `gemm=20`, `shapes=1,avx2`. */
export function programAsked(text) {
  const [name, ...args] = text.split(/[=,]/);
  return { name, args };
}

/** The check programs, by their names without `_check.cc`. */
export function checkPrograms() {
  return filesBelow('test/native', ['_check.cc']).map((path) => basename(path, '_check.cc'));
}

/** Calls `onLine` with each whole line of the texts with which the function returned is called. */
function byLine(onLine) {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    lines.forEach(onLine);
  };
}

/** Runs a command to its end; never rejects. */
function execute(command, args, { onOutput = () => {}, ...options } = {}) {
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

/** Calls `work` with each item, so many at a time, and returns what the calls returned, in order. */
async function inParallel(items, work) {
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

const withCommonFlags = (path) => ({ path, flags: commonFlags() });
/** The addon's code but for what knows Node-API. */
const belowNode = (build) => addonSources(build.arch).filter(({ path }) => !path.startsWith('native/addon'));

export const checkPath = (name) => `test/native/${name}_check.cc`;

/**
 * Compiles programs, by their paths, and what they need. Returns where each is, relative to the package.
 * @param {Build} build
 * @throws Error with the compiler's words where something does not compile.
 */
export async function buildPrograms(build, paths) {
  await inParallel([...paths.map(withCommonFlags), ...belowNode(build)], (source) => compile(source, build));
  return inParallel(paths, (path) =>
    buildProgram(build, basename(path, '.cc').replace(/_check$/, ''), [path]),
  );
}

/** One program, by the name given, of several sources and the addon's code. */
export async function buildProgram(build, name, paths) {
  const sources = [...paths.map(withCommonFlags), ...belowNode(build)];
  const parts = await inParallel(sources, (source) => compile(source, build));
  const binary = join(CACHE, build.folder, name);
  const args = [...build.flags, ...(build.linkFlags ?? []), ...parts, '-pthread', '-ldl', '-o', binary];
  await make(join(packageRoot, binary), parts, build.compiler, args);
  return binary;
}

/**
 * Runs one program. Returns its name, how many checks it made, the lines of those that failed, null or what went wrong
 * with the program itself (a crash, a sanitizer's report, an end before its end), what it informed of, and its seconds.
 * @param {Build} build
 */
export async function runProgram(build, binary, args = []) {
  const begin = performance.now();
  const [command, ...rest] = [...(build.emulator ?? []), join(packageRoot, binary), ...args];
  const done = await execute(command, rest, {
    env: { ...process.env, ...build.environment },
    timeout: build.timeLimit,
    killSignal: 'SIGKILL',
    onOutput: byLine((line) => {
      if (line.startsWith(INFORMED)) build.onProgress?.(line.slice(INFORMED.length));
    }),
  });
  const seconds = (performance.now() - begin) / 1000;
  const lines = done.stdout.split('\n');
  const failed = lines.filter((line) => line.startsWith('not ok '));
  const informed = lines
    .filter((line) => line.startsWith(INFORMED))
    .map((line) => line.slice(INFORMED.length));
  const checks = lines.filter((line) => line.startsWith('ok ')).length + failed.length;
  const complete = checks > 0 && lines.includes(`1..${checks}`);
  const healthy =
    complete && (done.status === 0 || (done.status === 1 && failed.length > 0)) && done.stderr === '';
  const trouble = healthy
    ? null
    : `${basename(binary)} ended with ${done.status} after ${checks} checks\n${done.stderr}`;
  return { name: basename(binary), checks, failed, trouble, informed, seconds };
}

/** Prints one line about a program that ran, and what failed below it. Returns whether all was right. */
export function printResult({ name, checks, failed, trouble, seconds }) {
  const right = failed.length === 0 && trouble === null;
  const verdict = right
    ? 'right'
    : `${failed.length} FAILED${trouble === null ? '' : ', and the program itself'}`;
  process.stdout.write(
    `${name.padEnd(12)} ${String(checks).padStart(4)} checks  ${seconds.toFixed(1).padStart(5)} s  ${verdict}\n`,
  );
  for (const line of failed) process.stdout.write(`  ${line}\n`);
  if (trouble !== null) process.stdout.write(`  ${trouble.trimEnd().replaceAll('\n', '\n  ')}\n`);
  return right;
}

// Builds and runs the check programs of test/native, for whoever says how (native-objects.mjs).
import { basename, join } from 'node:path';
import { commonFlags, filesBelow } from '../native-sources.mjs';
import { execute, inParallel, link, objectsWithAddon } from './native-objects.mjs';
import { packageRoot } from './tree.mjs';

// What begins a line in which a program informs of something, and one in which it says how far it has come (test/native/check.h).
const INFORMED = '# ';
const PROGRESS = '#> ';

// Programs that compare results and know no time: these run beside each other, all others alone. Longest first.
export const TIMELESS = [
  'shapes',
  'amx',
  'cuda_gemm',
  'gemm',
  'verify',
  'cuda_passes',
  'cuda_types',
  'cuda_arithmetic',
  'mpi',
];

/** @typedef {import('./native-objects.mjs').Build} Build */

// Against what hangs: many times what the longest program takes, so that no machine is too slow for it.
const HANGS_MS = 1_200_000;
const HANGS_UNHURRIED_MS = 14_400_000;

/**
 * For this machine, with the addon's own objects: what is checked is what is used.
 * @type {Build}
 */
export const HOST = {
  asBuilt: true,
  compiler: 'g++',
  arch: process.arch,
  folder: 'plain',
  flags: ['-O3'],
  timeLimit: HANGS_MS,
};

/** The same where a check is asked for more than usual, and tells of its progress. */
export const unhurried = (build) => ({ ...build, timeLimit: HANGS_UNHURRIED_MS, onProgress: printProgress });

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

export const checkPath = (name) => `test/native/${name}_check.cc`;

const sourceOf = (build, path) => ({ path, flags: [...commonFlags(), ...(build.flagsFor?.(path) ?? [])] });

/**
 * Compiles programs, by their paths, and what they need. Returns where each is, relative to the package.
 * @param {Build} build
 * @param {readonly string[]} paths
 * @returns {Promise<string[]>}
 * @throws Error with the compiler's words where something does not compile.
 */
export async function buildPrograms(build, paths) {
  const { own, shared } = await objectsWithAddon(
    build,
    paths.map((path) => sourceOf(build, path)),
  );
  const names = paths.map((path) => basename(path, '.cc').replace(/_check$/, ''));
  return inParallel(own, (object) => link(build, names[own.indexOf(object)], [object, ...shared]));
}

/**
 * One program, by the name given, of several sources and the addon's code.
 * @param {Build} build
 * @param {string} name
 * @param {readonly string[]} paths
 * @returns {Promise<string>}
 */
export async function buildProgram(build, name, paths) {
  const { own, shared } = await objectsWithAddon(
    build,
    paths.map((path) => sourceOf(build, path)),
  );
  return link(build, name, [...own, ...shared]);
}

/**
 * @typedef {object} CheckResult
 * @property {string} name
 * @property {number} checks how many it made
 * @property {readonly string[]} failed the lines of those that failed
 * @property {string | null} trouble what went wrong with the program itself: a crash, a sanitizer's report, an end before its end
 * @property {readonly string[]} informed what it informed of
 * @property {number} seconds
 */

/**
 * Runs one program.
 * @param {Build} build
 * @param {string} binary relative to the package
 * @param {readonly string[]} [args]
 * @returns {Promise<CheckResult>}
 */
export async function runProgram(build, binary, args = []) {
  const begin = performance.now();
  const [command, ...rest] = [...(build.emulator ?? []), join(packageRoot, binary), ...args];
  const done = await execute(command, rest, {
    env: { ...process.env, ...build.environment },
    timeout: build.timeLimit,
    killSignal: 'SIGKILL',
    onOutput: byLine((line) => {
      if (line.startsWith(PROGRESS)) build.onProgress?.(line.slice(PROGRESS.length));
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

/**
 * Runs programs, each with its arguments and after how it was built, and calls `onResult` with the result of each as it
 * comes: those that know no time beside each other, then the others one by one.
 * @param {Build} build
 */
export async function runPrograms(build, programs, onResult) {
  const binaries = await buildPrograms(
    build,
    programs.map(({ name }) => checkPath(name)),
  );
  const runs = programs.map(({ name, args }, index) => ({
    rank: TIMELESS.indexOf(name),
    args,
    binary: binaries[index],
  }));
  const run = async ({ binary, args }) => onResult(await runProgram(build, binary, args));
  const timeless = runs.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
  await inParallel(timeless, run);
  for (const one of runs.filter(({ rank }) => rank < 0)) await run(one);
}

/**
 * Prints one line about a program that ran, and below it what failed and what it informed of, which is where it says what it
 * left out. Returns whether all was right.
 */
export function printResult({ name, checks, failed, trouble, informed, seconds }) {
  const right = failed.length === 0 && trouble === null;
  const verdict = right
    ? 'right'
    : `${failed.length} FAILED${trouble === null ? '' : ', and the program itself'}`;
  process.stdout.write(
    `${name.padEnd(12)} ${String(checks).padStart(4)} checks  ${seconds.toFixed(1).padStart(5)} s  ${verdict}\n`,
  );
  for (const line of failed) process.stdout.write(`  ${line}\n`);
  for (const line of new Set(informed)) process.stdout.write(`  ${INFORMED}${line}\n`);
  if (trouble !== null) process.stdout.write(`  ${trouble.trimEnd().replaceAll('\n', '\n  ')}\n`);
  return right;
}

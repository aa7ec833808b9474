// npm run check:native [-- --sanitize address,undefined | thread] [-- name ...]: compiles the check programs of
// test/native with the code that they check and runs them.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from './lib/tree.mjs';
import { addonSources, commonFlags, filesBelow } from './native-sources.mjs';

// Not below build/, which every build of the addon empties.
const CACHE = join('node_modules', '.cache', 'native-checks');
const PARALLEL = 2;
const TIME_LIMIT_MS = 100_000;

/** Each mode and what it adds to the flags of the addon. */
const MODES = {
  '': { folder: 'plain', flags: ['-O3'] },
  'address,undefined': {
    folder: 'address',
    flags: [
      '-O1',
      '-g',
      '-fno-omit-frame-pointer',
      '-fsanitize=address,undefined',
      '-fno-sanitize-recover=all',
    ],
    environment: { ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' },
  },
  thread: {
    folder: 'thread',
    flags: ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=thread'],
    environment: { TSAN_OPTIONS: 'halt_on_error=1' },
  },
};

export const sanitizers = Object.keys(MODES).filter((mode) => mode !== '');

/** The check programs, by their names without `_check.cc`. */
export function checkPrograms() {
  return filesBelow('test/native', ['_check.cc']).map((path) => basename(path, '_check.cc'));
}

/** Runs a command to its end; never rejects. */
function execute(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
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
async function make(target, sources, args) {
  const command = ['g++', ...args].join(' ');
  if (!stale(target, sources, command)) return;
  mkdirSync(dirname(target), { recursive: true });
  const done = await execute('g++', args);
  if (done.status !== 0)
    throw new Error(`${command}\nended with ${done.status}\n${done.stdout}${done.stderr}`);
  writeFileSync(`${target}.command`, command);
}

async function compile({ path, flags }, mode) {
  const object = join(CACHE, mode.folder, path.replace(/\.cc$/, '.o'));
  const target = join(packageRoot, object);
  await make(target, ingredients(target), [...flags, ...mode.flags, '-MMD', '-c', path, '-o', object]);
  return object;
}

const codeBelowNode = () => addonSources().filter(({ path }) => path !== 'native/addon.cc');
const withCommonFlags = (path) => ({ path, flags: commonFlags() });

/**
 * Compiles the programs named and what they need. Returns where each is, relative to the package.
 * @throws Error with the compiler's words where something does not compile.
 */
export async function buildChecks(programs = checkPrograms(), sanitize = '') {
  const mode = MODES[sanitize];
  const checked = codeBelowNode();
  const own = programs.map((name) => withCommonFlags(`test/native/${name}_check.cc`));
  const objects = await inParallel([...checked, ...own], (source) => compile(source, mode));
  const shared = objects.slice(0, checked.length);
  return inParallel(programs, (name) =>
    link(name, [objects[checked.length + programs.indexOf(name)], ...shared], mode),
  );
}

/** One program of these sources and the addon's code, as buildChecks() makes them. */
export async function buildProgram(name, paths) {
  const mode = MODES[''];
  const sources = [...paths.map(withCommonFlags), ...codeBelowNode()];
  return link(name, await inParallel(sources, (source) => compile(source, mode)), mode);
}

async function link(name, parts, mode) {
  const binary = join(CACHE, mode.folder, name);
  const args = [...mode.flags, ...parts, '-pthread', '-ldl', '-o', binary];
  await make(join(packageRoot, binary), parts, args);
  return binary;
}

/**
 * Runs one program. Returns its name, how many checks it made, the lines of those that failed, and null or what went
 * wrong with the program itself: a crash, a sanitizer's report, an end before its end.
 */
export async function runCheck(binary, sanitize = '') {
  const { environment } = MODES[sanitize];
  const done = await execute(join(packageRoot, binary), [], {
    env: { ...process.env, ...environment },
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const lines = done.stdout.split('\n');
  const failed = lines.filter((line) => line.startsWith('not ok '));
  const checks = lines.filter((line) => line.startsWith('ok ')).length + failed.length;
  const complete = checks > 0 && lines.includes(`1..${checks}`);
  const healthy =
    complete && (done.status === 0 || (done.status === 1 && failed.length > 0)) && done.stderr === '';
  const trouble = healthy
    ? null
    : `${basename(binary)} ended with ${done.status} after ${checks} checks\n${done.stderr}`;
  return { name: basename(binary), checks, failed, trouble };
}

async function main(args) {
  const at = args.indexOf('--sanitize');
  const sanitize = at < 0 ? '' : (args[at + 1] ?? '');
  if (MODES[sanitize] === undefined || (at >= 0 && sanitize === '')) {
    throw new Error(`--sanitize takes one of: ${sanitizers.join(' ')}`);
  }
  const named = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const programs = named.length > 0 ? named : checkPrograms();
  const binaries = await buildChecks(programs, sanitize);
  let wrong = 0;
  for (const binary of binaries) {
    const begin = performance.now();
    const { name, checks, failed, trouble } = await runCheck(binary, sanitize);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    const right = failed.length === 0 && trouble === null;
    if (!right) wrong += 1;
    const verdict = right
      ? 'right'
      : `${failed.length} FAILED${trouble === null ? '' : ', and the program itself'}`;
    process.stdout.write(
      `${name.padEnd(12)} ${String(checks).padStart(4)} checks  ${seconds.padStart(5)} s  ${verdict}\n`,
    );
    for (const line of failed) process.stdout.write(`  ${line}\n`);
    if (trouble !== null) process.stdout.write(`  ${trouble.trimEnd().replaceAll('\n', '\n  ')}\n`);
  }
  if (wrong > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`native-checks: ${error.message}\n`);
    process.exitCode = 1;
  });
}

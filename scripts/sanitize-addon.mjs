// node scripts/sanitize-addon.mjs [--long] [address,undefined | thread]: makes the whole addon with sanitizers (with each of them
// where none is named), of the objects of which native-checks.mjs makes the check programs, and uses it in Node. Fails
// where a sanitizer reports anything. --long looks for all that they can see, as check:long does.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeGpu, fakeNcclEnvironment } from '../test/support/fake-gpu-build.mjs';
import { buildAddon } from './lib/native-objects.mjs';
import { SANITIZED, SANITIZED_FULLY } from './lib/sanitized-builds.mjs';
import { buildControlAddon, MISTAKE_VARIABLE, requireReports } from './lib/sanitizer-controls.mjs';
import { packageRoot } from './lib/tree.mjs';

// Against what hangs only.
const TIME_LIMIT_MS = 1_200_000;
const EXERCISE = join(packageRoot, 'test', 'native', 'exercise-addon.mjs');
/**
 * What exercise-addon.mjs is asked for; `gpus`: what the fake driver is told, of exercises that have one.
 * @type {readonly { what: string, gpus?: string }[]}
 */
const EXERCISES = [
  { what: 'all' },
  { what: 'exit' },
  { what: 'gpus', gpus: 'devices=2' },
  { what: 'gpu-failure', gpus: 'launch-fails=2' },
];
const LEFT_OUT =
  'the libraries of others: MPI, cuBLAS, Gloo, CBLAS, oneDNN, libxsmm; leaveAtOnce, which ends the process; ranks that are children of the measuring thread, which native-checks.mjs has; what a GPU or NCCL itself does, of which there are fakes';
// A refused allocation is asked for on purpose, and warned of.
const REFUSED = /^==\d+==WARNING: AddressSanitizer failed to allocate .*$/gm;
// What a report makes of the exit status, so that it is not taken for another failure.
const REPORTED = 99;

/** Each sanitizer: the library that Node, which was built without, has to load first, and its options. */
const SANITIZERS = {
  'address,undefined': {
    library: 'libasan.so',
    // Leaks: V8 leaves memory to the end of the process. A refused allocation is a test here and no bug.
    options: (log) => ({
      ASAN_OPTIONS: `detect_leaks=0:allocator_may_return_null=1:exitcode=${REPORTED}:log_path=${log}`,
      UBSAN_OPTIONS: `halt_on_error=1:print_stacktrace=1:exitcode=${REPORTED}:log_path=${log}`,
    }),
  },
  thread: {
    library: 'libtsan.so',
    // Node and V8 synchronise by instructions that an uninstrumented program does not report; the addon is instrumented.
    options: (log) => ({
      TSAN_OPTIONS: `ignore_noninstrumented_modules=1:halt_on_error=1:allocator_may_return_null=1:exitcode=${REPORTED}:log_path=${log}`,
    }),
  },
};

const BUILDS = process.argv.includes('--long') ? SANITIZED_FULLY : SANITIZED;

function libraryPath(name) {
  const path = spawnSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout?.trim() ?? '';
  // g++ repeats the name where it does not have the library.
  if (!path.includes('/'))
    throw new Error(`g++ has no ${name}: install the sanitizer libraries of your compiler`);
  return path;
}

/** Runs Node with a sanitizer's library before all others; what it reported lies in `folder`, by `what`. */
function watched(args, what, sanitize, folder, environment = {}) {
  const { library, options } = SANITIZERS[sanitize];
  const done = spawnSync(process.execPath, args, {
    env: {
      ...process.env,
      ...environment,
      LD_PRELOAD: libraryPath(library),
      ...options(join(folder, `report-${what}`)),
    },
    encoding: 'utf8',
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const reports = readdirSync(folder)
    .filter((name) => name.startsWith(`report-${what}`))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return { done, reports };
}

/** Loads an addon of the same build that makes mistakes. @throws Error where one of them is not reported */
async function requireSanitizer(sanitize, folder) {
  const addon = join(packageRoot, await buildControlAddon(BUILDS[sanitize]));
  return requireReports(sanitize, (mistake) => {
    const args = ['--eval', 'require(process.argv[1])', addon];
    const { done, reports } = watched(args, mistake, sanitize, folder, { [MISTAKE_VARIABLE]: mistake });
    // UBSan writes its report where the program writes its errors.
    return { failed: done.status === REPORTED, report: [...reports, done.stderr].join('') };
  });
}

/**
 * Runs one exercise; returns null or what went wrong.
 * @param {string} addon
 * @param {typeof EXERCISES[number]} one
 * @param {string} sanitize
 * @param {string} folder
 */
function exercise(addon, { what, gpus }, sanitize, folder) {
  const environment = gpus === undefined ? {} : fakeNcclEnvironment(fakeGpu(), gpus);
  const args = ['--expose-gc', EXERCISE, addon, what];
  const { done, reports } = watched(args, what, sanitize, folder, environment);
  if (
    done.status === 0 &&
    reports.every((report) => !/ERROR|WARNING|runtime error/.test(report.replace(REFUSED, '')))
  )
    return null;
  return [`ended with ${done.status ?? done.signal}`, done.stdout, done.stderr, ...reports].join('\n').trim();
}

/** Builds with one sanitizer and runs every exercise; returns whether nothing was reported. */
async function sanitized(sanitize) {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-sanitize-'));
  let clean = true;
  try {
    const seen = await requireSanitizer(sanitize, folder);
    process.stdout.write(`sanitize-addon: ${sanitize}, reported, as it should be: ${seen.join(', ')}\n`);
    const addon = join(packageRoot, await buildAddon(BUILDS[sanitize]));
    for (const one of EXERCISES) {
      const began = performance.now();
      const trouble = exercise(addon, one, sanitize, folder);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const verdict = trouble === null ? `${seconds} s, nothing reported` : `FAILED\n${trouble}`;
      process.stdout.write(`sanitize-addon: ${sanitize}, ${one.what}: ${verdict}\n`);
      clean &&= trouble === null;
    }
  } catch (error) {
    process.stderr.write(`sanitize-addon: ${error.message}\n`);
    clean = false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return clean;
}

const known = Object.keys(SANITIZERS);
const named = process.argv.slice(2).filter((arg) => arg !== '--long');
const wanted = named.length > 0 ? named : known;
if (wanted.some((name) => !known.includes(name))) {
  process.stderr.write(`sanitize-addon: say which sanitizer: ${known.join(' or ')}\n`);
  process.exitCode = 64;
} else {
  process.stdout.write(`left out: ${LEFT_OUT}\n`);
  for (const name of wanted) if (!(await sanitized(name))) process.exitCode = 1;
}

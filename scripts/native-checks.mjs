// npm run check:native [-- --sanitize address,undefined | thread] [--long] [-- program ...]: compiles the check programs
// of test/native with the code that they check and runs them. `gemm=20` gives a program an argument; --long lets them
// take their time, looks for all that the sanitizers can see and prints how far they have come.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isTold, linuxHas, runsHere } from './lib/cpu-flags.mjs';
import { execute } from './lib/native-objects.mjs';
import {
  buildPrograms,
  checkPath,
  checkPrograms,
  HOST,
  printResult,
  programAsked,
  runProgram,
  runPrograms,
  unhurried,
} from './lib/native-programs.mjs';
import { SANITIZED, SANITIZED_FULLY, SEEN_TWICE } from './lib/sanitized-builds.mjs';
import { buildControlProgram, requireReports } from './lib/sanitizer-controls.mjs';
import { packageRoot } from './lib/tree.mjs';
import { addonSources } from './native-sources.mjs';

/**
 * What of the check programs npm test runs beside its other tests: what takes seconds, and of the products a share. All of them, in
 * full, are run where nobody names any, as .ci/run does.
 */
export const QUICK = ['shapes=70', 'gemm=0.25', 'mpi'];

/** Programs that compute for longer than the compiler takes to make them fast. The addon's sources are compiled as for the addon. */
const COMPUTING = ['shapes', 'gemm'].map(checkPath);

/** @type {import('./lib/native-objects.mjs').Build} */
const CHECKED = {
  ...HOST,
  folder: 'checked',
  flags: [],
  flagsFor: (path) => [COMPUTING.includes(path) ? '-O3' : '-O1'],
};

/** @type {Readonly<Record<string, import('./lib/native-objects.mjs').Build>>} */
const BUILDS = { '': CHECKED, ...SANITIZED };
/** @type {typeof BUILDS} */
const LONG_BUILDS = { '': HOST, ...SANITIZED_FULLY };
/**
 * What shows a sanitizer nothing.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const WITHOUT = { thread: ['shapes', 'cuda_gemm', 'cuda_passes', 'collective_data', 'children'] }; // one thread

/**
 * What is asked of the programs that take longest, where nobody names them: the plain build asks for more of the same, and
 * check:long for all of it.
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const LESS = {
  'address,undefined': { shapes: 'shapes=70', gemm: 'gemm=0.5', collective: 'collective=turns' },
  thread: { gemm: 'gemm=0.25' },
};

/** What `--sanitize` takes. */
export const sanitizers = Object.keys(SANITIZED);

/**
 * Compiles the programs named, as the addon is, and returns where each is, in their order, relative to the package.
 * @param {readonly string[]} programs
 */
export const buildChecks = (programs) => buildPrograms(CHECKED, programs.map(checkPath));

/**
 * @param {string} binary
 * @param {readonly string[]} [args]
 */
export const runCheck = (binary, args = []) => runProgram(CHECKED, binary, args);

/**
 * The instruction sets that a program says it left out, although this CPU executes what products in them take.
 * @param {Pick<import('./lib/native-programs.mjs').CheckResult, 'informed'>} result
 */
export function leftOutWrongly({ informed }) {
  const leftOut = informed
    .map((line) => /^(\S+) does not run here$/.exec(line)?.[1])
    .filter((isa) => isa !== undefined);
  return isTold ? [...new Set(leftOut)].filter((isa) => linuxHas('gemm', isa)) : [];
}

/**
 * What is run where no program is named.
 * @param {string} sanitize
 * @param {boolean} long
 */
export const programsOf = (sanitize, long) =>
  checkPrograms()
    .filter((name) => !WITHOUT[sanitize]?.includes(name))
    .map((name) => (long ? name : (LESS[sanitize]?.[name] ?? name)));

/** What of that is less than the plain build is asked for; empty: nothing. */
const leftOut = (sanitize, long) =>
  [
    ...(sanitize === 'address,undefined' && !long
      ? [`of undefined behaviour ${SEEN_TWICE.join(', ')}, which check:long looks for`]
      : []),
    ...(sanitize !== '' && !long
      ? addonSources()
          .filter((source) => !runsHere(source))
          .map(({ path }) => `${path}, which this CPU cannot execute`)
      : []),
    ...(WITHOUT[sanitize] ?? []).map((name) => `${name}, which has one thread`),
    ...Object.values(long ? {} : (LESS[sanitize] ?? {})).map(
      (program) => `of ${program.split('=')[0]} all but ${program}; the plain build has more`,
    ),
  ].join('; ');

/**
 * @param {string} sanitize
 * @param {import('./lib/native-objects.mjs').Build} build which is to have it
 * @throws Error where the programs of this build would have nothing reported
 */
export async function requireSanitizer(sanitize, build) {
  const program = join(packageRoot, await buildControlProgram(build));
  return requireReports(sanitize, async (mistake) => {
    const done = await execute(program, [mistake], { env: { ...process.env, ...build.environment } });
    return { failed: done.status !== 0, report: done.stderr };
  });
}

async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { sanitize: { type: 'string', default: '' }, long: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const asked = (values.long ? LONG_BUILDS : BUILDS)[values.sanitize];
  if (asked === undefined) throw new Error(`--sanitize takes one of: ${sanitizers.join(' ')}`);
  const less = positionals.length > 0 ? '' : leftOut(values.sanitize, values.long);
  if (less !== '') process.stdout.write(`left out: ${less}\n`);
  if (values.sanitize !== '')
    process.stdout.write(
      `reported, as it should be: ${(await requireSanitizer(values.sanitize, asked)).join(', ')}\n`,
    );
  const programs = (positionals.length > 0 ? positionals : programsOf(values.sanitize, values.long)).map(
    programAsked,
  );
  await runPrograms(values.long ? unhurried(asked) : asked, programs, (result) => {
    const right = printResult(result);
    const skipped = leftOutWrongly(result);
    if (skipped.length > 0) process.stdout.write(`  NOT CHECKED: ${skipped.join(' ')}\n`);
    if (!right || skipped.length > 0) process.exitCode = 1;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`native-checks: ${error.message}\n`);
    process.exitCode = 1;
  });
}

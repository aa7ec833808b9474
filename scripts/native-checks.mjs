// npm run check:native [-- --sanitize address,undefined | thread] [--long] [-- program ...]: compiles the check programs
// of test/native with the code that they check and runs them. `gemm=20` gives a program an argument; --long lets them
// take their time and prints what they inform of.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  buildPrograms,
  checkPath,
  checkPrograms,
  HOST,
  printResult,
  programAsked,
  runProgram,
  unhurried,
} from './lib/native-programs.mjs';

export { checkPrograms };

/** Each mode and what it adds to the flags of the addon. */
const MODES = {
  '': HOST,
  'address,undefined': {
    ...HOST,
    folder: 'address',
    flags: [
      '-O1',
      '-g',
      '-fno-omit-frame-pointer',
      '-fsanitize=address,undefined',
      '-fno-sanitize-recover=all',
    ],
    timeLimit: 300_000,
    environment: { ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' },
  },
  thread: {
    ...HOST,
    folder: 'thread',
    flags: ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=thread'],
    timeLimit: 300_000,
    environment: { TSAN_OPTIONS: 'halt_on_error=1' },
    without: ['shapes', 'cuda_gemm', 'cuda_passes'], // one thread
  },
};

export const sanitizers = Object.keys(MODES).filter((mode) => mode !== '');

/** Compiles the programs named and returns where each is, relative to the package. */
export const buildChecks = (programs = checkPrograms(), sanitize = '') =>
  buildPrograms(MODES[sanitize], programs.map(checkPath));

export const runCheck = (binary, sanitize = '') => runProgram(MODES[sanitize], binary);

/** What is run where no program is named. */
const programsOf = (sanitize) => checkPrograms().filter((name) => !MODES[sanitize].without?.includes(name));

async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { sanitize: { type: 'string', default: '' }, long: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const mode = MODES[values.sanitize];
  if (mode === undefined) throw new Error(`--sanitize takes one of: ${sanitizers.join(' ')}`);
  const build = values.long ? unhurried(mode) : mode;
  const programs = (positionals.length > 0 ? positionals : programsOf(values.sanitize)).map(programAsked);
  const binaries = await buildPrograms(
    build,
    programs.map(({ name }) => checkPath(name)),
  );
  let wrong = 0;
  for (const [index, binary] of binaries.entries()) {
    if (!printResult(await runProgram(build, binary, programs[index].args))) wrong += 1;
  }
  if (wrong > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`native-checks: ${error.message}\n`);
    process.exitCode = 1;
  });
}

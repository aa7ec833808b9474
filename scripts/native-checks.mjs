// npm run check:native [-- --sanitize address,undefined | thread] [-- name ...]: compiles the check programs of
// test/native with the code that they check and runs them.
import { fileURLToPath } from 'node:url';
import {
  buildPrograms,
  checkPath,
  checkPrograms,
  HOST,
  printResult,
  runProgram,
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
    environment: { ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' },
  },
  thread: {
    ...HOST,
    folder: 'thread',
    flags: ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=thread'],
    environment: { TSAN_OPTIONS: 'halt_on_error=1' },
  },
};

export const sanitizers = Object.keys(MODES).filter((mode) => mode !== '');

/** Compiles the programs named and returns where each is, relative to the package. */
export const buildChecks = (programs = checkPrograms(), sanitize = '') =>
  buildPrograms(MODES[sanitize], programs.map(checkPath));

export const runCheck = (binary, sanitize = '') => runProgram(MODES[sanitize], binary);

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
    if (!printResult(await runCheck(binary, sanitize))) wrong += 1;
  }
  if (wrong > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`native-checks: ${error.message}\n`);
    process.exitCode = 1;
  });
}

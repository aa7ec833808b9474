// The flags of a script: `--help` prints what there is and ends, a wrong one is one line and ends with 1.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} Options
 * @param {string} usage
 * @param {Options} options of parseArgs; `--help` is added
 * @param {string[]} [args]
 * @returns {ReturnType<typeof parseArgs<{ options: Options }>>['values']}
 */
export function readFlags(usage, options, args = process.argv.slice(2)) {
  if (args.includes('--help')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  return orEnd(() => parseArgs({ args, options, allowNegative: true })).values;
}

/**
 * What `read` makes of flags, or its error as the one line that ends the script.
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
export function orEnd(read) {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${basename(process.argv[1] ?? 'script', '.mjs')}: ${error.message}; see --help\n`);
    process.exit(1);
  }
}

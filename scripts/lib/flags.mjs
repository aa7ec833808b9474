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
    process.stderr.write(
      `${basename(process.argv[1] ?? 'script', '.mjs')}: ${error.message.replaceAll('\n', ' ')}; see --help\n`,
    );
    process.exit(1);
  }
}

/**
 * The value of a flag that takes a whole number.
 * @param {string} flag
 * @param {string} text
 * @param {number} [least]
 * @throws Error that says what it takes
 */
export function wholeNumber(flag, text, least = 1) {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    throw new Error(`${flag} is a whole number from ${least} on, not ${text || 'nothing'}`);
  return value;
}

/**
 * @param {string} flag
 * @param {string} text
 * @throws Error that says what it takes
 */
export function positiveNumber(flag, text) {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value)))
    throw new Error(`${flag} is a number above 0, not ${text || 'nothing'}`);
  return value;
}

/**
 * Such numbers with commas between them.
 * @param {string} flag
 * @param {string} text
 */
export const wholeNumbers = (flag, text) => text.split(',').map((one) => wholeNumber(flag, one));

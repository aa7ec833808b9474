// The flags of bench:memory.
import { PASS_NAMES } from '../../dist/indicators/memory-passes.js';
import { parseCount } from '../../dist/quantities/parse.js';
import { parseByteList, parseNames } from '../../dist/quantities/parse-list.js';
import { orEnd, readFlags } from '../lib/flags.mjs';

const USAGE = `npm run bench:memory -- [flags]: pi-bench's passes over memory, as \`auto\` chooses them, beside the C library's and beside each other
  --pass LIST      of ${PASS_NAMES.join(', ')}; all
  --threads LIST   1,2
  --size LIST      bytes of all arrays together, as 64KiB,1MiB or 16KiB..256MiB*2: the sizes that pi-bench memory takes by itself
  --rounds N       turns of each way in each case: 8; up to four times as many where they do not decide
  --launches N     over so many processes: 4
  --seed N         of the order of the turns: 1
  --markdown FILE  also writes the tables there, with the machine's description
`;

/** @satisfies {import('node:util').ParseArgsConfig['options']} */
const FLAGS = {
  pass: { type: 'string', default: PASS_NAMES.join(',') },
  threads: { type: 'string', default: '1,2' },
  size: { type: 'string' },
  rounds: { type: 'string', default: '8' },
  launches: { type: 'string', default: '4' },
  seed: { type: 'string', default: '1' },
  markdown: { type: 'string' },
};

/** @typedef {ReturnType<typeof readOptions>} Options */

/** @param {string[]} [args] */
export function readOptions(args) {
  const flags = readFlags(USAGE, FLAGS, args);
  return orEnd(() => {
    const rounds = parseCount(flags.rounds, '--rounds');
    return {
      passes: parseNames(flags.pass, '--pass', PASS_NAMES),
      threads: flags.threads.split(',').map((text) => parseCount(text, '--threads')),
      sizes: flags.size === undefined ? null : parseByteList(flags.size, '--size'),
      rounds,
      launches: Math.min(rounds, parseCount(flags.launches, '--launches')),
      seed: parseCount(flags.seed, '--seed'),
      markdown: flags.markdown,
    };
  });
}

// The flags of bench:coverage.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../lib/flags.mjs';

export const USAGE = `npm run bench:coverage -- [flags]: how often the 95 % intervals contain the truth
  --trials N       of each setting: 1000
  --repetitions N  in each launch: 200
  --seed N         of everything that is drawn: 1
  --quick          150 trials of 60 repetitions, for a look
  --within         only the intervals within one launch
  --record DIR     also replays the launches of this campaign's record (several: give it again)
  --markdown FILE  also writes the tables there
`;

/** @satisfies {import('node:util').ParseArgsConfig['options']} */
const FLAGS = {
  trials: { type: 'string' },
  repetitions: { type: 'string' },
  seed: { type: 'string', default: '1' },
  quick: { type: 'boolean', default: false },
  within: { type: 'boolean', default: false },
  record: { type: 'string', multiple: true, default: [] },
  markdown: { type: 'string' },
  help: { type: 'boolean', default: false },
};

/**
 * @param {string[]} args
 * @throws Error with what is wrong with the flags
 */
export function readOptions(args) {
  const { values } = parseArgs({ args, options: FLAGS });
  return {
    help: values.help,
    trials: wholeNumber('--trials', values.trials ?? (values.quick ? '150' : '1000'), 10),
    // Criterion's way of sampling needs a few in each of its values.
    repetitions: wholeNumber('--repetitions', values.repetitions ?? (values.quick ? '60' : '200'), 20),
    seed: wholeNumber('--seed', values.seed, 0),
    within: values.within,
    records: values.record,
    markdown: values.markdown,
  };
}

// Of a library's settings, which is the fastest here: tried in turns on the product itself, or for the largest ones on
// the case before.
import { operationsOf, square } from './shapes.mjs';
import { measureInTurns } from './turns.mjs';

const LARGEST_TRIAL = operationsOf(square(1024));
const TRIAL = { rounds: 3, launches: 1, seconds: 0.05 };

const fastest = (runs) => {
  const seconds = ({ trouble, launches }) =>
    trouble === null ? Math.min(...launches.flat().map(({ min }) => min)) : Number.POSITIVE_INFINITY;
  return runs.reduce((best, run) => (seconds(run) < seconds(best) ? run : best)).candidate.setting;
};

async function tried(candidate, situation, draw) {
  const runs = await measureInTurns(
    candidate.settings.map((setting) => ({ setting, process: candidate.processFor(situation, setting) })),
    { ...TRIAL, draw },
  );
  return fastest(runs);
}

/**
 * The setting of each candidate for this case, by its name. `before` has those of the case before, which large products
 * keep; where there is none, they are tried, too, however long that takes.
 */
export async function settle(candidates, situation, before, draw) {
  const settings = {};
  for (const candidate of candidates) {
    const { name, settings: choices } = candidate;
    const known = choices.length === 1 ? choices[0] : before[name];
    const open = choices.length > 1 && operationsOf(situation.shape) <= LARGEST_TRIAL;
    settings[name] = open || known === undefined ? await tried(candidate, situation, draw) : known;
  }
  return settings;
}

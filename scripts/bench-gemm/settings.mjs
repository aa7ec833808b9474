// Of a library's settings, which is the fastest here: tried in turns on one product of middle size.
import { operationsOf, square } from './shapes.mjs';
import { measureInTurns } from './turns.mjs';

const TRIAL = square(512);
const TRIAL_ROUNDS = 2;

/** The candidates, each with the setting that it is measured with: `setting`. */
export async function settle(candidates, situationOf, { seconds }, draw) {
  const situation = situationOf(TRIAL);
  const settled = [];
  for (const candidate of candidates) {
    const settings = candidate.settings;
    if (settings.length === 1 || !candidate.applies(situation)) {
      settled.push({ ...candidate, setting: settings[0] });
      continue;
    }
    const runs = await measureInTurns(
      settings.map((setting) => ({ setting, process: candidate.processFor(situation, setting) })),
      { rounds: TRIAL_ROUNDS, launches: 1, seconds, draw },
    );
    const rate = ({ trouble, turns }) =>
      trouble === null ? operationsOf(TRIAL) / Math.min(...turns.map(({ min }) => min)) : 0;
    const best = runs.reduce((fastest, run) => (rate(run) > rate(fastest) ? run : fastest));
    settled.push({ ...candidate, setting: best.candidate.setting });
  }
  return settled;
}

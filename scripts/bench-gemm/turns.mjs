// A case's candidates in turns: in each round every one of them once, in an order drawn anew, so that what drifts or comes
// and goes on the machine meets all of them alike.
import { shuffled } from '../lib/draw.mjs';
import { roundsOfLaunches } from '../lib/paired.mjs';
import { startChild } from './child.mjs';

const trouble = ({ wrong, failed, unsupported }) =>
  wrong !== undefined
    ? `WRONG: ${wrong}`
    : failed !== undefined
      ? `failed: ${failed}`
      : unsupported !== undefined
        ? `unsupported: ${unsupported}`
        : null;

/** One launch of each candidate, measured in rounds of turns. */
async function launch(candidates, rounds, { seconds, draw }) {
  const runs = [];
  try {
    // One after the other: each warms up alone.
    for (const candidate of candidates) {
      const child = await startChild(candidate.process);
      runs.push({ candidate, child, hello: child.hello, turns: [], trouble: trouble(child.hello) });
    }
    for (let round = 0; round < rounds; round++) {
      for (const run of shuffled(runs, draw)) {
        if (run.trouble !== null) continue;
        const answer = await run.child.turn(seconds);
        run.trouble = trouble(answer);
        run.turns.push(answer);
      }
    }
  } finally {
    await Promise.all(runs.map(({ child }) => child.end()));
  }
  return runs.map(({ child, ...run }) => run);
}

/**
 * Measures the candidates in rounds of turns, in some launches: a process keeps the memory that it got, and its speed with
 * it. Returns for each, in their order, { candidate, hello, launches, trouble }: the answers of its turns, one for each round of
 * each launch, or what kept it from giving them.
 */
export async function measureInTurns(candidates, options) {
  const all = [];
  for (const rounds of roundsOfLaunches(options.rounds, options.launches))
    all.push(await launch(candidates, rounds, options));
  return all[0].map(({ turns, ...run }, index) => ({
    ...run,
    launches: all.map((runs) => runs[index].turns),
    trouble: all.map((runs) => runs[index].trouble).find((text) => text !== null) ?? null,
  }));
}

/**
 * The launches of the same candidates measured again, behind those that there are.
 * @template {Pick<import('./results.mjs').Run, 'launches' | 'trouble'>} R
 * @param {readonly R[]} runs
 * @param {readonly R[]} more
 */
export const withMoreLaunches = (runs, more) =>
  runs.map((run, index) => ({
    ...run,
    launches: [...run.launches, ...more[index].launches],
    trouble: run.trouble ?? more[index].trouble,
  }));

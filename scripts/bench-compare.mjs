// npm run bench:compare: how often `compare` and the interval of a score are right. Without more, on launches whose truth is
// known, seeded: the same numbers each time. `-- --trials 100` (or `--quick`: 10) measures instead: a stack against itself, and
// against itself with 3 % of its work done once more, each as often. The tables of docs/score.md are its output.
import { bootstrap } from './lib/bootstrap.mjs';
import { orEnd, readFlags, wholeNumber } from './lib/flags.mjs';

const QUICK = 10;

const USAGE = `npm run bench:compare -- [flags]: how often compare and the interval of a score are right
  --trials N  measures so many instead of drawing them
  --quick     10 of them
  --size N    of the product that is measured: 64
  --out DIR   where its records go
`;
const values = readFlags(USAGE, {
  trials: { type: 'string' },
  quick: { type: 'boolean', default: false },
  size: { type: 'string', default: '64' },
  out: { type: 'string' },
});

const count = values.quick ? QUICK : 0;
const asked = orEnd(() => ({
  trials: values.trials === undefined ? count : wholeNumber('--trials', values.trials, 0),
  size: wholeNumber('--size', values.size),
}));

const failure = await bootstrap();
if (failure !== null) throw new Error(failure);
// What they compute with has been built by now.
if (asked.trials === 0) {
  const { simulateFixed, simulateScores, simulateSettling } = await import('./bench-compare/simulate.mjs');
  simulateSettling();
  simulateFixed();
  simulateScores();
} else {
  const { runTrials } = await import('./bench-compare/trials.mjs');
  process.exitCode = (await runTrials({ ...asked, out: values.out })) ? 0 : 1;
}

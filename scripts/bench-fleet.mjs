// npm run bench:fleet: how often fleet check finds defects of known kinds, and how often it names a healthy node, beside SuperBench's
// rule of means; seeded, so the same numbers each time. `-- --quick`: fewer fleets; `-- --seed 2`: others. `-- --tails`: many fleets whose
// healthy nodes differ with heavy tails, by their levels alone. `-- --scale`: 10,000 nodes of 200 KPIs, seconds and memory. The tables of docs/fleet.md are
// its output.
import { bootstrap } from './lib/bootstrap.mjs';
import { orEnd, readFlags, wholeNumber } from './lib/flags.mjs';

const USAGE = `npm run bench:fleet -- [flags]: how often fleet check finds defects, and how often it names a healthy node
  --quick   fewer fleets
  --tails   healthy nodes whose levels differ with heavy tails
  --scale   10,000 nodes of 200 KPIs: seconds and memory
  --seed N  of what is drawn: 1
`;
const values = readFlags(USAGE, {
  quick: { type: 'boolean', default: false },
  scale: { type: 'boolean', default: false },
  tails: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
});
const SEED = orEnd(() => wholeNumber('--seed', values.seed));
const FLEETS = values.quick ? 4 : 25;
const SMALL_FLEETS = values.quick ? 8 : 40;

const failure = await bootstrap();
if (failure !== null) throw new Error(failure);
if (values.scale) {
  const { runScale } = await import('./bench-fleet/scale.mjs');
  await runScale();
} else if (values.tails) {
  const { runTails } = await import('./bench-fleet/tails.mjs');
  runTails(values.quick ? 20 : 200, SEED);
} else {
  const { runKinds, runSmall } = await import('./bench-fleet/kinds.mjs');
  runKinds(FLEETS, SEED);
  runSmall(SMALL_FLEETS, SEED);
}

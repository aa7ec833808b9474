// How often each kind of defect is found, and how often a healthy node is named.
import { checkFleet } from '../../dist/fleet/check.js';
import { distance } from '../../dist/fleet/distance.js';
import { centreOf, levelOf, limitOf, reachesOf } from '../../dist/fleet/limits.js';
import { medoid, medoidOfPairs, sketchIn } from '../../dist/fleet/medoid.js';
import { gapsFrom, MARGINS, sketchesOf } from '../../dist/fleet/rules.js';
import { KNOTS } from '../../dist/fleet/sketch.js';
import { fleetOf } from '../../dist/fleet/table.js';
import { aboveStudent, bestLimit } from './in-principle.mjs';
import { DEFECTS, HEAVY, KPIS, NOISES, REPETITIONS, simulatedNode, source } from './simulated.mjs';
import { namedByMeans } from './superbench-rule.mjs';

const NODES = 250;
/** Of each kind in each fleet, at one KPI and at all of them. */
const OF_EACH = 2;
const OPTIONS = { scale: 1, baseline: null };

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const header = (cells) => {
  row(cells);
  console.log(`|${cells.map(() => '---|').join('')}`);
};
const percent = (part, of, digits = 1) => (of === 0 ? '' : `${((100 * part) / of).toFixed(digits)} %`);

/** What each node of a fleet is to be: defect and where, or nothing. */
function castOf(nodes, draw, ofEach) {
  const cast = Array.from({ length: nodes }, () => ({ defect: null, where: null, kind: -1, all: false }));
  let at = 0;
  DEFECTS.forEach((defect, kind) => {
    for (let i = 0; i < ofEach; i++) {
      cast[at++] = { defect, kind, where: Math.floor(draw.uniform() * KPIS), all: false };
      cast[at++] = { defect, kind, where: null, all: true };
    }
  });
  return cast;
}

function runFleet(noise, draw, nodes, ofEach) {
  const cast = castOf(nodes, draw, ofEach);
  const made = cast.map(({ defect, where }, i) => simulatedNode(`n${i}`, noise, defect, where, draw));
  const fleet = fleetOf(made.map(({ line }) => line));
  const named = new Map(checkFleet(fleet, OPTIONS).named.map(({ node, verdict }) => [node, verdict]));
  const byMeans = namedByMeans(made.map(({ means }) => means));
  const verdicts = cast.map((_, i) => named.get(`n${i}`) ?? 'pass');
  return { cast, fleet, verdicts, theirs: byMeans };
}

const counters = () => ({ of: 0, ours: 0, again: 0, theirs: 0 });

function count(counter, { verdicts, theirs }, i) {
  counter.of++;
  if (verdicts[i] !== 'pass') counter.ours++;
  if (verdicts[i] === 'inconclusive') counter.again++;
  if (theirs[i]) counter.theirs++;
}

export function runKinds(fleets, seed) {
  console.log(
    `Fleets of ${NODES} nodes, ${KPIS} KPIs with ${REPETITIONS} repetitions each, ${fleets} fleets for each kind of noise; ${OF_EACH} nodes of each kind and place in each fleet. Ours / mean within 5 %.\n`,
  );
  header([
    'healthy noise',
    'healthy nodes named',
    'to be measured again',
    ...DEFECTS.flatMap(({ name }) => [`${name}, at one KPI`, 'at all']),
  ]);
  const open = [];
  const agreement = { judged: 0, same: 0, further: 0 };
  NOISES.forEach((noise, n) => {
    const draw = source(1000 * seed + n);
    const healthy = counters();
    const found = DEFECTS.map(() => ({ one: counters(), all: counters() }));
    for (let i = 0; i < fleets; i++) {
      const run = runFleet(noise, draw, NODES, OF_EACH);
      run.cast.forEach(({ kind, all }, node) => {
        count(kind < 0 ? healthy : found[kind][all ? 'all' : 'one'], run, node);
      });
      if (i < 2) compareMedoids(run.fleet, agreement);
      if (process.stderr.isTTY) process.stderr.write(`\r${noise.name}: ${i + 1} of ${fleets} `);
    }
    const shares = ({ of, ours, theirs }) => `${percent(ours, of)} / ${percent(theirs, of)}`;
    const failed = healthy.ours - healthy.again;
    row([
      noise.name,
      `${failed} / ${healthy.theirs} of ${healthy.of} (${percent(failed, healthy.of, 3)} / ${percent(healthy.theirs, healthy.of, 3)})`,
      `${healthy.again} (${percent(healthy.again, healthy.of, 3)})`,
      ...found.flatMap(({ one, all }) => [shares(one), shares(all)]),
    ]);
    DEFECTS.forEach(({ name }, kind) => {
      for (const [where, { again, ours }] of Object.entries(found[kind])) {
        if (again > 0)
          open.push(
            `${noise.name}, ${name} at ${where}: ${again} of the ${ours} found are to be measured again`,
          );
      }
    });
  });
  for (const line of open) console.log(`\n${line}.`);
  const { limit, found } = bestLimit(aboveStudent(HEAVY.node / Math.sqrt(3), 3), KPIS, 0.001, 0.06);
  console.log(
    `\nWith the heavy tails of the last row, a limit that 0.1 % of the healthy nodes pass at one KPI or more lies at ${percent(limit, 1)}, and finds ${percent(found, 1)} of the nodes that are slower by 6 % at one KPI (computed from the distribution).`,
  );
  console.log(
    `\nThe node nearest to the median sketch stands for the medoid of all pairs. Held against the one or the other by distances alone, ${agreement.judged - agreement.same} of ${agreement.judged} nodes are judged differently; its mean distance to all nodes is larger by ${percent(agreement.further, 1, 3)} of the rate at most.`,
  );
}

/** Whether the reference that is found in linear time names whom the medoid of all pairs would. */
function compareMedoids(fleet, agreement) {
  for (const series of fleet.series) {
    const rows = Int32Array.from(series.places, (_, i) => i);
    const column = sketchesOf(series);
    const [quick, exact] = [medoid(column, rows), medoidOfPairs(column, rows)];
    const [ours, theirs] = [quick, exact].map((reference) => new Set(namedFrom(series, rows, reference)));
    agreement.judged += rows.length;
    agreement.same += rows.filter((node) => ours.has(node) === theirs.has(node)).length;
    agreement.further = Math.max(
      agreement.further,
      meanTo(column, rows, quick) - meanTo(column, rows, exact),
    );
  }
}

const meanTo = (column, rows, reference) =>
  rows.reduce((sum, node) => sum + distance(sketchIn(column, node), sketchIn(column, reference)), 0) /
  rows.length;

function namedFrom(series, rows, reference) {
  const at = { values: series.sketches, at: reference * KNOTS, n: REPETITIONS };
  const values = gapsFrom(series, at, rows);
  const centre = centreOf(values);
  const limit = limitOf(
    MARGINS.distribution,
    centre.deviation,
    reachesOf(levelOf('distribution', KPIS), centre),
  );
  return [...rows].filter((i) => values[i] - centre.centre > limit);
}

/** Of few nodes the spread is hardly known, and limits are wider. */
export function runSmall(fleets, seed) {
  const noise = NOISES[1];
  console.log(`\nSmall fleets, ${noise.name}: one node of each fleet has the defect at one KPI.\n`);
  header(['nodes', 'healthy nodes named', ...DEFECTS.map(({ name }) => name)]);
  for (const nodes of [3, 5, 8, 16, 64]) {
    const draw = source(1000 * (seed + 1) + nodes);
    const healthy = counters();
    const found = DEFECTS.map(counters);
    DEFECTS.forEach((defect, kind) => {
      for (let i = 0; i < Math.ceil(fleets / 2); i++) {
        const made = Array.from({ length: nodes }, (_, node) =>
          simulatedNode(`n${node}`, noise, node === 0 ? defect : null, node === 0 ? i % KPIS : null, draw),
        );
        const named = new Map(
          checkFleet(fleetOf(made.map(({ line }) => line)), OPTIONS).named.map(({ node, verdict }) => [
            node,
            verdict,
          ]),
        );
        const run = { verdicts: made.map((_, node) => named.get(`n${node}`) ?? 'pass'), theirs: [] };
        made.forEach((_, node) => {
          count(node === 0 ? found[kind] : healthy, run, node);
        });
      }
    });
    row([nodes, `${healthy.ours} of ${healthy.of}`, ...found.map(({ of, ours }) => percent(ours, of))]);
  }
}

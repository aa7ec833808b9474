// How often a healthy node is named where nodes' levels differ normally or with heavy tails, in fleets of several sizes. Nodes are
// written down by their quantiles, without drawing repetitions, so thousands of fleets take a minute.
import { checkFleet } from '../../dist/fleet/check.js';
import { fleetOf } from '../../dist/fleet/table.js';
import { aboveNormal, aboveStudent, bestLimit } from './in-principle.mjs';
import { quantileKpi } from './scale.mjs';
import { head, KPIS, source } from './simulated.mjs';

/** Standard deviation of levels, where they have one. */
const NODE = 0.005;
const SIZES = [60, 250, 1000];
/** One of so many nodes is slower by so much at one KPI. */
const ONE_OF = 50;
const SLOWER = 0.06;
/** Of healthy nodes, as the target has it. */
const FALSE_ALARMS = 0.001;

/** Of variance 1 from 3 degrees on; with 2, what 3 have. */
const scaleOf = (degrees) => (degrees > 2 ? Math.sqrt((degrees - 2) / degrees) : Math.sqrt(1 / 3));

/** Student's t of whole degrees. */
function student(draw, degrees) {
  let squares = 0;
  for (let i = 0; i < degrees; i++) squares += draw.normal() ** 2;
  return (scaleOf(degrees) * draw.normal()) / Math.sqrt(squares / degrees);
}

/** @param times the usual standard deviation */
const normal = (name, times) => ({
  name,
  draw: (draw) => times * draw.normal(),
  above: aboveNormal(times * NODE),
});
const heavy = (name, degrees) => ({
  name,
  draw: (draw) => student(draw, degrees),
  above: aboveStudent(NODE * scaleOf(degrees), degrees),
});

const LEVELS = [
  normal('normal, 0.5 %', 1),
  normal('normal, 1 %', 2),
  normal('normal, 1.5 %', 3),
  heavy('t, 5 degrees, 0.5 %', 5),
  heavy('t, 3 degrees, 0.5 %', 3),
  heavy('t, 2 degrees', 2),
];

const share = (part, of) => `${((100 * part) / of).toFixed(3)} %`;

function runFleet(nodes, level, draw, counts) {
  const slow = (node) => node % ONE_OF === 0;
  const lines = Array.from({ length: nodes }, (_, node) => ({
    ...head(`n${node}`),
    kpis: Array.from({ length: KPIS }, (_, k) => {
      const own = Math.exp(NODE * level(draw));
      return quantileKpi(k, draw, slow(node) && k === 0 ? (1 - SLOWER) * own : own);
    }),
  }));
  const { named } = checkFleet(fleetOf(lines), { scale: 1, baseline: null });
  const verdicts = new Map(named.map(({ node, verdict }) => [node, verdict]));
  lines.forEach(({ node }, i) => {
    const count = slow(i) ? counts.slow : counts.healthy;
    count.of++;
    const verdict = verdicts.get(node);
    if (verdict !== undefined) count[verdict]++;
  });
}

export function runTails(fleets, seed) {
  console.log(
    `Levels alone: ${KPIS} KPIs, fleets of each size with ${fleets * 250} nodes together, one of ${ONE_OF} slower by 6 % at one KPI. Seed ${seed}. In principle: found by the limit that ${share(FALSE_ALARMS, 1)} of healthy nodes pass, computed from the distribution.\n`,
  );
  console.log(
    '| levels differ by | nodes in a fleet | healthy, failed | healthy, to be measured again | slower by 6 %, found | slower by 6 %, failed at once | in principle |',
  );
  console.log('|---|---|---|---|---|---|---|');
  LEVELS.forEach(({ name, draw: level, above }, i) => {
    const possible = bestLimit(above, KPIS, FALSE_ALARMS, SLOWER).found;
    for (const nodes of SIZES) {
      const draw = source(10_000 * seed + 100 * i + nodes);
      const counts = {
        healthy: { of: 0, fail: 0, inconclusive: 0 },
        slow: { of: 0, fail: 0, inconclusive: 0 },
      };
      for (let done = 0; done < fleets * 250; done += nodes) runFleet(nodes, level, draw, counts);
      const { healthy, slow } = counts;
      const found = slow.fail + slow.inconclusive;
      console.log(
        `| ${name} | ${nodes} | ${share(healthy.fail, healthy.of)} | ${share(healthy.inconclusive, healthy.of)} | ${share(found, slow.of)} | ${share(slow.fail, slow.of)} | ${share(possible, 1)} |`,
      );
    }
  });
}

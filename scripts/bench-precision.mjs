// npm run bench:precision: what --precision saves, and whether it may. The same case measured with a fixed 2,000 repetitions in
// each of 30 launches, and with --precision 1%, in turn: fixed, precise, precise, fixed, ... The target is a tenth of the
// time, in the median of the pairs, because one noisy minute should not decide. The long campaign stands for the truth:
// the short one's interval should contain its estimate, unless the machine itself moved between them, which the long
// campaigns' own differences show. Two campaigns are never of the same minute, so whether a launch's length itself changes what it says
// is asked apart: launches of the short and of the long kind in turns, in one campaign, compared as `compare` does.
//   --pairs N  3 unless told; --quick: 1
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { orEnd, readFlags, wholeNumber } from './lib/flags.mjs';
import { line, median, wholeMedian } from './lib/measure.mjs';
import { packageRoot } from './lib/tree.mjs';

const USAGE = `npm run bench:precision -- [flags]: what --precision saves, and whether it may
  --pairs N  of campaigns: 3
  --quick    one pair
`;
const values = readFlags(USAGE, {
  pairs: { type: 'string', default: '3' },
  quick: { type: 'boolean', default: false },
});
const PAIRS = values.quick ? 1 : orEnd(() => wholeNumber('--pairs', values.pairs));

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
const CASE = ['matmul', '--size', '512', '--dtype', 'float32'];
const LONG = 2000;
const FIXED = ['--reps', String(LONG), '--inspections', '30'];
/** Launches of each length that take turns: 40 told 1 % where medians of launches spread by 2 %. */
const TURNS = 40;
const PRECISE = ['--precision', '1%'];
const TARGET = 0.1;
/** Fewer launches have no interval of a precision. */
const LEAST_LAUNCHES = 8;

const failure = await bootstrap();
if (failure !== null) throw new Error(failure);
const out = mkdtempSync(join(tmpdir(), 'pi-bench-precision-'));

function piBench(args, statuses = [0]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (!statuses.includes(status)) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

const campaign = (args) => piBench([...args, '--json', '--quiet', '--out', out]);

function measure(args) {
  const record = campaign([...CASE, ...args]);
  const [{ elapsed, measured, launches, precision, inspections, flags, variance }] = record.batches;
  const { low, high } = elapsed.interval;
  return {
    wall: record.accounting.wall,
    spans: record.accounting.spans,
    launches: measured,
    repetitions: inspections.at(-1).statistics.n,
    median: elapsed.median,
    halfWidth: Math.max(high - elapsed.median, elapsed.median - low) / elapsed.median,
    between: launches.cv,
    costOfLaunch: variance.costOfLaunch,
    reached: precision?.reached,
    low,
    high,
    flags: flags.map(({ name }) => name),
  };
}

const percent = (share, digits = 2) => `${(100 * share).toFixed(digits)} %`;

const show = (name, { wall, launches, repetitions, median: middle, halfWidth, between, flags }) =>
  console.log(
    `${name.padEnd(8)} ${wall.toFixed(2).padStart(7)} s  ${launches} launches x ${repetitions}  ${(middle * 1e3).toFixed(4)} ms ±${percent(halfWidth)}  launches differ by ${percent(between)} (CV)  ${flags.join(', ')}`,
  );

/** How the rate of short launches compares with that of long ones, when they take turns. */
function compareLengths(short) {
  const { id } = campaign(['sweep', ...CASE, '--reps', `${short},${LONG}`, '--inspections', String(TURNS)]);
  // `compare` says by its exit code too that one side is slower, or that it cannot tell.
  const { cases } = piBench(
    ['compare', join(out, id), '--reference', `repetitions ${LONG}`, '--format', 'json'],
    [0, 1, 2],
  );
  return cases[0].comparisons[0];
}

/** Milliseconds of each phase of a launch: means over all launches of the campaigns. */
function phases(results) {
  const sums = new Map();
  const launches = results.reduce((sum, one) => sum + one.launches, 0);
  for (const { spans } of results) {
    for (const { name, seconds } of spans) sums.set(name, (sums.get(name) ?? 0) + (1e3 * seconds) / launches);
  }
  return [...sums].map(([name, ms]) => `${name} ${ms.toFixed(ms < 10 ? 1 : 0)}`).join(', ');
}

const results = { fixed: [], precise: [] };
let shortLength;
let lengths;
try {
  for (let pair = 0; pair < PAIRS; pair++) {
    for (const name of pair % 2 === 0 ? ['fixed', 'precise'] : ['precise', 'fixed']) {
      const result = measure(name === 'fixed' ? FIXED : PRECISE);
      results[name].push(result);
      show(name, result);
    }
  }
  shortLength = wholeMedian(results.precise.map(({ repetitions }) => repetitions));
  lengths = compareLengths(shortLength);
} finally {
  rmSync(out, { recursive: true, force: true });
}

const { fixed, precise } = results;
const shares = precise.map(({ wall }, i) => wall / fixed[i].wall);
const reached = precise.filter((one) => one.reached).length;
line(
  'time of --precision 1% over that of 2,000 repetitions x 30 launches',
  `${percent(median(shares), 1)} (${shares.map((share) => percent(share, 1)).join(', ')})`,
  '10 %',
  median(shares) < TARGET,
);
line('precision reached', `${reached} of ${PAIRS}`, 'all', reached === PAIRS);
const off = precise.map((one, i) => one.median / fixed[i].median - 1);
const contained = precise.filter(
  (one, i) => one.low <= fixed[i].median && fixed[i].median <= one.high,
).length;
const overlapping = precise.filter((one, i) => one.low <= fixed[i].high && fixed[i].low <= one.high).length;
line('its interval contains the long campaign’s estimate', `${contained} of ${PAIRS}`, '', null);
line('  both intervals overlap', `${overlapping} of ${PAIRS}`, '', null);
line('  it is off by', off.map((one) => percent(one)).join(', '), '', null);
const estimates = fixed.map((one) => one.median);
if (PAIRS > 1) {
  const spread = Math.max(...estimates) / Math.min(...estimates) - 1;
  line('  the long campaigns differ among themselves by', percent(spread), '', null);
}
line(
  `rate in launches of ${shortLength} repetitions over that of ${LONG}, in turns`,
  `${lengths.ratio.toFixed(4)} (95 %: ${lengths.interval.low.toFixed(4)} to ${lengths.interval.high.toFixed(4)}): ${lengths.outcome}`,
  'same',
  lengths.outcome === 'same',
);
const start = median(precise.map((one) => one.costOfLaunch));
line(
  `${LEAST_LAUNCHES} launches that measure nothing, over the long campaign`,
  percent((LEAST_LAUNCHES * start) / median(fixed.map(({ wall }) => wall)), 1),
  '',
  null,
);
console.log(`ms of a launch, --precision: ${phases(precise)}`);
console.log(`ms of a launch, fixed: ${phases(fixed)}`);

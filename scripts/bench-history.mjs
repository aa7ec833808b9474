// npm run bench:history [-- --trials N] (after npm run build:ts): how often `pi-bench history` is right, of simulated nights of which the
// truth is known. Changes where nothing changed, changes that are found at their
// place, what the newest night is called, alone and in tables of many cases, and for how long a fall is told.
import { normalOf, randomBits, uniformOf } from '../dist/random.js';
import { HISTORY_MARGIN as MARGIN } from '../dist/readers/history/history.js';
import { RISK } from '../dist/statistics/compare.js';
import { LEAST_EARLIER, levelShift } from '../dist/statistics/level-shift.js';
import { holm } from '../dist/statistics/several.js';
import { shortLevels } from '../dist/statistics/short-levels.js';
import { table } from './lib/table.mjs';

const [flag, given = '2000'] = process.argv.slice(2);
const trials = Number(given);
if ((flag !== undefined && flag !== '--trials') || !Number.isInteger(trials) || trials < 1) {
  console.error('bench-history: takes --trials and a whole number of at least 1, and nothing else');
  process.exit(64);
}

const uniform = uniformOf(randomBits(17));
const normal = normalOf(uniform);
/** Of a night far off, as a share of nights, and how many deviations. */
const [STANDING, HOW_FAR] = [0.05, 8];
/** Relative standard deviation of a night: what is drawn is in these. */
const SPREAD = 0.02;

const independent = (draw) => (n) => Array.from({ length: n }, draw);
const dependent = (correlation) => (n) => {
  let last = normal() / Math.sqrt(1 - correlation ** 2);
  return Array.from({ length: n }, () => {
    last = correlation * last + normal();
    return last;
  });
};

/** @type {readonly (readonly [name: string, make: (n: number) => number[]])[]} */
const NIGHTS = [
  ['independent, normal', independent(normal)],
  [
    'independent, with heavy tails (t, 3 degrees of freedom)',
    independent(() => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3)),
  ],
  [
    `normal, of which ${100 * STANDING} of 100 are ${HOW_FAR} deviations slower`,
    independent(() => normal() - (uniform() < STANDING ? HOW_FAR : 0)),
  ],
  ['each depends on the one before (correlation 0.3)', dependent(0.3)],
  ['each depends on the one before (correlation 0.6)', dependent(0.6)],
];

/** Of 100. */
function share(times, holds) {
  let held = 0;
  for (let trial = 0; trial < times; trial++) if (holds()) held++;
  return ((100 * held) / times).toFixed(1);
}

const changesOf = (values) =>
  shortLevels(values)
    .slice(1)
    .map(({ from }) => from);

/** How the newest lies to the level before it; null: nothing tells. */
function newestShift(nights) {
  const [newest, earlier] = [nights.at(-1), nights.slice(0, -1)];
  const { from, to } = shortLevels(earlier).at(-1);
  if (to - from < LEAST_EARLIER) return null;
  const speeds = earlier.slice(from, to).map((value) => Math.exp(SPREAD * value));
  return levelShift(speeds, [Math.exp(SPREAD * newest)]);
}

const isTold = (shift) => shift !== null && shift.p <= RISK;

const LENGTHS = [6, 10, 20, 50, 100];
// The cost of one grows with the third power of its length.
const timesFor = (length) => Math.max(1, Math.round(length > 50 ? trials / 4 : trials));

console.log(`Of 100 series of so many campaigns in which nothing changed, called changed:\n`);
console.log(
  table(
    ['campaigns', ...LENGTHS.map(String)],
    NIGHTS.map(([name, make]) => [
      name,
      ...LENGTHS.map((length) => share(timesFor(length), () => changesOf(make(length)).length > 0)),
    ]),
  ),
);

const DISTANCES = [3, 4, 6, 10];
const steps = [
  [10, 3],
  [23, 3],
  [60, 3],
  [23, 5],
  [60, 30],
];
console.log(
  `\nOf 100 normal series whose last campaigns are so many deviations lower, changed there and nowhere else:\n`,
);
console.log(
  table(
    ['deviations', ...DISTANCES.map(String)],
    steps.map(([length, last]) => [
      `the last ${last} of ${length}`,
      ...DISTANCES.map((distance) =>
        share(
          trials,
          () =>
            changesOf(
              independent(normal)(length).map((value, i) => value - (i < length - last ? 0 : distance)),
            ).join() === String(length - last),
        ),
      ),
    ]),
  ),
);

const BEFORE = [3, 5, 10, 20, 50];
console.log(
  `\nOf 100 histories in which nothing changed, the newest campaign told from the level before it, by campaigns before it:\n`,
);
console.log(
  table(
    ['campaigns before it', ...BEFORE.map(String)],
    NIGHTS.map(([name, make]) => [
      name,
      ...BEFORE.map((before) => share(timesFor(before), () => isTold(newestShift(make(before + 1))))),
    ]),
  ),
);
console.log(`\nOf 100 normal histories whose newest campaign is so many deviations slower, called slower:\n`);
console.log(
  table(
    ['campaigns before it', ...BEFORE.map(String)],
    DISTANCES.map((distance) => [
      `${distance} deviations`,
      ...BEFORE.map((before) =>
        share(timesFor(before), () => {
          const shift = newestShift([...independent(normal)(before), normal() - distance]);
          return isTold(shift) && shift.ratio < 1;
        }),
      ),
    ]),
  ),
);

/** Whether any case of a table is called slower or faster, as `history` corrects them and with its margin. */
function tableDiffers(make, before, cases) {
  const shifts = Array.from({ length: cases }, () => newestShift(make(before + 1)));
  const adjusted = holm(shifts.map((shift) => shift?.p ?? 1));
  return shifts.some((shift, i) => (adjusted[i] ?? 1) <= RISK && shift !== null && isBeyond(shift.ratio));
}
const isBeyond = (ratio) => Math.abs(Math.log(ratio)) >= Math.log1p(MARGIN);

const CASES = [1, 5, 20];
const TABLES_BEFORE = [10, 20];
console.log(
  `\nOf 100 tables of so many cases in which nothing changed, with any that is called slower or faster; nights spread by ${100 * SPREAD} %, and the margin is ${100 * MARGIN} %:\n`,
);
console.log(
  table(
    [
      'campaigns before, cases',
      ...TABLES_BEFORE.flatMap((before) => CASES.map((cases) => `${before}, ${cases}`)),
    ],
    NIGHTS.map(([name, make]) => [
      name,
      ...TABLES_BEFORE.flatMap((before) =>
        CASES.map((cases) =>
          share(Math.max(1, Math.round(trials / 10)), () => tableDiffers(make, before, cases)),
        ),
      ),
    ]),
  ),
);

/** A level that is 10 deviations lower from some night on: whether each of its first nights is called slower, by itself. */
const FALL = 10;
console.log(
  `\nOf 100 normal histories that fall by ${FALL} deviations for good, the nights after that called slower:\n`,
);
console.log(
  table(
    ['campaigns before it', '1st', '2nd', '3rd', '4th'],
    [8, 12, 20, 40].map((before) => [
      String(before),
      ...[1, 2, 3, 4].map((night) =>
        share(trials / 4, () => {
          const fallen = Array.from({ length: night }, () => normal() - FALL);
          const shift = newestShift([...independent(normal)(before), ...fallen]);
          return isTold(shift) && shift.ratio < 1;
        }),
      ),
    ]),
  ),
);

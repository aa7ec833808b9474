// node scripts/bench-statistics.mjs [samples]: how long the statistics of ten million samples take (after npm run build:ts).
// Summary, box and violin together, sorted once; the median of three runs. Target: 2 s.
import { describeSamples } from '../dist/statistics/describe.js';

const RUNS = 3;
const TARGET_SECONDS = 2;

const count = Number(process.argv[2] ?? 10_000_000);
if (!Number.isInteger(count) || count < 1) {
  console.error(`bench-statistics: ${process.argv[2]} is no number of samples; give a whole number above 0`);
  process.exit(64);
}

/** Durations of 1 ms, lognormal, a thousandth of them stalls; the same each time (a linear congruential generator). */
function durations(n) {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 4_294_967_296;
  };
  return new Float64Array(n).map(() => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return 1e-3 * Math.exp(0.1 * normal) * (random() < 1e-3 ? 20 : 1);
  });
}

const samples = durations(count);
const seconds = Array.from({ length: RUNS }, () => {
  const start = performance.now();
  describeSamples(samples, 0.98);
  return (performance.now() - start) / 1e3;
}).sort((a, b) => a - b);
const middle = seconds[RUNS >> 1];
const verdict =
  count !== 10_000_000 ? '' : `, target ${TARGET_SECONDS} s: ${middle <= TARGET_SECONDS ? 'met' : 'missed'}`;
console.log(
  `summary, box and violin of ${count.toLocaleString('en-US')} samples: ${middle.toFixed(2)} s, median of ${RUNS} runs (${seconds.map((run) => run.toFixed(2)).join(', ')})${verdict}`,
);

// npm run bench:precision: what --precision saves. The same case measured with a fixed 2,000 repetitions in each of 30 launches,
// and with --precision 1%, interleaved: fixed, precise, precise, fixed, ... The target is a tenth of the time.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { line, median } from './lib/measure.mjs';
import { packageRoot } from './lib/tree.mjs';

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
const CASE = ['matmul', '--size', '512', '--dtype', 'float32'];
const FIXED = ['--reps', '2000', '--inspections', '30'];
const PRECISE = ['--precision', '1%'];
const TURNS = process.argv.includes('--quick') ? 1 : 3;
const TARGET = 0.1;

const failure = bootstrap();
if (failure !== null) throw new Error(failure);
const out = mkdtempSync(join(tmpdir(), 'pi-bench-precision-'));

function measure(args) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [LAUNCHER, ...CASE, ...args, '--json', '--quiet', '--out', out],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const record = JSON.parse(stdout);
  const [{ elapsed, measured, launches, precision, inspections, flags }] = record.batches;
  const { low, high } = elapsed.interval;
  return {
    wall: record.accounting.wall,
    launches: measured,
    repetitions: inspections.at(-1).statistics.n,
    median: elapsed.median,
    halfWidth: Math.max(high - elapsed.median, elapsed.median - low) / elapsed.median,
    between: launches.cv,
    reached: precision?.reached,
    low,
    high,
    flags: flags.map(({ name }) => name),
  };
}

const show = (name, { wall, launches, repetitions, median: middle, halfWidth, between, flags }) =>
  console.log(
    `${name.padEnd(8)} ${wall.toFixed(2).padStart(7)} s  ${launches} launches x ${repetitions}  ${(middle * 1e3).toFixed(4)} ms ±${(halfWidth * 100).toFixed(2)} %  launches differ by ${(between * 100).toFixed(2)} % (CV)  ${flags.join(', ')}`,
  );

const results = { fixed: [], precise: [] };
try {
  for (let turn = 0; turn < TURNS; turn++) {
    for (const name of turn % 2 === 0 ? ['fixed', 'precise'] : ['precise', 'fixed']) {
      const result = measure(name === 'fixed' ? FIXED : PRECISE);
      results[name].push(result);
      show(name, result);
    }
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
const share = median(results.precise.map(({ wall }, i) => wall / results.fixed[i].wall));
const reached = results.precise.every((result) => result.reached);
const agree = results.precise.filter(
  (one, i) => one.low <= results.fixed[i].high && results.fixed[i].low <= one.high,
);
line(
  'time of --precision 1% over that of 2,000 repetitions x 30 launches',
  `${(share * 100).toFixed(1)} %`,
  '10 %',
  share < TARGET && reached,
);
console.log(
  `reached in ${results.precise.filter((one) => one.reached).length} of ${TURNS}; intervals of both overlap in ${agree.length} of ${TURNS}`,
);

// npm run bench:memory [-- rounds]: our copy as `auto` chooses it against glibc's memcpy and against every other way to
// copy that we have, in turns over the same arrays, at each default size, for one thread and two. The target: at least
// memcpy's rate everywhere, and within 5 % of the best way. Ratios are medians over rounds of the ratio in one round, with
// an interval of 95 %: where it holds 1, this run cannot tell ("open").
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { coresHere, describeHere } from '../dist/cli/here.js';
import { defaultSizes } from '../dist/indicators/memory-sizes.js';
import { availableMemory } from '../dist/machine/capacity.js';
import { formatBytes } from '../dist/quantities/format.js';
import { intervalOf, median } from './lib/measure.mjs';
import { buildPrograms, HOST } from './lib/native-programs.mjs';
import { packageRoot } from './lib/tree.mjs';

const ROUNDS = Number(process.argv[2] ?? 15);
const NEAR_BEST = 0.95;
const GIGA = 1e9;

const ratios = (a, b) => a.map((value, i) => value / b[i]);

function verdictOf(against, best) {
  const [low, high] = intervalOf(against);
  const memcpy = median(against) >= 1 ? 'meets' : high >= 1 && low < 1 ? 'open' : 'MISSES';
  const near = median(best) >= NEAR_BEST ? 'meets' : intervalOf(best)[1] >= NEAR_BEST ? 'open' : 'MISSES';
  return { memcpy, near };
}

const [program] = await buildPrograms(HOST, ['test/native/memory_bench.cc']);
const machine = describeHere();
const tally = { meets: 0, open: 0, MISSES: 0 };
const most = Math.min(2, availableParallelism(), coresHere().allowed.length);
for (let threads = 1; threads <= most; threads++) {
  const { dense } = defaultSizes(machine.cpu.caches, threads, availableMemory(machine));
  process.stdout.write(
    `\ncopy, ${threads} thread${threads > 1 ? 's' : ''}, ${ROUNDS} rounds in turns, GB/s (medians)\n`,
  );
  process.stdout.write(
    'bytes       memcpy    auto  (chose)             / memcpy  95 %                / best  (best way)\n',
  );
  const done = spawnSync(join(packageRoot, program), [ROUNDS, threads, ...dense].map(String), {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (done.status !== 0)
    throw new Error(`${program} ended with ${done.status ?? done.signal}: ${done.stderr}`);
  for (const text of done.stdout.trim().split('\n')) {
    const { bytes, rates } = JSON.parse(text);
    const [chosen] = Object.keys(rates).filter((name) => name.startsWith('auto'));
    const others = Object.keys(rates).filter((name) => name !== chosen && name !== 'memcpy');
    const [best] = others.sort((a, b) => median(rates[b]) - median(rates[a]));
    const against = ratios(rates[chosen], rates.memcpy);
    const toBest = ratios(rates[chosen], rates[best]);
    const { memcpy, near } = verdictOf(against, toBest);
    tally[memcpy] += 1;
    tally[near] += 1;
    const number = (value, width) => (value / GIGA).toFixed(1).padStart(width);
    const [low, high] = intervalOf(against);
    process.stdout.write(
      `${formatBytes(bytes).padEnd(9)} ${number(median(rates.memcpy), 8)}${number(median(rates[chosen]), 8)}  ${chosen.slice(6).padEnd(18)} ${median(against).toFixed(3).padStart(8)}  ${low.toFixed(2)} to ${high.toFixed(2)}  ${memcpy.padEnd(6)} ${median(toBest).toFixed(3)}  ${near.padEnd(6)} ${best}\n`,
    );
  }
}
process.stdout.write(
  `\n${tally.meets} comparisons meet the target, ${tally.open} are open, ${tally.MISSES} miss it\n`,
);
if (tally.MISSES > 0) process.exitCode = 1;

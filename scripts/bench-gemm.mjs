// npm run bench:gemm: the embedded float32 GEMM against the register-only multiply-add peak of the same thread, in turns,
// so that a neighbour's load hits both. Quotes medians over the rounds.
import { availableParallelism } from 'node:os';
import { addon, line, matmulJob, median } from './lib/measure.mjs';

const SIZES = [512, 1024, 2048, 4096];
const ROUNDS = Number(process.argv[2] ?? 5);
const TARGET = 0.6;
const PEAK_SECONDS = 0.1;

const native = addon();
const best = native.kernels().find(({ dtype, runsHere }) => dtype === 'float32' && runsHere).isa;
const threads = Math.min(2, availableParallelism());

function peakRate() {
  let iterations = 1 << 16;
  for (;;) {
    const { operations, seconds } = native.peakLoop('float32', best, iterations);
    if (seconds >= PEAK_SECONDS) return operations / seconds;
    iterations *= 2;
  }
}

async function rate(n, members) {
  const repetitions = Math.max(2, Math.round(0.2 / ((2 * n ** 3) / 1e11)));
  const cpus = Array.from({ length: members }, (_, i) => i);
  const { samples, verification } = await native.inspect(
    matmulJob(n, members, cpus, { repetitions, warmup: { kind: 'count', count: n > 1024 ? 1 : 5 } }, best),
  ).result;
  if (!verification.passed) throw new Error(`wrong result at n = ${n}: ${verification.firstWrong}`);
  return (2 * n ** 3) / median(samples.seconds);
}

process.stdout.write(`float32 ${best}, ${ROUNDS} rounds in turns, medians\n`);
for (const n of SIZES) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) {
    const peak = peakRate();
    const one = await rate(n, 1);
    const all = threads > 1 ? await rate(n, threads) : one;
    rounds.push({ peak, one, all });
  }
  const share = median(rounds.map(({ peak, one }) => one / peak));
  const scaling = median(rounds.map(({ one, all }) => all / one));
  const gflops = (key) => (median(rounds.map((round) => round[key])) / 1e9).toFixed(1);
  line(
    `n = ${n}: ${gflops('one')} of ${gflops('peak')} GFLOP/s on one thread`,
    `${share.toFixed(3)} of the peak; ${threads} threads ${scaling.toFixed(2)} times one`,
    `${TARGET} of the peak`,
    share >= TARGET,
  );
}

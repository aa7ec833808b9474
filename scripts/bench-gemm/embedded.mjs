// One of our own kernels, one product, in the same words as library/library.cc: says what it found in a line of JSON, and
// answers each `run SECONDS`. As the role "peak" it runs the register-only loop instead.
import { createInterface } from 'node:readline';
import { addon, job, median } from '../lib/measure.mjs';

const SAMPLE_SECONDS = 1e-3;
const MOST_SAMPLES = 1 << 20;
const OPERATIONS_OF_PEAK = 3 * 2 ** 26;

const [role, isa, cpuList, dtype, ...sides] = process.argv.slice(2);
const [m, n, k] = sides.map(Number);
const cpus = cpuList.split(',').map(Number);
const threads = cpus.length;

const native = addon();
native.dieWithParent();

/** Everything that the addon wants to know of the case. */
const workloads = {
  peak: ['peak', { dtype, threads, cpus, isa, operations: OPERATIONS_OF_PEAK * threads }],
  plain: ['matmul', matmul(0)],
  prepacked: ['matmul', matmul(1)],
};

function matmul(prepack) {
  return { m, n, k, dtype, threads, cpus, isa, seed: 1, transposeA: 'N', transposeB: 'N', batch: 1, prepack };
}

const inspect = (seconds) =>
  native.inspect(
    job(...workloads[role], {
      repetitions: 0,
      budgetSeconds: seconds,
      least: 1,
      most: MOST_SAMPLES,
      warmup: { kind: 'time', seconds: 0.01 },
    }),
  ).result;

/** Samples as long as the libraries': neighbours together, disturbed where one of them was. */
function grouped({ samples, callsPerSample }) {
  const disturbed = new Set(samples.disturbed ?? []);
  const groups = [];
  let group = { seconds: 0, count: 0, disturbed: false };
  samples.seconds.forEach((seconds, index) => {
    group.seconds += seconds;
    group.count += 1;
    group.disturbed ||= disturbed.has(index);
    const last = index === samples.seconds.length - 1;
    if (group.seconds * callsPerSample < SAMPLE_SECONDS && !(last && groups.length === 0)) return;
    groups.push({ seconds: group.seconds / group.count, disturbed: group.disturbed });
    group = { seconds: 0, count: 0, disturbed: false };
  });
  return groups;
}

async function run(seconds) {
  const outcome = await inspect(seconds);
  const groups = grouped(outcome);
  const clean = groups.filter(({ disturbed }) => !disturbed);
  const values = (clean.length > 0 ? clean : groups).map((group) => group.seconds);
  const answer = {
    median: median(values),
    min: Math.min(...values),
    count: groups.length,
    disturbed: groups.length - clean.length,
  };
  if (outcome.verification?.passed === false) return { wrong: outcome.verification.firstWrong };
  return role === 'peak' ? { ...answer, operations: OPERATIONS_OF_PEAK * threads } : answer;
}

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

try {
  const { implementation, verification } = await inspect(0.001);
  say(
    verification?.passed === false
      ? { wrong: verification.firstWrong }
      : { version: '', kernel: implementation, pinned: true },
  );
} catch (error) {
  say({ failed: error.message });
  process.exit(0);
}
for await (const line of createInterface({ input: process.stdin })) {
  const [command, seconds] = line.split(' ');
  if (command !== 'run') break;
  say(await run(Number(seconds)));
}

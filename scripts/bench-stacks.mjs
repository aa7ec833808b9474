// npm run bench:stacks [-- --size 64,256 --launches 10 --rounds 400]: what going through our adapter for a library costs
// against calling the library directly, on the same operands in one process, in turns. A launch's value is the median
// over its rounds of the ratio of the two; the interval is over launches. The target is under 1 % at 64.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram, HOST } from './lib/native-programs.mjs';
import { packageRoot } from './lib/tree.mjs';

const { launchInterval } = await import('../dist/statistics/interval.js');
const { median } = await import('../dist/statistics/quantile.js');
const { findStack } = await import('../dist/stacks/index.js');
const { changedEnvironment } = await import('../dist/stacks/environment.js');

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '64,256' },
    launches: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '400' },
    cpu: { type: 'string', default: '1' },
  },
});

const program = join(
  packageRoot,
  await buildProgram(HOST, 'bench-stacks', [join('scripts', 'bench-stacks', 'overhead.cc')]),
);

/** One launch: median ratio through / direct, and the direct call's median seconds. */
function launch(path, size, environment) {
  const { status, stdout, stderr } = spawnSync(program, [path, size, values.rounds, values.cpu], {
    encoding: 'utf8',
    env: changedEnvironment(process.env, environment),
  });
  if (status !== 0) throw new Error(`${path}: ${stderr.trim()}`);
  const { direct, through } = JSON.parse(stdout);
  return { ratio: median(through.map((seconds, i) => seconds / direct[i])), direct: median(direct) };
}

const percent = (ratio) => `${((ratio - 1) * 100).toFixed(2).padStart(6)} %`;

for (const provider of ['openblas', 'blis']) {
  const stack = findStack(provider);
  const [path] = stack.variants().here;
  if (path === undefined) {
    console.log(`${provider}: not installed here`);
    continue;
  }
  for (const size of values.size.split(',')) {
    const launches = Array.from({ length: Number(values.launches) }, () =>
      launch(path, size, stack.environment(1)),
    );
    const ratios = launches.map(({ ratio }) => ratio);
    const { ci } = launchInterval(ratios);
    const interval = ci === null ? '' : `, 95 % interval ${percent(ci.low)} to ${percent(ci.high)}`;
    const call = (median(launches.map(({ direct }) => direct)) * 1e6).toFixed(2);
    console.log(
      `${provider.padEnd(9)} n = ${size.padStart(4)}  a call ${call.padStart(8)} µs  through the adapter ${percent(median(ratios))}${interval}`,
    );
  }
}

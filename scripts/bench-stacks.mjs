// npm run bench:stacks [-- --size 64,256 --launches 10 --rounds 400 --stack openblas,tfjs:wasm]: what going through our adapter for a
// library or a framework costs against calling it directly, on the same operands in one process, in turns. A launch's value is the
// median over its rounds of the ratio of the two; the interval is over launches. The target is under 1 % at 64.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { orEnd, readFlags, wholeNumber, wholeNumbers } from './lib/flags.mjs';
import { buildProgram, HOST } from './lib/native-programs.mjs';
import { packageRoot } from './lib/tree.mjs';

const { launchInterval } = await import('../dist/statistics/interval.js');
const { median } = await import('../dist/statistics/quantile.js');
const { findStack, parseStack } = await import('../dist/stacks/index.js');
const { changedEnvironment } = await import('../dist/stacks/environment.js');

const USAGE = `npm run bench:stacks -- [flags]: what going through our adapters costs against calling a library directly
  --size LIST   edges of products: 64,256
  --launches N  10
  --rounds N    in each launch: 400
  --cpu N       1
  --stack LIST  openblas,blis,tfjs:cpu,tfjs:wasm,onnxruntime
`;
const values = readFlags(USAGE, {
  size: { type: 'string', default: '64,256' },
  launches: { type: 'string', default: '10' },
  rounds: { type: 'string', default: '400' },
  cpu: { type: 'string', default: '1' },
  stack: { type: 'string', default: 'openblas,blis,tfjs:cpu,tfjs:wasm,onnxruntime' },
});

const asked = orEnd(() => ({
  sizes: wholeNumbers('--size', values.size),
  launches: wholeNumber('--launches', values.launches),
  rounds: String(wholeNumber('--rounds', values.rounds)),
  cpu: String(wholeNumber('--cpu', values.cpu, 0)),
}));

const OVERHEAD = join('scripts', 'bench-stacks', 'overhead.cc');
const FRAMEWORK = join(packageRoot, 'scripts', 'bench-stacks', 'framework.mjs');
const stacks = values.stack.split(',').map((name) => ({ name, ...parseStack(name) }));
const library = ({ provider }) => findStack(provider).library !== null;

let program;
/** Compiled where a library is asked for. */
const overheadProgram = async () => {
  program ??= join(packageRoot, await buildProgram(HOST, 'bench-stacks', [OVERHEAD]));
  return program;
};

/**
 * How one launch is started; null: the stack is not installed here.
 * @param {{ name: string, provider: string, variant?: string | null }} stack
 * @param {string} size
 * @returns {Promise<[string, string[]] | null>}
 */
async function commandOf({ name, provider, variant }, size) {
  const { here } = findStack(provider).variants();
  if (!library({ provider })) {
    const backend = variant ?? findStack(provider).framework.usual.cpu;
    return here.includes(backend)
      ? ['taskset', ['-c', asked.cpu, process.execPath, FRAMEWORK, name, size, asked.rounds]]
      : null;
  }
  const path = variant ?? here[0];
  return path === undefined ? null : [await overheadProgram(), [path, size, asked.rounds, asked.cpu]];
}

/** One launch: median ratio through / direct, and the direct call's median seconds. */
function launch([command, words], environment) {
  const { status, stdout, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    env: changedEnvironment(process.env, environment),
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr.trim()}`);
  const { direct, through } = JSON.parse(stdout);
  return { ratio: median(through.map((seconds, i) => seconds / direct[i])), direct: median(direct) };
}

const percent = (ratio) => `${((ratio - 1) * 100).toFixed(2).padStart(6)} %`;

for (const one of stacks) {
  const stack = findStack(one.provider);
  for (const size of asked.sizes.map(String)) {
    const command = await commandOf(one, size);
    if (command === null) {
      console.log(`${one.name}: not installed here`);
      break;
    }
    const launches = Array.from({ length: asked.launches }, () => launch(command, stack.environment(1)));
    const ratios = launches.map(({ ratio }) => ratio);
    const { ci } = launchInterval(ratios);
    const interval = ci === null ? '' : `, 95 % interval ${percent(ci.low)} to ${percent(ci.high)}`;
    const call = (median(launches.map(({ direct }) => direct)) * 1e6).toFixed(2);
    console.log(
      `${one.name.padEnd(11)} n = ${size.padStart(4)}  a call ${call.padStart(9)} µs  through the adapter ${percent(median(ratios))}${interval}`,
    );
  }
}

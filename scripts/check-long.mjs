// npm run check:long: the checks that take too long for every change. Of the GEMM every shape up to 70 in each dimension,
// plain and with the address and undefined behaviour sanitizers; random products, twenty times as many as usual; a larger share of
// both on an emulated arm64; and every program, and the addon, with all kinds of undefined behaviour looked for. Two at a time; beside the last of them the linter on each file by itself, t3 cut short,
// the longest tier of a qualification, and the tests in test/long, which start MPI's ranks hundreds of times. The last line counts.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { packageRoot } from './lib/tree.mjs';

const script = (name, ...args) => [`scripts/${name}`, '--long', ...args];
const vitest = join('node_modules', 'vitest', 'vitest.mjs');
const ADDRESS = ['--sanitize', 'address,undefined'];

/** Each is a list of runs, one after the other: those of one compile the same objects. */
const LANES = [
  [
    { name: 'address', args: script('native-checks.mjs', ...ADDRESS) },
    { name: 'address', args: script('native-checks.mjs', ...ADDRESS, 'shapes=1', 'gemm=20', 'amx=20') },
    { name: 'addon', args: script('sanitize-addon.mjs', 'address,undefined') },
  ],
  [
    { name: 'plain', args: script('native-checks.mjs', 'shapes=1', 'gemm=20', 'amx=20') },
    { name: 'arm64', args: script('emulated-checks.mjs', 'arm64', 'shapes=10', 'gemm=4', 'amx=4') },
    { name: 'lint', args: script('lint-native.mjs') },
    { name: 't3', args: script('check-qualify/t3.mjs') },
    { name: 'tests', args: [vitest, 'run', '--config', 'vitest.long.config.ts'] },
  ],
];

/** Runs one to its end and prints its lines as they come. Returns how many checks it made and whether all were right. */
async function run({ name, args }) {
  const child = spawn(process.execPath, args, {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  let checks = 0;
  for await (const line of createInterface(child.stdout)) {
    process.stdout.write(`${name.padEnd(8)} ${line}\n`);
    const counted = /^\S+ +(\d+) checks |^ +Tests .*?(\d+) passed/.exec(stripVTControlCharacters(line));
    checks += Number(counted?.[1] ?? counted?.[2] ?? 0);
  }
  return { name, checks, right: (await ended) === 0 };
}

async function runInOrder(lane) {
  const results = [];
  for (const item of lane) results.push(await run(item));
  return results;
}

const results = (await Promise.all(LANES.map(runInOrder))).flat();
const wrong = results.filter(({ right }) => !right).map(({ name }) => name);
const checks = results.reduce((sum, result) => sum + result.checks, 0);
const minutes = (performance.now() / 60_000).toFixed(1);
const verdict = wrong.length === 0 ? 'all right' : `FAILED: ${wrong.join(', ')}`;
process.stdout.write(`check:long: ${checks} checks in ${results.length} runs, ${minutes} min, ${verdict}\n`);
if (wrong.length > 0) process.exitCode = 1;

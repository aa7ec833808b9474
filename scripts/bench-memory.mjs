// npm run bench:memory: our passes over memory, as `auto` chooses them, against the C library's (memcpy, memset) and against
// every other way that we have, in turns over the same arrays, at each size that `pi-bench memory` takes by itself; see
// bench-memory/. The targets: at least the library's rate everywhere, and within 5 % of the best way.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coresHere, describeHere } from '../dist/cli/here.js';
import { placeThreads } from '../dist/execution/placement.js';
import { defaultSizes } from '../dist/indicators/memory-sizes.js';
import { availableMemory } from '../dist/machine/capacity.js';
import { readOptions } from './bench-memory/options.mjs';
import { caseTable, heading, summary } from './bench-memory/report.mjs';
import { figures, isOpen } from './bench-memory/results.mjs';
import { commitLine, machineLine, systemLine, titleLines } from './lib/machine-lines.mjs';
import { buildPrograms, HOST } from './lib/native-programs.mjs';
import { HOW_DECIDED, roundsOfLaunches } from './lib/paired.mjs';
import { progress } from './lib/progress.mjs';
import { packageRoot } from './lib/tree.mjs';

/** Measured again, as often as this, where the rounds have not decided. The interval that decides is of all rounds. */
const MOST_AGAIN = 3;

/** One process: rounds of turns of every way of a pass. */
function launch(program, { pass, bytes, cpus }, rounds, seed) {
  const { status, signal, stdout, stderr } = spawnSync(
    program,
    [pass, bytes, rounds, seed, cpus.join(',')].map(String),
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  if (status !== 0)
    throw new Error(`${pass} of ${bytes} bytes ended with ${status ?? signal}: ${stderr.trim()}`);
  const { ways, ...told } = JSON.parse(stdout);
  return { ...told, ways: ways.map(({ turns, ...way }) => ({ ...way, turns: turns.map(turnOf) })) };
}

/** One timed call of some passes. */
const turnOf = ([seconds, disturbed]) => ({ median: seconds, min: seconds, count: 1, disturbed });

function measureCase(program, situation, options) {
  const launches = [];
  let seed = options.seed;
  const measure = () => {
    for (const rounds of roundsOfLaunches(options.rounds, options.launches))
      launches.push(launch(program, situation, rounds, seed++));
    return figures(situation, launches);
  };
  let found = measure();
  for (let again = 0; again < MOST_AGAIN && isOpen(found); again++) found = measure();
  return found;
}

const HOW = ({ rounds, launches, seed }) =>
  `- Each cell: bytes that arrays' elements take, moved once each, over the median time of ${rounds} turns in ${launches} launches, in an order drawn with seed ${seed}, and up to four times as many where those do not decide. ${HOW_DECIDED} (few). A turn in which a thread lost its CPU is left out; where that leaves less than half of the rounds there is no verdict (disturbed). After its first pass each way's result was checked, element by element`;

async function main() {
  const options = readOptions();
  const machine = describeHere();
  const cores = coresHere();
  const [built] = await buildPrograms(HOST, ['scripts/bench-memory/passes.cc']);
  const program = join(packageRoot, built);
  const written = [];
  const print = (text) => {
    written.push(text);
    process.stdout.write(`${text}\n\n`);
  };
  print([machineLine(), systemLine(), commitLine(), HOW(options)].join('\n'));
  const all = [];
  for (const pass of options.passes) {
    for (const threads of options.threads) {
      const cpus = placeThreads(cores, threads);
      if (cpus === null) {
        print(`${heading({ pass, threads })}: fewer CPUs may be used here, so it was not measured`);
        continue;
      }
      const placing = { threads, allowed: cpus };
      const sizes = options.sizes ?? defaultSizes(machine.cpu, placing, availableMemory(machine)).dense;
      const cases = sizes.map((bytes) => {
        progress(`${heading({ pass, threads })}: ${bytes}`);
        return measureCase(program, { pass, threads, bytes, cpus }, options);
      });
      progress('');
      all.push(...cases);
      print(`### ${heading({ pass, threads })}\n\n${caseTable(cases)}`);
    }
  }
  print(summary(all).join('\n'));
  if (all.some(({ wrong }) => wrong.length > 0)) process.exitCode = 3;
  if (options.markdown === undefined) return;
  const title = titleLines("Passes over memory beside the C library's", 'bench:memory', options.markdown);
  writeFileSync(options.markdown, `${[title, ...written].join('\n\n')}\n`);
}

await main().catch((error) => {
  process.stderr.write(`bench-memory: ${error.message}\n`);
  process.exitCode = 1;
});

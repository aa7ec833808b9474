// npm run bench:gemm: our own GEMM beside the libraries of this machine. Each candidate is a process of its own, measured in
// turns with the others and with the register-only peak; see bench-gemm/.
import { writeFileSync } from 'node:fs';
import { coresHere } from '../dist/cli/here.js';
import { placeThreads } from '../dist/execution/placement.js';
import { buildCandidate } from './bench-gemm/build.mjs';
import { libraryCandidates, ownCandidates } from './bench-gemm/candidates.mjs';
import { describe } from './bench-gemm/machine.mjs';
import { readOptions, USAGE } from './bench-gemm/options.mjs';
import { caseTable, footnotes, heading, summary } from './bench-gemm/report.mjs';
import { figures, isOpen, tableFigures } from './bench-gemm/results.mjs';
import { settle } from './bench-gemm/settings.mjs';
import { measureInTurns, withMoreLaunches } from './bench-gemm/turns.mjs';
import { random } from './lib/draw.mjs';
import { titleLines } from './lib/machine-lines.mjs';
import { progress } from './lib/progress.mjs';

const PORTABLE_STACKS = ['embedded:portable', 'embedded:avx2'];

const isOursWrong = ({ rows }) =>
  rows.some(({ role, trouble }) => role.startsWith('own') && trouble?.startsWith('WRONG'));

/** Measured again, as often as this, where the rounds have not decided. The interval that decides is of all rounds. */
const MOST_AGAIN = 3;

async function measureCase(situation, candidates, settings, options, draw) {
  const set = candidates.map((candidate) => {
    const setting = settings[candidate.name];
    return { ...candidate, setting, process: candidate.processFor(situation, setting) };
  });
  let runs = await measureInTurns(set, { ...options, draw });
  for (let again = 0; again < MOST_AGAIN && !options.quick && isOpen(figures(situation, runs)); again++) {
    runs = withMoreLaunches(runs, await measureInTurns(set, { ...options, draw }));
  }
  return { situation, runs };
}

async function measureTable(type, threads, cpus, candidates, options, draw) {
  const cases = [];
  let settings = {};
  for (const shape of options.shapes) {
    const situation = { type, threads, shape, cpus };
    progress(`${heading(situation)}: ${shape.name}`);
    const taking = candidates.filter((candidate) => candidate.applies(situation));
    settings = { ...settings, ...(await settle(taking, situation, settings, draw)) };
    cases.push(await measureCase(situation, taking, settings, options, draw));
  }
  progress('');
  return tableFigures(cases);
}

/** What a machine without any of our instruction sets would get, beside AVX2: all shapes and types, on one thread. */
async function measurePortable(program, cores, options, draw, print) {
  const cpus = placeThreads(cores, 1);
  const candidates = ownCandidates({ stacks: PORTABLE_STACKS, prepack: false, before: undefined }, program);
  const all = [];
  for (const type of options.types) {
    const cases = await measureTable(type, 1, cpus, candidates, options, draw);
    all.push(...cases);
    print(`### portable: ${heading({ type, threads: 1 })}\n\n${caseTable(cases)}`);
  }
  return all;
}

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return process.stdout.write(USAGE);
  const cores = coresHere();
  const program = await buildCandidate();
  const candidates = [...ownCandidates(options, program), ...libraryCandidates(options, program)];
  const draw = random(options.seed);
  const written = [];
  const print = (text) => {
    written.push(text);
    process.stdout.write(`${text}\n\n`);
  };
  print(describe(candidates, options));
  const all = [];
  for (const type of options.types) {
    for (const threads of options.threads) {
      const cpus = placeThreads(cores, threads);
      if (cpus === null) {
        print(`${heading({ type, threads })}: fewer CPUs may be used here, so it was not measured`);
        continue;
      }
      const cases = await measureTable(type, threads, cpus, candidates, options, draw);
      all.push(...cases);
      print(`### ${heading({ type, threads })}\n\n${caseTable(cases)}`);
      print(footnotes(cases).join('\n'));
    }
  }
  if (options.portable) all.push(...(await measurePortable(program, cores, options, draw, print)));
  print(summary(all).join('\n'));
  if (all.some(isOursWrong)) process.exitCode = 3;
  if (options.markdown !== undefined) {
    const title = titleLines(
      'The embedded GEMM beside the libraries of a machine',
      'bench:gemm',
      options.markdown,
    );
    writeFileSync(options.markdown, `${[title, ...written].join('\n\n')}\n`);
  }
}

await main().catch((error) => {
  process.stderr.write(`bench-gemm: ${error.message}\n`);
  process.exitCode = 1;
});

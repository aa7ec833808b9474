// The GPU check: see scripts/gpu-check.sh. Ends with 1 where a result was wrong or missing; a missed target is no error.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bundled } from '../lib/tree.mjs';
import { build } from './build.mjs';
import { commitHere } from './compiled.mjs';
import { follow } from './follow.mjs';
import { piBenchWithin } from './pi-bench.mjs';
import { markdown, notRunOf, targetsOf, wrongOf } from './report.mjs';
import { STEPS, stepsNamed } from './steps.mjs';

/** Seconds, unless the command says otherwise: then no further step begins, and what runs is ended. */
const LIMIT = 470;

const began = performance.now();
const elapsed = () => (performance.now() - began) / 1000;
const say = (text) => process.stderr.write(`gpu-check ${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);

async function gpuHere() {
  const { surveyGpus } = await import('../../dist/devices/gpu-survey.js');
  return surveyGpus();
}

const nameOf = (gpu) =>
  gpu.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** In one step each: who is ended while writing leaves what was there before. */
function write(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** As one file, so that all of it is easily brought along; who is killed before leaves the folder. Returns where they are. */
function packRecords(folder) {
  const done = spawnSync('tar', ['-czf', `${folder}.tar.gz`, '-C', dirname(folder), basename(folder)]);
  if (done.status !== 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  return `${folder}.tar.gz`;
}

/** null: one of the names is none. */
function asked(names) {
  try {
    return stepsNamed(names);
  } catch ({ message }) {
    process.stderr.write(`gpu-check: ${message}\n`);
    return null;
  }
}

async function main(out, seconds, names) {
  if (!existsSync(bundled('cli/main'))) {
    process.stderr.write(
      'gpu-check: there is no dist/: run npm run build:ts, or pack it (scripts/gpu-check/pack.mjs)\n',
    );
    return 64;
  }
  if (!(seconds > 0)) {
    process.stderr.write('gpu-check: the time must be a number of seconds\n');
    return 64;
  }
  const steps = asked(names);
  if (steps === null) return 64;
  const others = STEPS.filter((step) => !steps.includes(step)).map(({ says }) => `${says}: not asked for`);
  const left = () => seconds - elapsed();
  say('building the addon, the check of the kernels, the kernels, the independent timer');
  const { timer, packedOfThese, ...built } = await build(left);
  const { commit, wrong } = commitHere(packedOfThese);
  built.wrong.push(...wrong);
  for (const why of built.wrong) say(why);
  const survey = await gpuHere();
  const [gpu] = survey.devices;
  if (gpu === undefined) {
    process.stderr.write(`gpu-check: ${survey.problem}\n`);
    return 1;
  }
  say(`on ${gpu.name}, driver ${gpu.driver ?? 'not known'}`);
  const about = {
    gpu,
    cuda: survey.cuda,
    date: new Date().toISOString(),
    commit,
    built,
  };
  mkdirSync(out, { recursive: true });
  // Beside a result of all of them.
  const path = join(out, `${nameOf(gpu)}${names.length > 0 ? '-steps' : ''}`);
  const whole = (found, toCome = []) => {
    const check = { ...about, ...found, toCome, seconds: elapsed() };
    return {
      ...check,
      wrong: wrongOf(check),
      notRun: [...others, ...notRunOf(check)],
      targets: targetsOf(check),
    };
  };
  const told = (found, toCome) => {
    const check = whole(found, toCome);
    write(`${path}.json`, `${JSON.stringify(check, null, 1)}\n`);
    write(`${path}.md`, `${markdown(check)}\n`);
  };
  const records = `${path}-records`;
  mkdirSync(records, { recursive: true });
  const tools = {
    piBench: piBenchWithin(left, { keep: records }),
    piBenchByGraph: piBenchWithin(left, {
      keep: records,
      env: { ...process.env, PI_BENCH_CUDA_GROUPS: 'graph' },
    }),
    timer,
    gpu,
  };
  const check = whole(await follow(steps, tools, { left, say, told }));
  const packed = packRecords(records);
  process.stdout.write(`${markdown(check)}\n`);
  say(`written to ${path}.json and .md, and the launches' own files to ${packed}`);
  return check.wrong.length === 0 ? 0 : 1;
}

const [out = join('docs', 'gpu'), seconds = LIMIT, ...names] = process.argv.slice(2);
process.exitCode = await main(out, Number(seconds), names);

// The GPU check: see scripts/gpu-check.sh. Ends with 1 where a result was wrong or missing; a missed target is no error.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled, packageRoot } from '../lib/tree.mjs';
import { buildAddon, buildKernels, buildTimer } from './build.mjs';
import { markdown, targetsOf } from './report.mjs';
import { correctness, firstSample, others, products, pytorch, tests, timing } from './steps.mjs';

const began = performance.now();
const elapsed = () => (performance.now() - began) / 1000;
const say = (text) => process.stderr.write(`gpu-check ${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);

/** After so many seconds no further step begins: the machine may be lent for a short time. */
const LIMIT = 420;

/** A step that fails leaves the others to go on. */
async function step(name, work, instead) {
  if (elapsed() > LIMIT) return { ...instead, wrong: [`${name}: not run, for want of time`] };
  say(name);
  try {
    return await work();
  } catch (error) {
    say(`${name} failed: ${error.message}`);
    return { ...instead, wrong: [`${name}: ${error.message}`] };
  }
}

async function build() {
  await Promise.all([buildAddon(), buildKernels()]);
  return { timer: buildTimer(), wrong: [] };
}

async function gpuHere() {
  const { surveyGpus } = await import('../../dist/devices/gpu-survey.js');
  return surveyGpus();
}

function commitHere() {
  const done = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: packageRoot, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : 'not known';
}

async function main(out) {
  if (!existsSync(bundled('cli/main'))) {
    process.stderr.write(
      'gpu-check: there is no dist/: run npm run build:ts, or pack it (scripts/gpu-check/pack.mjs)\n',
    );
    return 64;
  }
  const built = await step('building the addon, the kernels, the independent timer', build, { timer: null });
  const survey = await gpuHere();
  const [gpu] = survey.devices;
  if (gpu === undefined) {
    process.stderr.write(`gpu-check: ${survey.problem}\n`);
    return 1;
  }
  say(`on ${gpu.name}, driver ${gpu.driver ?? 'not known'}`);
  const check = {
    gpu,
    cuda: survey.cuda,
    date: new Date().toISOString(),
    commit: commitHere(),
    tests: await step('tests marked gpu', tests, { ran: false }),
    correctness: await step('correctness', correctness, { right: 0 }),
    timing: await step('timing beside an independent program', () => timing(built.timer), {
      rounds: [],
      ratio: null,
    }),
    firstSample: await step('time to the first sample', firstSample, { seconds: null }),
    products: await step('products beside cuBLAS', products, { rows: [], libraries: [] }),
    others: await step('peak, memory, kernel launches', others, {
      rows: { peak: [], memory: [], 'kernel-launch': [] },
    }),
    pytorch: await step('PyTorch', pytorch, {}),
  };
  check.wrong = [
    built,
    check.tests,
    check.correctness,
    check.timing,
    check.firstSample,
    check.products,
    check.others,
  ].flatMap(({ wrong }) => wrong);
  check.targets = targetsOf(check);
  check.seconds = elapsed();
  mkdirSync(out, { recursive: true });
  const name = gpu.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify(check, null, 1)}\n`);
  const text = markdown(check);
  writeFileSync(join(out, `${name}.md`), `${text}\n`);
  process.stdout.write(`${text}\n`);
  say(`written to ${join(out, name)}.json and .md`);
  return check.wrong.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv[2] ?? join('docs', 'gpu'));

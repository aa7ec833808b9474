// npm run bench:report: what a large campaign costs to summarise and to report, on disk as pi-bench leaves it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './lib/bootstrap.mjs';
import { orEnd, readFlags, wholeNumber } from './lib/flags.mjs';
import { line } from './lib/measure.mjs';
import {
  summariseSynthetic,
  syntheticBatch,
  syntheticCampaign,
  writeSyntheticInspections,
} from './lib/synthetic-campaign.mjs';
import { bundled, packageRoot } from './lib/tree.mjs';

const USAGE = `npm run bench:report -- [flags]: what a large campaign costs to summarise and to report
  --launches N  300
  --reps N      in each launch: 20000
  --batches N   1
  --keep DIR    leaves the campaign there
`;
const values = readFlags(USAGE, {
  launches: { type: 'string', default: '300' },
  reps: { type: 'string', default: '20000' },
  batches: { type: 'string', default: '1' },
  keep: { type: 'string' },
  // Internal: each step is a process of its own, so that its memory is its own.
  write: { type: 'string' },
  summarise: { type: 'string' },
});
const [launches, repetitions, batches] = orEnd(() => [
  wholeNumber('--launches', values.launches),
  wholeNumber('--reps', values.reps),
  wholeNumber('--batches', values.batches),
]);
const dist = (path) => import(join(packageRoot, 'dist', path));

const campaignOf = () =>
  syntheticCampaign(
    Array.from({ length: batches }, (_, i) =>
      syntheticBatch({ size: 64 * 2 ** i, repetitions, inspections: Math.round(launches / batches) }),
    ),
  );

async function parts() {
  const { findStack } = await dist('stacks/index.js');
  const { describeHere } = await dist('cli/here.js');
  return {
    rounds: (await dist('campaign/plan.js')).rounds,
    random: await dist('random.js'),
    sha256: (await dist('record/digest.js')).sha256,
    encodeSamples: (await dist('store/samples-file.js')).encodeSamples,
    openStore: (await dist('store/store.js')).openStore,
    analyseCampaign: (await dist('cli/analyse-campaign.js')).analyseCampaign,
    buildRecord: (await dist('record/build.js')).buildRecord,
    stackIdentity: findStack('embedded').identify(null),
    machine: describeHere(),
  };
}

const peakMemory = () => process.resourceUsage().maxRSS * 1024;

if (values.write !== undefined) {
  writeSyntheticInspections(values.write, campaignOf(), await parts());
} else if (values.summarise !== undefined) {
  const given = await parts();
  const began = process.hrtime.bigint();
  await summariseSynthetic(values.summarise, campaignOf(), given);
  const seconds = Number(process.hrtime.bigint() - began) * 1e-9;
  process.stdout.write(JSON.stringify({ seconds, memory: peakMemory() }));
} else {
  const failure = await bootstrap();
  if (failure !== null) throw new Error(failure);
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'pi-bench-report-'));
  const own = [
    fileURLToPath(import.meta.url),
    '--launches',
    values.launches,
    '--reps',
    values.reps,
    '--batches',
    values.batches,
  ];
  const run = (args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  };
  try {
    process.stdout.write(
      `${launches} launches of ${repetitions} repetitions in ${batches} batches: ${(launches * repetitions).toLocaleString('en-US')} samples\n`,
    );
    run([...own, '--write', folder]);
    const summary = JSON.parse(run([...own, '--summarise', folder]));
    line(
      'summarised (record.json from the inspections)',
      `${summary.seconds.toFixed(2)} s`,
      '3 s',
      summary.seconds <= 3,
    );
    line('  its peak memory', `${(summary.memory / 1e6).toFixed(0)} MB`, '500 MB', summary.memory <= 500e6);
    const page = join(folder, 'report.html');
    const watched = `
      const { main } = await import(${JSON.stringify(bundled('cli/main').href)});
      const began = process.hrtime.bigint();
      await main(['report', ${JSON.stringify(folder)}, '--out', ${JSON.stringify(page)}]);
      const seconds = Number(process.hrtime.bigint() - began) * 1e-9;
      process.stderr.write(JSON.stringify({ seconds, memory: process.resourceUsage().maxRSS * 1024 }));
    `;
    const began = process.hrtime.bigint();
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', watched], {
      encoding: 'utf8',
    });
    const whole = Number(process.hrtime.bigint() - began) * 1e-9;
    if (status !== 0) throw new Error(`report ended with ${status}: ${stderr}`);
    const { memory } = JSON.parse(stderr.slice(stderr.lastIndexOf('{')));
    line('reported (the whole command)', `${whole.toFixed(2)} s`, '10 s', whole <= 10);
    line('  its peak memory', `${(memory / 1e6).toFixed(0)} MB`, '500 MB', memory <= 500e6);
    const bytes = statSync(page).size;
    line('  the page', `${(bytes / 1e6).toFixed(2)} MB`, '3 MB', bytes <= 3e6);
    line(
      '  record.json',
      `${(readFileSync(join(folder, 'record.json')).length / 1e6).toFixed(2)} MB`,
      '',
      null,
    );
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

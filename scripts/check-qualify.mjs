// npm run check:qualify -- [--runs 50] [--quota-runs 50] [--tier t1]: whether a verdict can be relied on. On a quiet node all
// runs have to come to the same verdict; with nine tenths of its CPUs left by a quota, every run has to fail, by what was
// measured and not only by what the control group says, with the quota as the cause. The quota takes root and a control group
// that can be written; without them that half says so and is left out. First comes the self-test: each kind of fault, once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from './lib/tree.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    'quota-runs': { type: 'string', default: '50' },
    tier: { type: 'string', default: 't1' },
  },
});

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
const SHARE = 0.9;
const PERIOD_US = 100_000;
const MEASURED = ['sustained', 'stability'];

/** A control group of our own with a quota; null: none can be made here. */
function limitedGroup() {
  const name = `pi-bench-check-${process.pid}`;
  const quota = Math.round(SHARE * availableParallelism() * PERIOD_US);
  const places = [
    {
      folder: '/sys/fs/cgroup/cpu',
      files: [
        ['cpu.cfs_period_us', `${PERIOD_US}`],
        ['cpu.cfs_quota_us', `${quota}`],
      ],
    },
    { folder: '/sys/fs/cgroup', files: [['cpu.max', `${quota} ${PERIOD_US}`]] },
  ];
  for (const { folder, files } of places) {
    const group = join(folder, name);
    try {
      if (!existsSync(folder)) continue;
      mkdirSync(group);
      for (const [file, text] of files) writeFileSync(join(group, file), text);
      return group;
    } catch {
      try {
        rmdirSync(group);
      } catch {
        // It was not made.
      }
    }
  }
  return null;
}

/** One qualification, in a control group or in none. */
function qualifyOnce(group) {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-check-'));
  const enter = group === null ? '' : `echo $$ > ${group}/cgroup.procs; `;
  const command = `${enter}exec "${process.execPath}" "${LAUNCHER}" qualify --tier ${values.tier} --quiet --json --out "${folder}"`;
  try {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, XDG_STATE_HOME: folder },
    });
    if (stdout === '') throw new Error(`no record: ${stderr}`);
    const { qualification, accounting } = JSON.parse(stdout);
    const way = qualification.checks.filter(
      ({ required, verdict }) => required && verdict !== 'pass' && verdict !== 'warn',
    );
    return { status, way, seconds: qualification.wall, goodput: accounting?.share ?? 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wayText = (way) =>
  way.map(({ id, verdict, cause }) => `${id} ${verdict} (${cause})`).join(', ') || 'nothing in the way';

function agreement(count) {
  const runs = [];
  for (let i = 0; i < count; i++) {
    const run = qualifyOnce(null);
    runs.push(run);
    console.log(
      `quiet ${i + 1}: exit ${run.status}, ${run.seconds.toFixed(1)} s, goodput ${(run.goodput * 100).toFixed(0)} %, ${wayText(run.way)}`,
    );
  }
  const tally = Map.groupBy === undefined ? null : Map.groupBy(runs, ({ status }) => status);
  const most = Math.max(0, ...[0, 1, 2].map((code) => runs.filter(({ status }) => status === code).length));
  console.log(
    `quiet node: ${most} of ${runs.length} runs agree${tally === null ? '' : ` (exit codes ${[...tally].map(([code, all]) => `${code}: ${all.length}`).join(', ')})`}`,
  );
  return most === runs.length;
}

function underQuota(count) {
  const group = limitedGroup();
  if (group === null) {
    console.log(
      'quota: left out, as no control group with a quota can be made here (root and a writable /sys/fs/cgroup)',
    );
    return true;
  }
  let right = 0;
  try {
    for (let i = 0; i < count; i++) {
      const { status, way } = qualifyOnce(group);
      const named = way.some(
        ({ kind, verdict, cause }) => MEASURED.includes(kind) && verdict === 'fail' && cause === 'cpu-quota',
      );
      if (status === 1 && named) right++;
      console.log(
        `quota ${i + 1}: exit ${status}, ${named ? 'measured, with its cause' : 'NOT SEEN'}, ${wayText(way)}`,
      );
    }
  } finally {
    rmdirSync(group);
  }
  console.log(`quota of ${SHARE * 100} %: ${right} of ${count} runs fail with the right cause`);
  return right === count;
}

if (readFileSync('/proc/loadavg', 'utf8').split(' ')[0] > 0.5)
  console.log('the load average is above 0.5: on a busy node verdicts are inconclusive, as they should be');
const tested =
  spawnSync(process.execPath, [LAUNCHER, 'qualify', '--self-test'], { stdio: 'inherit' }).status === 0;
const agreed = Number(values.runs) === 0 || agreement(Number(values.runs));
const seen = Number(values['quota-runs']) === 0 || underQuota(Number(values['quota-runs']));
if (!tested || !agreed || !seen) process.exitCode = 1;

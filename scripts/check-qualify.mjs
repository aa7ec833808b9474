// npm run check:qualify -- [--runs 50] [--most 100] [--quota-runs 50] [--tier t1 | --suite FILE] [--out FILE] [--no-self-test]: whether
// a verdict can be relied on. On a node that stays quiet meanwhile all runs have to come to the same verdict, and what came of the
// others is told beside it, up to --most in all; with nine tenths of its CPUs left by a quota, every run has to fail, by what was
// measured and not only by what the control group says, with the quota as the cause. The quota takes root and a control group that can
// be written; without them that half says so and is left out, and the check ends with 2 at best. First comes the self-test: each kind of fault, once.
// --suite scripts/check-qualify/short.yaml has the checks of t1 in a third of its time. --out keeps each run as a line, and begins where
// an earlier call with the same file and suite ended.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCodeOf } from './check-qualify/exit-code.mjs';
import { quietText, wasQuiet, watched } from './check-qualify/quietness.mjs';
import { packageRoot } from './lib/tree.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    most: { type: 'string' },
    'quota-runs': { type: 'string', default: '50' },
    tier: { type: 'string', default: 't1' },
    suite: { type: 'string' },
    out: { type: 'string' },
    'self-test': { type: 'boolean', default: true },
  },
  allowNegative: true,
});

/** What is run: as pi-bench takes it, and as a kept run says it. */
const ASKED = values.suite === undefined ? ['--tier', values.tier] : ['--suite', resolve(values.suite)];

/** Runs of an earlier call with the same file, of the same suite. */
function keptRuns(kind) {
  if (values.out === undefined || !existsSync(values.out)) return [];
  return readFileSync(values.out, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const run = JSON.parse(line);
        // Of lines from before it was watched nobody knows whether the node was quiet.
        const known = kind !== 'quiet' || run.stolen !== undefined;
        return known && run.kind === kind && run.asked === ASKED.join(' ') ? [run] : [];
      } catch {
        // A line that a kill cut off, and the last one, which is empty.
        return [];
      }
    });
}

/** Runs until these are enough, those of an earlier call first; each is kept as soon as it is there. */
function runs(kind, enough, one, say) {
  const all = keptRuns(kind);
  if (all.length > 0) console.log(`${kind}: ${all.length} runs are in ${values.out} already`);
  while (!enough(all)) {
    const run = { kind, asked: ASKED.join(' '), at: new Date().toISOString(), ...one() };
    if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(run)}\n`);
    all.push(run);
    console.log(`${kind} ${all.length}: ${say(run)}`);
  }
  return all;
}

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
  const command = `${enter}exec "${process.execPath}" "${LAUNCHER}" qualify ${ASKED.map((word) => `"${word}"`).join(' ')} --quiet --json --out "${folder}"`;
  try {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, XDG_STATE_HOME: folder },
    });
    if (stdout === '') throw new Error(`no record: ${stderr}`);
    const { qualification, accounting } = JSON.parse(stdout);
    const way = qualification.checks
      .filter(({ required, verdict }) => required && verdict !== 'pass' && verdict !== 'warn')
      .map(({ id, kind, verdict, cause, reason }) => ({ id, kind, verdict, cause, reason }));
    return { status, way, seconds: qualification.wall, goodput: accounting?.share ?? 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wayText = (way) =>
  way.map(({ id, verdict, cause }) => `${id} ${verdict} (${cause})`).join(', ') || 'nothing in the way';

const namesQuota = ({ way }) =>
  way.some(
    ({ kind, verdict, cause }) => MEASURED.includes(kind) && verdict === 'fail' && cause === 'cpu-quota',
  );

/** How many of these came to the verdict that most of them came to. */
function agreeing(some, where) {
  const codes = [...new Set(some.map(({ status }) => status))];
  const tally = codes.map((code) => [code, some.filter(({ status }) => status === code).length]);
  const most = Math.max(0, ...tally.map(([, times]) => times));
  console.log(
    `${where}: ${most} of ${some.length} runs agree (exit codes ${tally.map(([code, times]) => `${code}: ${times}`).join(', ')})`,
  );
  return most;
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** So many runs of a node that stayed quiet, and at most `most` in all; those of a busy one are counted by themselves. */
function agreement(count, most) {
  const all = runs(
    'quiet',
    (done) => done.filter(wasQuiet).length >= count || done.length >= most,
    () => watched(() => qualifyOnce(null)),
    ({ status, seconds, goodput, way, stolen, others }) =>
      `exit ${status}, ${seconds.toFixed(1)} s, goodput ${(goodput * 100).toFixed(0)} %, stolen ${percent(stolen)}, others ${percent(others)}, ${wayText(way)}`,
  );
  const quiet = all.filter(wasQuiet);
  const agreed = agreeing(quiet, `node that stayed quiet (${quietText})`);
  if (quiet.length < all.length)
    agreeing(
      all.filter((run) => !wasQuiet(run)),
      'node that did not',
    );
  if (quiet.length < count)
    console.log(`${count} runs of a quiet node were asked for, and there are ${quiet.length}`);
  return quiet.length >= count && agreed === quiet.length;
}

/** Whether all runs under a quota were right; null: there can be no quota here. */
function underQuota(count) {
  const group = limitedGroup();
  if (group === null) {
    console.log(
      'quota: left out, as no control group with a quota can be made here (root and a writable /sys/fs/cgroup)',
    );
    return null;
  }
  try {
    const all = runs(
      'quota',
      (done) => done.length >= count,
      () => qualifyOnce(group),
      (run) =>
        `exit ${run.status}, ${run.seconds.toFixed(1)} s, ${namesQuota(run) ? 'measured, with its cause' : 'NOT SEEN'}, ${wayText(run.way)}`,
    );
    const right = all.filter((run) => run.status === 1 && namesQuota(run)).length;
    console.log(`quota of ${SHARE * 100} %: ${right} of ${all.length} runs fail with the right cause`);
    return right === all.length;
  } finally {
    rmdirSync(group);
  }
}

if (Number.parseFloat(readFileSync('/proc/loadavg', 'utf8')) > 0.5)
  console.log('the load average is above 0.5: on a busy node verdicts are inconclusive, as they should be');
const tested =
  !values['self-test'] ||
  spawnSync(process.execPath, [LAUNCHER, 'qualify', '--self-test'], { stdio: 'inherit' }).status === 0;
const agreed =
  Number(values.runs) === 0 || agreement(Number(values.runs), Number(values.most ?? 2 * Number(values.runs)));
const seen = Number(values['quota-runs']) === 0 || underQuota(Number(values['quota-runs']));
process.exitCode = exitCodeOf([tested, agreed, seen]);

// Part of npm run check:long: all of t3 with launches of moments (short-t3.yaml). Each of its parts has to be measured as often as the
// suite says, each of its checks to judge each part that it is about, and --budget and --deadline to hold. What it comes to is not
// looked at: moments say nothing of a machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../lib/tree.mjs';

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
const SUITE = join(packageRoot, 'scripts', 'check-qualify', 'short-t3.yaml');
/** Of t3 itself, beside those of t1 and t2. */
const PARTS = ['long-soak', 'memory-pattern', 'pulse', 'repeat'];
const JUDGED = ['correctness', 'complete', 'sustained', 'stability'];
const TIME_S = 12;
/** A start, a look around, a launch that has to be ended, a record that has to be written. */
const GRACE_S = 10;

let checks = 0;
const wrong = [];
const check = (right, what) => {
  checks++;
  if (!right) wrong.push(what);
};

function qualify(folder, ...args) {
  const all = [LAUNCHER, 'qualify', '--suite', SUITE, '--quiet', '--json', '--out', folder, ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, all, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, XDG_STATE_HOME: folder },
  });
  if (stdout === '') throw new Error(`no record, exit code ${status}: ${stderr}`);
  return { record: JSON.parse(stdout), status };
}

const folder = mkdtempSync(join(tmpdir(), 'pi-bench-t3-'));
try {
  const { record, status } = qualify(folder);
  const { qualification, batches } = record;
  check([0, 1, 2].includes(status), `exit code ${status}`);
  for (const part of PARTS) {
    const own = batches.filter(({ asked }) => asked.labels?.part === part);
    check(own.length > 0, `${part} was not measured`);
    for (const { title, planned, measured } of own)
      check(measured === planned, `${part}: ${measured} of ${planned} launches of ${title}`);
    for (const kind of JUDGED) {
      const judged = qualification.checks.filter(
        (one) => one.kind === kind && one.part?.replace(/#.*/, '') === part,
      );
      check(
        judged.length === own.length,
        `${kind} judged ${judged.length} of ${own.length} batches of ${part}`,
      );
      check(
        judged.every(({ verdict }) => verdict !== 'skipped'),
        `${kind} of ${part} was skipped`,
      );
    }
    const spread = qualification.checks
      .filter((one) => one.kind === 'stability' && one.part === part)
      .flatMap(({ findings }) => findings.filter(({ quantity }) => quantity === 'spread_of_launches'));
    if (part === 'pulse' || part === 'repeat')
      check(
        spread.some(({ measured }) => measured !== null),
        `launches of ${part} were not compared`,
      );
  }
  for (const [flag, stops] of [
    ['--budget', 'budget'],
    ['--deadline', 'budget'],
  ]) {
    const { record: cut, status: code } = qualify(folder, flag, `${TIME_S}s`);
    const { wall, checks: all } = cut.qualification;
    check(wall < TIME_S + GRACE_S, `${flag} ${TIME_S}s took ${wall.toFixed(1)} s`);
    check(cut.stoppedBy === stops, `${flag} stopped by ${cut.stoppedBy}`);
    check(code !== 0, `${flag}: what was not measured has qualified`);
    check(
      all.some(({ cause, verdict }) => cause === 'no-time' && verdict === 'inconclusive'),
      `${flag}: no check says that the time was up`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const what of wrong) console.log(`not ok - ${what}`);
console.log(`t3         ${checks} checks ${wrong.length === 0 ? 'right' : 'WRONG'}`);
if (wrong.length > 0) process.exitCode = 1;

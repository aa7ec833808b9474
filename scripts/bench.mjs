// npm run bench: what pi-bench itself costs. Each figure is a median, compared in turns where it is a comparison.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrap } from './lib/bootstrap.mjs';
import { addon, job, line, median } from './lib/measure.mjs';
import { packageRoot } from './lib/tree.mjs';

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
/** Warm-up, and what Node compiles of what it does again and again, are over then. */
const SETTLED_MS = 1500;
const now = () => Number(process.hrtime.bigint()) * 1e-9;

const failure = await bootstrap();
if (failure !== null) throw new Error(failure);
const out = mkdtempSync(join(tmpdir(), 'pi-bench-bench-'));

function seconds(...args) {
  const began = now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
  return now() - began;
}

/** A campaign's record, and where it lies. */
function campaign(...args) {
  const { stdout, status } = spawnSync(
    process.execPath,
    [LAUNCHER, ...args, '--json', '--quiet', '--out', out],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  const record = JSON.parse(stdout);
  return { record, folder: join(out, record.campaign.id) };
}

/** The launcher answers `--version` by itself: what commands load is in a command that reads a record. */
function startUp() {
  const { folder } = campaign('matmul', '--size', '64', '--reps', '100', '--inspections', '1');
  const commands = { show: ['show', folder], version: ['--version'] };
  const over = { show: [], version: [] };
  for (let round = 0; round < 15; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const bare = seconds('-e', '0');
      over[name].push(seconds(LAUNCHER, ...args) - bare);
    }
  }
  const [show, version] = [over.show, over.version].map((times) => median(times) * 1e3);
  line('pi-bench show of a small record, over bare Node', `${show.toFixed(1)} ms`, '80 ms', show <= 80);
  line(
    '  of which the launcher alone (--version, which loads nothing else)',
    `${version.toFixed(1)} ms`,
    '',
    null,
  );
}

async function bookkeeping() {
  const native = addon();
  const [costs, clocks] = [[], []];
  for (let i = 0; i < 9; i++) {
    const repetitions = 500_000;
    clocks.push(native.measureClock().overheadSeconds);
    const { samples } = await native.inspect(
      job('idle', {}, { repetitions, warmup: { kind: 'count', count: 0 } }),
    ).result;
    costs.push(samples.wallSeconds / repetitions);
  }
  const ns = median(costs) * 1e9;
  line(
    'one repetition of an empty workload, its clock reading in it',
    `${ns.toFixed(1)} ns, of which clock ${(median(clocks) * 1e9).toFixed(1)} ns`,
    '50 ns',
    ns <= 50,
  );
}

function timedShare() {
  const began = now();
  const { accounting } = campaign('matmul', '--size', '512', '--reps', '2000').record;
  const wall = now() - began;
  const share = accounting.measured / wall;
  line(
    'matmul --size 512 --reps 2000: inside the repetitions',
    `${(share * 100).toFixed(1)} % of ${wall.toFixed(1)} s`,
    '90 %',
    share >= 0.9,
  );
}

/** CPU seconds of one thread so far, to the nanosecond. */
const cpuOf = (pid, tid) =>
  Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0]) * 1e-9;

/** The children of a process, and their children. */
function descendants(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function childrenByScan(pid) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });
  const below = (parent) =>
    parents.filter(([, ppid]) => ppid === parent).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

/** A file of /proc; `otherwise` where its process has ended. */
function readOr(otherwise, path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

/** The processes of Node below one. */
function nodesBelow(pid) {
  let family;
  try {
    family = descendants(pid);
  } catch {
    family = childrenByScan(pid);
  }
  return family.filter((one) => readOr('', `/proc/${one}/cmdline`).startsWith(process.execPath));
}

/** Whether a worker's thread that measures (native/addon_inspection.cc) is there. */
function measures(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      (tid) => readOr('', `/proc/${pid}/task/${tid}/comm`).trim() === 'measuring',
    );
  } catch {
    return false;
  }
}

/**
 * The launcher draws its progress line in a pseudo-terminal while its worker measures: what both take from the CPUs, from when that
 * has begun, however long the start takes here.
 */
async function disturbance() {
  const command = `${process.execPath} ${LAUNCHER} matmul --size 512 --reps 8000 --inspections 1 --out ${out}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => terminal.on('close', resolve));
  const deadline = now() + 30;
  let nodes = [];
  while (!nodes.some(measures)) {
    if (now() > deadline) throw new Error('no worker has begun to measure');
    await sleep(200);
    nodes = nodesBelow(terminal.pid);
  }
  await sleep(SETTLED_MS);
  const read = () => nodes.map((pid) => cpuOf(pid, pid));
  const [before, from] = [read(), now()];
  await sleep(5000);
  const [after, to] = [read(), now()];
  await ended;
  // Main threads only: the measuring threads are the measurement.
  const used = after.reduce((sum, cpu, i) => sum + cpu - before[i], 0);
  const share = used / (to - from);
  const names = nodes.length === 2 ? 'launcher and worker' : `${nodes.length} processes`;
  line(
    `progress, cancellation, limit: CPU of ${names}`,
    `${(share * 100).toFixed(3)} % of one CPU`,
    '0.1 %',
    share <= 0.001,
  );
}

startUp();
await bookkeeping();
timedShare();
await disturbance();
rmSync(out, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [join(packageRoot, 'scripts', 'bench-statistics.mjs')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

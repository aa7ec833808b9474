// A fleet of ten thousand nodes as one file of node lines, judged by the real command: seconds, and memory at its highest.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHAPE_UNIT, toLine } from '../../dist/fleet/node-line.js';
import { SHARES } from '../../dist/fleet/sketch.js';
import { normalReach } from '../../dist/statistics/normal.js';
import { packageRoot } from '../lib/tree.mjs';
import { head, source } from './simulated.mjs';

const NODES = 10_000;
const KPIS = 200;
const POLL_MS = 50;

/** Quantiles of a normal distribution, in standard deviations: whole series of two million KPIs would take hours to draw. */
const NORMAL = SHARES.map((share) => {
  const p = Math.max(share, 0.0003);
  return p < 0.5 ? -normalReach(1 - 2 * p) : p > 0.5 ? normalReach(2 * p - 1) : 0;
});

/**
 * A KPI by its quantiles alone.
 * @param level of the node, around 1
 * @returns {import('../../dist/fleet/node-line.js').NodeKpi}
 */
export function quantileKpi(index, draw, level) {
  const spread = 0.004 * Math.exp(0.1 * draw.normal());
  const median = 1e11 * (index + 1) * level;
  const key = `matmul?batch=1&dtype=float32&k=${256 + index}&m=512&n=512&pin=true&threads=2&transpose=NN@embedded#pibench_matmul_rate_flops_per_second`;
  return {
    key,
    on: 'cpu',
    unit: 'FLOP/s',
    better: 'higher',
    n: 2000,
    launches: 3,
    median: Number(median.toPrecision(8)),
    p05: Number((median * (1 - 1.645 * spread)).toPrecision(8)),
    sustained: Number((median * (1 - spread)).toPrecision(8)),
    cv: Number(spread.toPrecision(4)),
    drift: Number((0.001 * draw.normal()).toPrecision(4)),
    shape: NORMAL.map((z) => Math.round(z * spread * SHAPE_UNIT)),
    peak: null,
    hertz: 2.5e9,
    seconds: 2,
    flags: [],
  };
}

function writeNodes(path, nodes) {
  const draw = source(3);
  const file = openSync(path, 'w');
  for (let node = 0; node < nodes; node++) {
    const slow = node % 1000 === 7 ? 0.93 : 1;
    const kpis = Array.from({ length: KPIS }, (_, i) =>
      quantileKpi(i, draw, slow * Math.exp(0.005 * draw.normal())),
    );
    writeSync(file, toLine({ ...head(`n${node}`), kpis }));
  }
  closeSync(file);
}

/** The kernel's high-water mark of a process; null: it has ended. */
function highWater(pid) {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return null;
  }
}

async function judge(path) {
  const began = process.hrtime.bigint();
  const child = spawn(process.execPath, ['bin/pi-bench.mjs', 'fleet', 'check', path, '--json'], {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let most = 0;
  const poll = setInterval(() => {
    most = Math.max(most, highWater(child.pid) ?? 0);
  }, POLL_MS);
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(poll);
  return { seconds: Number(process.hrtime.bigint() - began) / 1e9, most, code, named: JSON.parse(out).named };
}

export async function runScale() {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-fleet-'));
  const path = join(folder, 'nodes.jsonl');
  try {
    writeNodes(path, NODES);
    const size = statSync(path).size / 2 ** 20;
    console.log(
      `${NODES} nodes x ${KPIS} KPIs: ${size.toFixed(0)} MiB of lines, 10 nodes 7 % slower at everything`,
    );
    for (let i = 0; i < 3; i++) {
      const { seconds, most, code, named } = await judge(path);
      const right = named.filter(({ node }) => Number(node.slice(1)) % 1000 === 7).length;
      console.log(
        `fleet check: ${seconds.toFixed(1)} s, ${(most / 2 ** 20).toFixed(0)} MiB at most, exit code ${code}, named ${right} of 10 and ${named.length - right} others`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

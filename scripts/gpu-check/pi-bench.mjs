// Runs pi-bench's commands for the check, and reads what they leave.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../lib/tree.mjs';

const LIMIT_MS = 240_000;

/** One command: its exit code, what it said, its record, the documents of its launches, and when it was typed. */
export function piBench(...args) {
  const out = mkdtempSync(join(tmpdir(), 'pi-bench-gpu-'));
  const typedAt = Date.now();
  try {
    const done = spawnSync(
      process.execPath,
      [join(packageRoot, 'scripts', 'gpu-check', 'run.mjs'), ...args, '--json', '--quiet', '--out', out],
      { cwd: packageRoot, encoding: 'utf8', maxBuffer: 1 << 28, timeout: LIMIT_MS },
    );
    const record = done.stdout.startsWith('{') ? JSON.parse(done.stdout) : null;
    return {
      code: done.status ?? done.signal,
      stderr: done.stderr.trim(),
      record,
      documents: documentsIn(out),
      typedAt,
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function documentsIn(out) {
  const [campaign] = readdirSync(out);
  if (campaign === undefined) return [];
  const folder = join(out, campaign, 'inspections');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** Why a command's batches are not all measured and verified; null: they are. */
export function trouble({ code, stderr, record }) {
  if (record === null) return `exit code ${code}: ${stderr}`;
  const bad = record.batches.filter(({ verified, measured }) => verified !== 'passed' || measured === 0);
  if (code === 0 && bad.length === 0) return null;
  const reasons = bad.map(({ title, inspections, verified }) => {
    const why = inspections
      .map(({ reason, verification }) => reason ?? verification?.firstWrong)
      .find(Boolean);
    return `${title}: ${verified}${why ? ` (${why})` : ''}`;
  });
  return [`exit code ${code}`, ...reasons, stderr].filter(Boolean).join('; ');
}

/** What a batch's rate rests on, in a few numbers. */
export const summaryOf = ({ title, stack, rate, elapsed, roofline, datasheet, flags, verified }) => ({
  title,
  stack: stack.provider,
  implementation: stack.implementation,
  version: stack.version,
  rate: rate?.median ?? null,
  elapsed: elapsed?.median ?? null,
  ofPeak: roofline?.efficiency ?? null,
  ofDatasheet: datasheet?.share ?? null,
  verified,
  flags: flags.map(({ name }) => name),
});

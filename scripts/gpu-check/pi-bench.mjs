// Runs pi-bench's commands for the check, and reads what they leave.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../lib/tree.mjs';
import { bounded } from './bounded.mjs';

const RUN = join(packageRoot, 'scripts', 'gpu-check', 'run.mjs');

/** Seconds: a command that is ended so soon has nothing to keep. */
const LEAST = 2;
const NOT_RUN = { code: null, outOfTime: true, stderr: '', record: null, documents: [] };

/**
 * What runs one command in the time that is left: its exit code, what it said, its record, the documents of its launches,
 * also of a command that had to be ended, and when it was typed.
 * @param {() => number} left seconds
 * @param {{ program?: string, keep?: string | null, env?: NodeJS.ProcessEnv }} [how] `program` in place of pi-bench; `keep`:
 *   the folder where its files stay; null: they are removed
 */
export const piBenchWithin =
  (left, { program = RUN, keep = null, env = process.env } = {}) =>
  async (...args) => {
    const typedAt = Date.now();
    if (left() < LEAST) return { ...NOT_RUN, typedAt };
    const out = mkdtempSync(join(keep ?? tmpdir(), `${args[0]}-`));
    try {
      const done = await bounded(process.execPath, [program, ...args, '--json', '--quiet', '--out', out], {
        seconds: left(),
        env,
      });
      return {
        code: done.status,
        outOfTime: done.outOfTime,
        stderr: done.stderr.trim(),
        record: recordIn(done.stdout),
        documents: documentsIn(out),
        typedAt,
      };
    } finally {
      if (keep === null) rmSync(out, { recursive: true, force: true });
    }
  };

/** null: there is none, or not all of it. */
function recordIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function documentsIn(out) {
  const [campaign] = readdirSync(out);
  if (campaign === undefined) return [];
  const folder = join(out, campaign, 'inspections');
  return names(folder)
    .filter((name) => name.endsWith('.json'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .flatMap((name) => recordIn(readFileSync(join(folder, name), 'utf8')) ?? []);
}

function names(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Cases of which a command left a right result: as its record says, or its launches where it left no record. */
export const rightOf = ({ record, documents }) =>
  record === null
    ? documents.filter(({ verification }) => verification?.passed === true).length
    : record.batches.filter(({ verified }) => verified === 'passed').length;

/** Why a command's batches are not all measured and verified; null: they are. */
export function trouble({ code, outOfTime, stderr, record, documents }) {
  const ended = outOfTime ? 'there was no more time' : `exit code ${code}`;
  if (record === null) {
    const bad = documents.flatMap(({ verification }) => verification?.firstWrong || []);
    return [`${ended}; ${documents.length} launches were left`, ...bad, stderr].filter(Boolean).join('; ');
  }
  const bad = record.batches.filter(({ verified, measured }) => verified !== 'passed' || measured === 0);
  if (code === 0 && bad.length === 0) return null;
  const reasons = bad.map(({ title, inspections, verified }) => {
    const why = inspections
      .map(({ reason, verification }) => reason ?? verification?.firstWrong)
      .find(Boolean);
    return `${title}: ${verified}${why ? ` (${why})` : ''}`;
  });
  return [ended, ...reasons, stderr].filter(Boolean).join('; ');
}

/** Of a flag's evidence one number, for each launch; 0 where a launch has not the flag. */
const evidenceOf = (inspections, name, key) =>
  inspections.map(({ flags }) => flags?.find((flag) => flag.name === name)?.evidence[key] ?? 0);

/**
 * How the device's power limit held a batch down: the least share of readings at it that a launch had, and by how much clocks
 * moved at most.
 */
const heldDown = (inspections) => ({
  share: Math.min(...evidenceOf(inspections, 'power-capped', 'share')),
  clockMoved: Math.max(...evidenceOf(inspections, 'clock-not-settled', 'change').map(Math.abs)),
});

/** What a batch's rate rests on, in a few numbers. */
export const summaryOf = ({
  title,
  stack,
  rate,
  elapsed,
  roofline,
  datasheet,
  flags,
  verified,
  inspections,
}) => ({
  title,
  stack: stack.provider,
  implementation: stack.implementation,
  version: stack.version,
  rate: rate?.median ?? null,
  launches: inspections.map((launch) => launch.rate?.burst ?? null),
  elapsed: elapsed?.median ?? null,
  ofPeak: roofline?.efficiency ?? null,
  ofDatasheet: datasheet?.share ?? null,
  verified,
  flags: flags.map(({ name }) => name),
  heldDown: heldDown(inspections),
});

/**
 * Of the host, for each call of a batch's launches: what it waited beyond the device's own time, and what enqueueing took,
 * which is behind the gate. null: no launch of it says.
 */
export function overheadOf({ inspections }, documents) {
  const own = new Set(inspections.map(({ index }) => index));
  const clocks = documents
    .filter(({ index }) => own.has(index))
    .flatMap(({ telemetry, callsPerSample }) => {
      const clock = telemetry.gpu?.clock;
      return clock ? [{ ...clock, calls: clock.samples * callsPerSample }] : [];
    });
  const total = (name) => clocks.reduce((sum, clock) => sum + clock[name], 0);
  const calls = total('calls');
  if (calls === 0) return null;
  return {
    waiting: (total('hostSeconds') - total('deviceSeconds')) / calls,
    enqueueing: total('enqueueSeconds') / calls,
    hostOverDevice: total('hostSeconds') / total('deviceSeconds'),
  };
}

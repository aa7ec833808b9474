// Real comparisons whose truth is known: a stack with itself, and with itself where 3 % of the work of each repetition is done once
// more. Each trial is a campaign as `--stack a,b` makes one, two batches in turns until their comparison is settled.
import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginCampaign } from '../../dist/cli/begin-campaign.js';
import { inspectionsOf, samplingOf, settleOf, withSettling } from '../../dist/cli/common-options.js';
import { makeCampaignId } from '../../dist/cli/create-campaign.js';
import { describeHere } from '../../dist/cli/here.js';
import { runCampaign } from '../../dist/cli/run-campaign.js';
import { findIndicator } from '../../dist/indicators/index.js';
import { compareRecords } from '../../dist/readers/comparison/comparison.js';
import { median } from '../../dist/statistics/quantile.js';
import { percent } from './simulate.mjs';

/** Of 100 products 3 are computed again: 3 % more of the very same work. */
const PRODUCTS = 100;
const SHARE = 0.03;
const TARGETS = { same: 0.95, slower: 0.9 };
const RATIO = { same: 1, slower: 1 / (1 + SHARE) };
const MACHINE = describeHere();

function batchesOf(size) {
  const indicator = findIndicator('matmul');
  const flags = withSettling({}, 2);
  const [parameters] = indicator.fromFlags({ size, batch: PRODUCTS, threads: '1' }, MACHINE);
  return ['one', 'other'].map((trial) => ({
    case: { indicator: 'matmul', parameters },
    stack: { provider: 'embedded', variant: null },
    device: 'cpu',
    inspections: inspectionsOf(flags, indicator.measuring),
    sampling: samplingOf(flags, indicator.measuring),
    warmup: { kind: 'auto' },
    timeout: 120,
    ...settleOf(flags),
    labels: { trial },
  }));
}

/** @param more whether the second batch does 3 % of its work once more */
async function trial(batches, more, folder) {
  const createdAt = new Date().toISOString();
  /** @type {import('../../dist/record/schema.js').Campaign} */
  const campaign = {
    id: makeCampaignId('trial', createdAt),
    createdAt,
    command: ['bench:compare', '--trials'],
    seed: randomInt(2 ** 32),
    batches,
    fault: more ? { batch: 1, kind: 'repeated-work', share: SHARE } : null,
  };
  const { record } = await runCampaign(beginCampaign(campaign, folder, MACHINE), {
    quiet: true,
    wait: true,
    strict: false,
  });
  rmSync(join(folder, campaign.id), { recursive: true });
  if (record.status !== 'complete') throw new Error(`trial is ${record.status}: it does not count`);
  const question = { by: 'trial', reference: null, margin: null, across: [], force: more };
  const document = compareRecords([{ record, name: 'trial' }], question);
  const [{ comparisons, batches: compared }] = document.cases;
  const [{ outcome, ratio, interval }] = comparisons;
  return {
    outcome,
    ratio,
    interval,
    rounds: Math.min(...compared.map(({ launches }) => launches)),
    wall: record.accounting.wall,
    medians: record.batches.map(({ launches }) => launches.medians),
  };
}

function show(name, trials) {
  const outcomes = trials.map(({ outcome }) => outcome);
  const right = trials.filter(({ outcome }) => outcome === name).length;
  const covered = trials.filter(
    ({ interval }) => interval !== null && interval.low <= RATIO[name] && RATIO[name] <= interval.high,
  ).length;
  const ends = [...new Set(outcomes)].map(
    (outcome) => `${outcome} ${outcomes.filter((other) => other === outcome).length}`,
  );
  console.log(
    [
      name === 'same' ? 'with itself' : 'with 3 % more work',
      ends.join(', '),
      `interval holds the truth ${percent(covered, trials.length, 0)}`,
      `ratio ${median(trials.map(({ ratio }) => ratio)).toFixed(4)} (true ${RATIO[name].toFixed(4)})`,
      `rounds ${median(trials.map(({ rounds }) => rounds))}, most ${Math.max(...trials.map(({ rounds }) => rounds))}`,
      `${median(trials.map(({ wall }) => wall)).toFixed(1)} s a trial`,
    ].join('; '),
  );
  return right / trials.length >= TARGETS[name];
}

/** The trials that a file of an earlier run has; the same trial is never measured twice. */
function readTrials(out) {
  if (out === undefined || !existsSync(out)) return [];
  return readFileSync(out, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
}

/**
 * @param out a file that gets a line of JSON for each trial, and whose trials need not be measured again; nothing: none is kept
 * @returns whether both targets were met
 */
export async function runTrials({ trials, size, out }) {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-compare-'));
  const batches = batchesOf(String(size));
  const before = readTrials(out).filter(({ trial: i }) => i < trials);
  const ends = { same: [], slower: [] };
  for (const end of before) ends[end.truth].push(end);
  if (before.length > 0) console.log(`${before.length} of ${2 * trials} trials are those of ${out}`);
  try {
    for (let i = 0; i < trials; i++) {
      // In turns, so that both kinds have the same hours.
      for (const name of i % 2 === 0 ? ['same', 'slower'] : ['slower', 'same']) {
        if (before.some((end) => end.trial === i && end.truth === name)) continue;
        const end = await trial(batches, name === 'slower', folder);
        ends[name].push(end);
        if (out !== undefined) appendFileSync(out, `${JSON.stringify({ trial: i, truth: name, ...end })}\n`);
        if (process.stderr.isTTY)
          process.stderr.write(`\r\x1b[K${i + 1} of ${trials}: ${name}, ${end.outcome}`);
      }
    }
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [same, slower] = [show('same', ends.same), show('slower', ends.slower)];
  console.log(`target, "same" in 95 of 100 and 3 % found in 90 of 100: ${same && slower ? 'met' : 'MISSED'}`);
  return same && slower;
}

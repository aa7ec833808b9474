/** `pi-bench explore FILE`: the possibilities of a stack file as candidates, a sample of which is measured as one campaign. */
import { randomInt } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import type { Argv, CommandModule } from 'yargs';
import createYargs from 'yargs';
import { EXIT, messageOf, UserError } from '../../errors.js';
import { findIndicator, indicators } from '../../indicators/index.js';
import type { Flags, Indicator } from '../../indicators/indicator.js';
import type { MachineDescription } from '../../machine/types.js';
import { parseCount } from '../../quantities/parse.js';
import { renderExploration, type ShownExploration } from '../../readers/terminal/exploration.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import type { BatchSpec, Explored, OwnStack } from '../../record/schema.js';
import { stackText } from '../../stacks/index.js';
import { STRATEGIES, type Strategy } from '../../stacks/own/candidates.js';
import { lockDigest, lockedPackages, type StackLocks } from '../../stacks/own/lock.js';
import { budgetOf, labelsOf, outputOptions, seedOf } from '../common-options.js';
import { createCampaign } from '../create-campaign.js';
import { type Exploration, explore, type Resolved, type Skipped } from '../exploration.js';
import { describeHere } from '../here.js';
import { measure } from '../measure.js';
import { namesOf } from '../own-stack-names.js';
import { checkBatch, hooksOf, makeStack, readStackFile, settle } from '../own-stacks.js';
import { say } from '../say.js';
import { sweptBatches, sweptOptions } from '../swept-batches.js';
import { refuseTwice, refuseValue, requireValues, UsageError } from '../usage.js';

const DEFAULT_INDICATOR = 'matmul';
/** What explore has itself, or decides. */
const NOT_AFTER = ['seed', 'stack', 'stack-file', ...Object.keys(outputOptions)];

interface Measuring {
  readonly indicator: Indicator;
  readonly flags: Flags;
}

/** The indicator and its flags, as they stand after `--`. */
function measuringOf(given: readonly string[], outer: Flags): Measuring {
  const named = given[0] !== undefined && !given[0].startsWith('-');
  const indicator = findIndicator(named ? (given[0] ?? '') : DEFAULT_INDICATOR);
  const options = Object.fromEntries(
    Object.entries(sweptOptions(indicator)).filter(([name]) => !NOT_AFTER.includes(name)),
  );
  const flags = createYargs(given.slice(named ? 1 : 0))
    .options(options)
    .strict()
    .check((passed) => refuseTwice(passed) && refuseValue(passed, given) && requireValues(passed, given))
    .version(false)
    .help(false)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new UsageError(`after --: ${message ?? 'bad usage'}`);
    })
    .parseSync();
  return { indicator, flags: { ...outer, ...flags } };
}

function strategyOf({ strategy, count }: Flags): Strategy {
  if (strategy === undefined) return count === undefined ? 'all' : 'random';
  const found = STRATEGIES.find((one) => one === strategy);
  if (found === undefined)
    throw new UserError(`--strategy takes ${STRATEGIES.join(', ')}; got "${String(strategy)}"`);
  return found;
}

const executedBy = ({ candidate: { request } }: Resolved): string =>
  stackText({ provider: request.provider, variant: request.library ?? request.variant });

function shownOf({ strategy, possible, resolved, skipped }: Exploration, seed: number): ShownExploration {
  return {
    strategy,
    seed,
    possible,
    candidates: resolved.map((one) => ({
      name: one.candidate.name,
      stack: executedBy(one),
      threads: one.candidate.threads,
      choices: one.candidate.choices,
      packages: one.lock === null ? [] : lockedPackages(one.lock),
      lock: one.lock === null ? null : lockDigest(one.lock),
    })),
    skipped,
  };
}

/** @throws UserError for threads that the indicator does not have: left out they would make two candidates one. */
function checkThreads(resolved: readonly Resolved[], { indicator }: Measuring): void {
  const one = resolved.find(({ candidate }) => candidate.threads !== null)?.candidate;
  if (one === undefined || 'threads' in indicator.options) return;
  throw new UserError(
    `threads: ${one.threads} of ${one.name}: ${indicator.name} has no threads; leave them out of the stack file`,
  );
}

/** @throws UserError, QuantityError for flags of which the candidate cannot be asked */
function batchesOfCandidate(
  { candidate }: Resolved,
  { indicator, flags }: Measuring,
  machine: MachineDescription,
): readonly BatchSpec[] {
  const threads = candidate.threads === null ? {} : { threads: candidate.threads };
  const asked = { ...flags, ...threads, stack: candidate.request.name };
  const names = namesOf([candidate.request]);
  return sweptBatches(indicator, asked, machine, names).map((batch) => ({
    ...batch,
    labels: { candidate: candidate.name },
  }));
}

/**
 * What no candidate can be asked for is a mistake in the flags, and not one of the candidates.
 * @throws UserError, QuantityError
 */
function checkFlags(
  resolved: readonly Resolved[],
  { indicator, flags }: Measuring,
  machine: MachineDescription,
): void {
  const [first] = resolved;
  const one = resolved.find(({ candidate }) => candidate.threads === null) ?? first;
  if (one === undefined) return;
  const usual = one.candidate.threads === null ? flags : { ...flags, threads: undefined };
  const plain = { ...one, candidate: { ...one.candidate, threads: null } };
  batchesOfCandidate(plain, { indicator, flags: usual }, machine);
}

interface Made {
  readonly batches: readonly BatchSpec[];
  readonly stacks: readonly OwnStack[];
  readonly locks: StackLocks;
  readonly skipped: readonly Skipped[];
}

/** The candidates' stacks; one that cannot be asked for it here, or cannot execute it, is skipped. */
async function makeAll(
  found: Exploration,
  measuring: Measuring,
  folder: string,
  machine: MachineDescription,
): Promise<Made> {
  const hooks = hooksOf(measuring.flags.quiet === true);
  const stacks = new Map<string, OwnStack>();
  const locks: Record<string, NonNullable<Resolved['lock']>> = {};
  const batches: BatchSpec[] = [];
  const skipped: Skipped[] = [];
  for (const one of found.resolved) {
    const { request, name } = one.candidate;
    const { lock } = one;
    const described = { request, folder };
    const made = stacks.get(request.name) ?? (await makeStack(described, async () => lock, hooks)).stack;
    let settled: readonly BatchSpec[];
    try {
      settled = settle(batchesOfCandidate(one, measuring, machine), [made]);
      for (const batch of settled) checkBatch(batch, made);
    } catch (error) {
      skipped.push({ name, why: messageOf(error) });
      continue;
    }
    stacks.set(request.name, made);
    if (lock !== null) locks[request.name] = lock;
    batches.push(...settled);
  }
  return { batches, stacks: [...stacks.values()], locks, skipped };
}

function exploredOf(found: Exploration, late: readonly Skipped[]): Explored {
  const { strategy, count, possible, resolved, skipped } = found;
  return {
    strategy,
    count,
    possible,
    candidates: resolved
      .filter(({ candidate }) => !late.some(({ name }) => name === candidate.name))
      .map(({ candidate: { name, request, choices }, lock }) => ({
        name,
        stack: request.name,
        choices: { ...choices },
        lock: lock === null ? null : lockDigest(lock),
      })),
    skipped: [...skipped, ...late].map((one) => ({ ...one })),
  };
}

async function run(file: string, flags: Flags): Promise<void> {
  const after = (flags['--'] as readonly string[] | undefined) ?? [];
  const measuring = measuringOf(after, flags);
  const strategy = strategyOf(flags);
  const count = flags.count === undefined ? null : parseCount(String(flags.count), '--count');
  const seed = seedOf(flags) ?? randomInt(2 ** 32);
  const stacks = readStackFile(file);
  const quiet = flags.quiet === true;
  const found = await explore({ file, stacks, strategy, count, seed }, hooksOf(quiet));
  if (flags.dryRun === true) {
    const shown = shownOf(found, seed);
    const text =
      flags.json === true
        ? JSON.stringify(shown, null, 1)
        : renderExploration(shown, terminalStyle(process.stdout));
    process.stdout.write(`${text}\n`);
    if (found.resolved.length === 0) process.exitCode = EXIT.incomplete;
    return;
  }
  const [first] = found.skipped;
  const none = (why: Skipped | undefined): UserError =>
    new UserError(
      `no candidate of ${file} can be measured: ${why === undefined ? 'it describes none' : `${why.name}: ${why.why}`}`,
      EXIT.incomplete,
    );
  if (found.resolved.length === 0) throw none(first);
  const machine = describeHere();
  checkThreads(found.resolved, measuring);
  checkFlags(found.resolved, measuring, machine);
  const [budget, labels] = [budgetOf(measuring.flags), labelsOf(measuring.flags)];
  const made = await makeAll(found, measuring, dirname(resolve(file)), machine);
  for (const { name, why } of [...found.skipped, ...made.skipped]) say(`skipped ${name}: ${why}`);
  if (made.batches.length === 0) throw none(made.skipped[0]);
  const campaign = createCampaign({
    name: `explore-${basename(file).replace(/\.[^.]*$/, '')}`,
    command: process.argv.slice(2),
    batches: made.batches,
    seed,
    budget,
    labels,
    stacks: made.stacks,
    explored: exploredOf(found, made.skipped),
  });
  await measure(campaign, machine, measuring.flags, made.locks);
}

export const exploreCommand: CommandModule = {
  command: 'explore <file>',
  describe: 'Measure candidates that a stack file’s versions and alternatives make',
  builder: (yargs): Argv =>
    yargs
      .parserConfiguration({ 'populate--': true })
      .positional('file', { type: 'string', describe: 'The stack file', demandOption: true })
      .option('strategy', {
        type: 'string',
        choices: STRATEGIES,
        describe: 'The order in which candidates are tried',
        defaultDescription: 'all; with --count random',
      })
      .option('count', {
        type: 'string',
        describe: 'How many are wanted',
        defaultDescription: 'all that resolve',
      })
      .option('seed', {
        type: 'string',
        describe: 'Of the random order, data and order of launches',
        defaultDescription: 'drawn and recorded',
      })
      .option('dry-run', {
        type: 'boolean',
        describe: 'Print the candidates, and those that do not resolve; measure nothing',
      })
      .options(outputOptions)
      .example([
        ['$0 explore stacks.yaml --dry-run', 'what would be measured'],
        [
          '$0 explore stacks.yaml --count 20 --seed 7 -- --size 512 --inspections 6',
          `after -- as for sweep ${DEFAULT_INDICATOR}`,
        ],
        [
          '$0 explore stacks.yaml -- memory --bytes 1GiB',
          `another indicator: ${indicators.map(({ name }) => name).join(', ')}`,
        ],
      ]),
  handler: (flags) => run(String(flags.file), flags),
};

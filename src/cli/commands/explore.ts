/** `pi-bench explore FILE`: the possibilities of a stack file as candidates, a sample of which is measured as one campaign. */
import { randomInt } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import type { Argv, CommandModule } from 'yargs';
import createYargs from 'yargs';
import { asksForGpu } from '../../devices/device.js';
import { EXIT, UserError } from '../../errors.js';
import { findIndicator, indicators } from '../../indicators/index.js';
import type { Flags } from '../../indicators/indicator.js';
import { parseCount } from '../../quantities/parse.js';
import { renderExploration, type ShownExploration } from '../../readers/terminal/exploration.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import type { Explored, OwnStack } from '../../record/schema.js';
import { stackText } from '../../stacks/index.js';
import { type Candidate, STRATEGIES, type Strategy } from '../../stacks/own/candidates.js';
import { lockDigest, lockedPackages, type StackLocks } from '../../stacks/own/lock.js';
import {
  batchesOfCandidate,
  type CandidateBatches,
  checkMeasuring,
  type Measuring,
  makerOf,
} from '../candidate-batches.js';
import { budgetOf, labelsOf, outputOptions, seedOf } from '../common-options.js';
import { createCampaign } from '../create-campaign.js';
import { type Exploration, explore, type Resolved, type Taken } from '../exploration.js';
import { describeHere } from '../here.js';
import { measure } from '../measure.js';
import { hooksOf, readStackFile } from '../own-stacks.js';
import { say } from '../say.js';
import { sayLeftOut } from '../say-left-out.js';
import { sweptOptions } from '../swept-batches.js';
import { plainMessage, refuseTwice, refuseValue, requireValues, UsageError } from '../usage.js';
import { sweptCommand } from './sweep.js';

const DEFAULT_INDICATOR = 'matmul';
/** What explore has itself, or decides. */
const NOT_AFTER = ['seed', 'stack', 'stack-file', ...Object.keys(outputOptions)];

/** The indicator and its flags, as they stand after `--`. */
function measuringOf(given: readonly string[], outer: Flags): Measuring {
  const named = given[0] !== undefined && !given[0].startsWith('-');
  const indicator = findIndicator(named ? (given[0] ?? '') : DEFAULT_INDICATOR);
  const options = Object.fromEntries(
    Object.entries(sweptOptions(indicator)).filter(([name]) => !NOT_AFTER.includes(name)),
  );
  const words = [indicator.name, ...given.slice(named ? 1 : 0)];
  const flags = createYargs(words)
    .detectLocale(false)
    .command(sweptCommand(indicator, options, () => {}))
    .strict()
    .check((passed) => refuseTwice(passed) && refuseValue(passed, given) && requireValues(passed, given))
    .version(false)
    .help(false)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      const said = message ?? 'bad usage';
      const plain = plainMessage(said, ['sweep', ...words], 'sweep', Object.keys(options));
      throw error ?? new UsageError(`after --: ${plain ?? said}`);
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

function shownOf(
  { strategy, possible, taken, skipped }: Exploration<unknown>,
  seed: number,
): ShownExploration {
  return {
    strategy,
    seed,
    possible,
    candidates: taken.map((one) => ({
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

function exploredOf({ strategy, count, possible, taken, skipped }: Exploration<unknown>): Explored {
  return {
    strategy,
    count,
    possible,
    candidates: taken.map(({ candidate: { name, request, choices }, lock }) => ({
      name,
      stack: request.name,
      choices: { ...choices },
      lock: lock === null ? null : lockDigest(lock),
    })),
    skipped: skipped.map((one) => ({ ...one })),
  };
}

/** Candidates that differ in their threads alone have one stack. */
const ownStacksOf = (taken: readonly Taken<CandidateBatches>[]): readonly OwnStack[] => [
  ...new Set(taken.flatMap(({ made }) => made.stack ?? [])),
];

const locksOf = (taken: readonly Resolved[]): StackLocks =>
  Object.fromEntries(
    taken.flatMap(({ candidate, lock }) => (lock === null ? [] : [[candidate.request.name, lock]])),
  );

async function run(file: string, flags: Flags): Promise<void> {
  const after = (flags['--'] as readonly string[] | undefined) ?? [];
  const measuring = measuringOf(after, flags);
  const strategy = strategyOf(flags);
  const count = flags.count === undefined ? null : parseCount(String(flags.count), '--count');
  const seed = seedOf(flags) ?? randomInt(2 ** 32);
  const [budget, labels] = [budgetOf(measuring.flags), labelsOf(measuring.flags)];
  const stacks = readStackFile(file);
  const machine = describeHere(asksForGpu(String(measuring.flags.device)));
  checkMeasuring({ file, stacks }, measuring, machine);
  sayLeftOut([measuring.flags.device], machine);
  const dryRun = flags.dryRun === true;
  const hooks = hooksOf(flags.quiet === true);
  const make = makerOf({ measuring, machine, folder: dirname(resolve(file)), unpack: !dryRun, hooks });
  const batchesOf = (one: Candidate): number => batchesOfCandidate(one, measuring, machine).length;
  const found = await explore({ file, stacks, strategy, count, seed, batchesOf }, make, hooks);
  const { taken, skipped, gaveUp } = found;
  if (gaveUp)
    say(
      `gave up after ${skipped.length} candidates that were skipped: ${taken.length} of ${count} were found; narrow ${file}`,
    );
  if (dryRun) {
    const shown = shownOf(found, seed);
    const text =
      flags.json === true
        ? JSON.stringify(shown, null, 1)
        : renderExploration(shown, terminalStyle(process.stdout));
    process.stdout.write(`${text}\n`);
    if (taken.length === 0) process.exitCode = EXIT.incomplete;
    return;
  }
  const [first] = skipped;
  if (taken.length === 0)
    throw new UserError(
      `no candidate of ${file} can be measured: ${first === undefined ? 'it describes none' : `${first.name}: ${first.why}`}`,
      EXIT.incomplete,
    );
  for (const { name, why } of skipped) say(`skipped ${name}: ${why}`);
  const campaign = createCampaign({
    name: `explore-${basename(file).replace(/\.[^.]*$/, '')}`,
    command: process.argv.slice(2),
    batches: taken.flatMap(({ made }) => made.batches),
    seed,
    budget,
    labels,
    stacks: ownStacksOf(taken),
    explored: exploredOf(found),
  });
  await measure(campaign, machine, measuring.flags, locksOf(taken));
}

export const exploreCommand: CommandModule = {
  command: 'explore <file>',
  describe: 'Measure candidates that a stack file’s versions and alternatives make',
  builder: (yargs): Argv =>
    yargs
      // What stands after -- stays as it was typed.
      .parserConfiguration({ 'populate--': true, 'parse-positional-numbers': false })
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
        defaultDescription: 'all that can be measured',
      })
      .option('seed', {
        type: 'string',
        describe: 'Of the random order, data and order of launches',
        defaultDescription: 'drawn and recorded',
      })
      .option('dry-run', {
        type: 'boolean',
        describe: 'Print the candidates, and those that cannot be measured; unpack and measure nothing',
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

/**
 * The values and the files of the nodes' command, looked at before anything is handed over: a typing error is not to cost a
 * reservation. The commands' own functions look at them, for machines that have whatever is asked for; what only a node can tell (its
 * devices, its memory, its libraries) is left to the node. Nothing is measured.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import createYargs from 'yargs';
import type { AskedEntry } from '../campaign/campaign-file.js';
import { UserError } from '../errors.js';
import { findIndicator, indicators } from '../indicators/index.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import { parseBaseline } from '../qualify/baseline.js';
import type { Tier } from '../qualify/suite-file.js';
import { parseCount, requireDuration } from '../quantities/parse.js';
import type { BatchSpec, StackChoice } from '../record/schema.js';
import { parseStack } from '../stacks/index.js';
import { NODE_PLACE } from '../submit/names.js';
import type { Seconds } from '../units.js';
import { anyNodes } from './any-nodes.js';
import { ownStacksOf } from './asked-stacks.js';
import { atOnceOf, type WithoutOthers } from './at-once.js';
import { measureCommand } from './commands/measure.js';
import { sweptCommand } from './commands/sweep.js';
import { budgetOf, labelsOf, seedOf } from './common-options.js';
import { batchesOf, createCampaign, stackNames, stacksText } from './create-campaign.js';
import { batchesOfEntry } from './entry-batches.js';
import { NO_OWN, type OwnNames } from './own-stack-names.js';
import type { Wanted } from './qualification/outputs.js';
import { sweptBatches, sweptOptions } from './swept-batches.js';
import { joinNegatives, refuseTwice, refuseValue, requireValues, UsageError } from './usage.js';

/** The flags that one of the commands would get. @throws UsageError for words that are none of its */
async function flagsOf(words: readonly string[], ...commands: readonly CommandModule[]): Promise<Flags> {
  const args = joinNegatives(words);
  let flags: Flags = {};
  const handler = (given: Flags): void => {
    // yargs goes on with its own, and takes what stood behind -- out of it.
    flags = { ...given };
  };
  await createYargs([...args])
    .command(commands.map((command) => ({ ...command, handler })))
    .option('debug', { type: 'boolean' })
    .detectLocale(false)
    .strict()
    .check((given) => refuseTwice(given) && refuseValue(given, args) && requireValues(given, args))
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new UsageError(message ?? 'bad usage');
    })
    .parseAsync();
  return flags;
}

/** @throws for what no node could be asked for, as one says it that has more than any */
function onSomeNode<Made>(make: (machine: MachineDescription) => Made): Made {
  let refusal: unknown = null;
  for (const machine of anyNodes()) {
    try {
      return make(machine);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

/** By whom ranks are started, and where they meet. */
const OF_NODES: readonly string[] = ['mpi-library', 'launcher', 'rendezvous', 'rank'];

interface Asked<Value> {
  readonly flags: Readonly<Record<string, Value | string>>;
  readonly names: OwnNames;
}

/** Ranks that this machine can have in place of MPI's; its own, where they are asked for, too, stand for both. */
function withoutMpi(transport: string): string {
  const others = transport.split(',').filter((name) => name.trim() !== 'mpi');
  const shm = others.length === transport.split(',').length || others.some((name) => name.trim() === 'shm');
  return [...others, ...(shm ? [] : ['shm'])].join(',');
}

/** Each stack as if it were one of one's own: whether it is there, and what it can, its node says. So does an MPI library. */
function onAnyStack<Value>(
  { usualStack }: Indicator,
  given: Readonly<Record<string, Value>>,
  own: OwnNames,
): Asked<Value> {
  const kept = Object.entries(given).filter(([name]) => !OF_NODES.includes(name));
  const { transport } = given;
  const usual = usualStack?.(given) ?? null;
  const stack = stacksText(given, own, usual);
  const names = stackNames(given, own, usual).map((text): [string, StackChoice] => [
    text,
    own.get(text) ?? { ...parseStack(text, [...own.keys()]), own: text },
  ]);
  return {
    flags: {
      ...Object.fromEntries(kept),
      ...(transport === undefined ? {} : { transport: withoutMpi(String(transport)) }),
      stack,
    },
    names: new Map(names),
  };
}

type MakeBatches = (flags: Flags, machine: MachineDescription, names: OwnNames) => readonly BatchSpec[];

/** A campaign of one indicator, whose flags are as given. */
async function checkCampaign(indicator: Indicator, given: Flags, make: MakeBatches): Promise<void> {
  const { flags, names } = onAnyStack(indicator, given, (await ownStacksOf(given)).names);
  const [seed, budget, labels] = [seedOf(flags), budgetOf(flags), labelsOf(flags)];
  const { name } = indicator;
  onSomeNode((machine) =>
    createCampaign({ name, command: [], batches: make(flags, machine, names), seed, budget, labels }),
  );
}

async function checkMeasuring(indicator: Indicator, words: readonly string[]): Promise<void> {
  const flags = await flagsOf(words, measureCommand(indicator));
  return checkCampaign(indicator, flags, (asked, machine, names) =>
    atOnceOf(indicator, batchesOf(indicator, asked, machine, names), asked, machine),
  );
}

/** @param words an indicator and its flags, each with several values */
async function readSweep(words: readonly string[]): Promise<readonly [indicator: Indicator, flags: Flags]> {
  const commands = indicators.map((indicator) => sweptCommand(indicator, sweptOptions(indicator), () => {}));
  const flags = await flagsOf(words, ...commands);
  const [name] = (flags._ ?? []) as readonly string[];
  return [findIndicator(name ?? ''), flags];
}

async function checkSweep([, ...words]: readonly string[]): Promise<void> {
  const [indicator, flags] = await readSweep(words);
  return checkCampaign(indicator, flags, (asked, machine, names) =>
    sweptBatches(indicator, asked, machine, names),
  );
}

/** Of `explore`, where nothing behind -- names another. */
const EXPLORED = 'matmul';

/** Candidates are as many stacks as the file makes, which nobody knows before they resolve. */
async function checkExplore(words: readonly string[]): Promise<void> {
  const { exploreCommand } = await import('./commands/explore.js');
  const { readStackFile } = await import('./own-stacks.js');
  const { '--': behind, ...outer } = await flagsOf(words, exploreCommand);
  const after = (behind ?? []) as readonly string[];
  const isNamed = after[0] !== undefined && !after[0].startsWith('-');
  const [indicator, swept] = await readSweep(isNamed ? after : [EXPLORED, ...after]);
  if (outer.count !== undefined) parseCount(String(outer.count), '--count');
  for (const look of [seedOf, budgetOf, labelsOf]) look({ ...swept, ...outer });
  readStackFile(String(outer.file));
  const { flags, names } = onAnyStack(indicator, swept, NO_OWN.names);
  onSomeNode((machine) => sweptBatches(indicator, flags, machine, names));
}

function entryBatches(
  entry: AskedEntry,
  file: string,
  own: OwnNames,
  withoutOthers: WithoutOthers,
): readonly BatchSpec[] {
  const { flags, names } = onAnyStack(findIndicator(entry.indicator), entry.flags, own);
  return onSomeNode((machine) => batchesOfEntry({ ...entry, flags }, file, machine, names, withoutOthers));
}

async function checkRun(words: readonly string[]): Promise<void> {
  const { readCampaignFile, runCommand } = await import('./commands/run.js');
  const { readOwnStacks } = await import('./own-stacks.js');
  const path = String((await flagsOf(words, runCommand)).file);
  const { entries, stackFile, seed, budget, labels } = readCampaignFile(path);
  const own = stackFile === null ? NO_OWN : readOwnStacks(resolve(dirname(path), stackFile));
  const seconds = budget === null ? null : requireDuration(budget, `${path}: budget`);
  const batches = entries.flatMap((entry) => entryBatches(entry, path, own.names, 'refused'));
  createCampaign({ name: 'run', command: [], batches, seed, budget: seconds, labels });
}

/** What nodes print nobody keeps, and a path is the same file for all that share its folder, which only they know. @throws UserError */
function requireOwnPlace({ format: { name }, place }: Wanted): void {
  if (place === null || (isAbsolute(place) && place.includes(NODE_PLACE))) return;
  const why =
    place === '-' ? 'what nodes print is not kept' : 'nodes that share this folder would write one file';
  throw new UserError(
    `--format ${name}=${place}: ${why}; write ${name} alone, and it lies in nodes/<node>/ of the submission, or an absolute path with ${NODE_PLACE} in it, where each node puts its name`,
  );
}

/** Each node's lie where the submission keeps them. @throws UserError for another folder */
function refuseOut(words: readonly string[]): void {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  if (own.some((word) => /^--out(=|$)/.test(word)))
    throw new UserError(
      "--out: a node's results come into nodes/<node>/ of the submission; before the nodes' command --out says in which folder that lies",
    );
}

async function checkQualify(words: readonly string[]): Promise<void> {
  const { qualifyCommand } = await import('./commands/qualify.js');
  const { suiteOf } = await import('./qualification/asked.js');
  const { parseExpected, readText, requireChecksFor } = await import('./qualification/inputs.js');
  const { PUSH_CREDENTIALS, pushAddress } = await import('./qualification/gateway.js');
  const { requireTimeToMeasure } = await import('./qualification/least-deadline.js');
  const { parseFormats } = await import('./qualification/outputs.js');
  const flags = await flagsOf(words, qualifyCommand);
  if (flags.selfTest === true)
    throw new UserError(
      'qualify --self-test keeps no record that a node could bring back: run it on the node itself',
    );
  const text = (name: string): string | null => (flags[name] === undefined ? null : String(flags[name]));
  const [file, expect, baseline] = [text('suite'), text('expect'), text('baseline')];
  if (file !== null && flags.tier !== undefined)
    throw new UserError('--tier is a shipped suite and --suite one of your own: give one of them');
  const suite = suiteOf({
    tier: (flags.tier ?? null) as Tier | null,
    suite: readText(file, file ?? ''),
    require: text('require'),
  });
  // A node measures into a folder of its own, in which there are no earlier runs.
  if (suite.checks.some(({ check, required }) => check === 'history' && required === true))
    throw new UserError(
      `suite ${suite.name} requires the check history, which no node of a submission can judge: its earlier runs are not at hand there; leave it out of --require and of what the suite requires`,
    );
  const batches = suite.entries.flatMap((entry) => entryBatches(entry, entry.file, NO_OWN.names, 'alone'));
  parseExpected(expect);
  requireChecksFor(suite, { expect, baseline });
  const seconds = (name: string): Seconds | null => {
    const given = text(name);
    return given === null ? null : requireDuration(given, `--${name}`);
  };
  seconds('budget');
  requireTimeToMeasure(seconds('deadline'), suite.name, batches);
  if (flags.format !== undefined) parseFormats(String(flags.format)).forEach(requireOwnPlace);
  if (flags.push !== undefined && pushAddress(String(flags.push)).credentials !== null)
    throw new UserError(
      `--push with a user or a password would lie in the files of the submission: set ${PUSH_CREDENTIALS} on the nodes instead`,
    );
  const held = readText(baseline, 'the baseline');
  if (held !== null) parseBaseline(held.text, held.file);
}

const OTHERS: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
  sweep: checkSweep,
  explore: checkExplore,
  run: checkRun,
  qualify: checkQualify,
};

/** @throws UserError, QuantityError for what every node would refuse */
export async function checkNodeValues(words: readonly string[]): Promise<void> {
  refuseOut(words);
  const [name = ''] = words;
  const check = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined;
  return check === undefined ? checkMeasuring(findIndicator(name), words) : check(words);
}

/** The flags of every measuring command, and what they mean. */
import type { Options } from 'yargs';
import { AT_ONCE } from '../campaign/at-once.js';
import { cpuParts } from '../devices/cpu-parts.js';
import { devicesNamed } from '../devices/device.js';
import { UserError } from '../errors.js';
import type { Flags, MeasuringDefaults } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import { formatSeconds, formatShare } from '../quantities/format.js';
import { parseCount, parseDuration, parseShare, requireDuration } from '../quantities/parse.js';
import { MOST_SEED } from '../random.js';
import type { BatchSpec, Warmup } from '../record/schema.js';
import { DEFAULT_MARGIN } from '../statistics/compare.js';
import { LEAST_ROUNDS, MOST_ROUNDS } from '../statistics/settling.js';
import { LEAST_LAUNCHES } from '../statistics/stopping.js';
import type { Seconds } from '../units.js';

const MOST_REPETITIONS = 20_000_000;
const MOST_INSPECTIONS = 10_000;
/** Without --reps: within these counts. */
const BUDGET = { kind: 'budget', least: 5, most: 20_000 } as const;
/** Of a launch whose duration was asked for. */
const MOST_PER_SECOND = 4000;
/** Of a precision: the first launches, from which the length of the others is chosen. */
const PILOT = { kind: 'budget', seconds: 0.25, least: 20, most: 20_000 } as const;
/** A precision that this machine cannot give must end somewhere. */
const MOST_FOR_PRECISION = 200;
/** Of a comparison: launches are what tells, and short ones are cheaper. */
const TURN = { kind: 'budget', seconds: 0.25, least: 5, most: 20_000 } as const;

/** Of `--strict`, also where a campaign is resumed. */
export const STRICT =
  'Exit code 1 where --budget or --inspections ended a campaign before --precision or --settle was reached';

/** Of every command that measures, whatever says what is measured. */
export const outputOptions: Readonly<Record<string, Options>> = {
  wait: {
    type: 'boolean',
    group: 'Measuring:',
    describe:
      'Wait, however long, while another campaign measures on this machine; --no-wait measures beside it and says so',
    default: true,
  },
  strict: {
    type: 'boolean',
    group: 'Measuring:',
    describe: STRICT,
    default: false,
  },
  out: {
    type: 'string',
    group: 'Output:',
    describe: 'Folder in which the campaign gets its own',
    default: 'results',
  },
  json: { type: 'boolean', group: 'Output:', describe: 'Print the record on stdout and nothing else there' },
  quiet: { type: 'boolean', group: 'Output:', describe: 'No progress' },
};

export const measuringOptions = ({
  inspections,
  seconds,
}: MeasuringDefaults): Readonly<Record<string, Options>> => ({
  reps: {
    type: 'string',
    group: 'Measuring:',
    describe: 'Repetitions in each launch, exactly',
    defaultDescription: `as many as fit into ${formatSeconds(seconds, 2)}`,
  },
  duration: {
    type: 'string',
    group: 'Measuring:',
    describe: 'How long each launch repeats, where --reps does not say how often (3s)',
    defaultDescription: formatSeconds(seconds, 2),
  },
  inspections: {
    type: 'string',
    group: 'Measuring:',
    describe:
      'Launches, each in a fresh process; from six on the interval is the machine’s; with --precision or --settle the most of them',
    defaultDescription: `${inspections}; with --precision ${MOST_FOR_PRECISION}; with several stacks ${MOST_ROUNDS}`,
  },
  settle: {
    type: 'string',
    group: 'Measuring:',
    describe:
      'Launch several stacks in turns until each is told from the first, or shown to be the same within this share',
    defaultDescription: `${formatShare(DEFAULT_MARGIN)} with several stacks and without --inspections and --precision`,
  },
  precision: {
    type: 'string',
    group: 'Measuring:',
    describe:
      'Launch until the interval is ± this share of the median (1%), and choose their number and length',
  },
  budget: {
    type: 'string',
    group: 'Measuring:',
    describe:
      'Time for measuring: no launch is begun that would end after it (60s); waiting for another campaign is not in it',
  },
  warmup: {
    type: 'string',
    group: 'Measuring:',
    describe: 'auto (until the times are stationary), a number of calls, or a time (2s)',
    default: 'auto',
  },
  seed: {
    type: 'string',
    group: 'Measuring:',
    describe: 'Seed of data and order',
    defaultDescription: 'drawn and recorded',
  },
  stack: {
    type: 'string',
    group: 'Measuring:',
    describe:
      'What executes it: embedded, embedded:avx2, openblas, cblas:/path/lib.so, tfjs:wasm, onnxruntime ... or several with commas',
    defaultDescription: 'embedded; with --stack-file all of that file',
  },
  'stack-file': {
    type: 'string',
    group: 'Measuring:',
    describe: 'File with stacks of your own: packages, folders, variables; --stack may name them',
  },
  device: {
    type: 'string',
    group: 'Measuring:',
    describe:
      'Where it runs: cpu, cuda:0 (a GPU), cuda:all (each of them), numa:0, numa:all (the CPUs of a NUMA node), cpu:3, cpu:each',
    default: 'cpu',
  },
  'at-once': {
    type: 'string',
    choices: AT_ONCE,
    group: 'Measuring:',
    describe:
      'All that --device names at the same time, behind one gate; beside: and each of them alone, too; copies to a peer GPU with those that come back',
  },
  timeout: {
    type: 'string',
    group: 'Measuring:',
    describe: 'Limit of each launch; one that does not end there is killed 3 s later',
    default: '10min',
  },
  labels: {
    type: 'string',
    group: 'Output:',
    describe: 'Labels of your own for every number: site=a,rack=3',
  },
  ...outputOptions,
});

const text = (flags: Flags, name: string): string => String(flags[name]);

/** @throws UserError where the number of repetitions is decided by something else, too */
function lasting(flags: Flags): BatchSpec['sampling'] {
  const other = ['reps', 'precision'].find((name) => flags[name] !== undefined);
  if (other !== undefined)
    throw new UserError(
      `--duration and --${other} both decide the repetitions of a launch: give one of them`,
    );
  const seconds = requireDuration(text(flags, 'duration'), '--duration');
  // A launch of minutes has more repetitions than one of a second; a place for each is there from the start.
  return { ...BUDGET, seconds, most: Math.max(BUDGET.most, Math.round(MOST_PER_SECOND * seconds)) };
}

/** How long a launch repeats: what the flags say, or the indicator's own seconds. @throws UserError, QuantityError */
export function samplingOf(flags: Flags, { seconds }: MeasuringDefaults): BatchSpec['sampling'] {
  if (flags.duration !== undefined) return lasting(flags);
  if (flags.reps === undefined && flags.precision !== undefined) return PILOT;
  if (flags.reps === undefined && flags.settle !== undefined) return TURN;
  if (flags.reps === undefined) return { ...BUDGET, seconds };
  return { kind: 'fixed', repetitions: parseCount(text(flags, 'reps'), '--reps', MOST_REPETITIONS) };
}

/** @throws UserError, QuantityError for what is neither auto, a number of calls nor a time */
export function warmupOf(flags: Flags): Warmup {
  const given = text(flags, 'warmup');
  if (given === 'auto') return { kind: 'auto' };
  if (given === '0') return { kind: 'count', count: 0 };
  const seconds = parseDuration(given);
  if (seconds !== null) return { kind: 'time', seconds };
  if (/^\d/.test(given)) return { kind: 'count', count: parseCount(given, '--warmup') };
  throw new UserError(`--warmup takes auto, a number of calls or a time such as 2s; got "${given}"`);
}

/** As asked for. @throws QuantityError, UserError where a precision could not be reached, nor a comparison settled, with so few */
function askedInspections(flags: Flags): number {
  const most = parseCount(text(flags, 'inspections'), '--inspections', MOST_INSPECTIONS);
  if (flags.precision !== undefined && most < LEAST_LAUNCHES) {
    throw new UserError(
      `--precision takes at least ${LEAST_LAUNCHES} launches to be told, and --inspections allows ${most}: give ${LEAST_LAUNCHES} or more, or leave one of the two out`,
    );
  }
  if (flags.settle !== undefined && most < LEAST_ROUNDS) {
    throw new UserError(
      `--settle takes at least ${LEAST_ROUNDS} launches of each stack, and --inspections allows ${most}: give ${LEAST_ROUNDS} or more, or leave one of the two out`,
    );
  }
  return most;
}

/** Launches of each batch; the most of them where a precision or a comparison decides. @throws QuantityError, UserError */
export function inspectionsOf(flags: Flags, { inspections }: MeasuringDefaults): number {
  if (flags.inspections !== undefined) return askedInspections(flags);
  if (flags.settle !== undefined) return MOST_ROUNDS;
  return flags.precision === undefined ? inspections : MOST_FOR_PRECISION;
}

/** As a batch has it; nothing where the number of launches is fixed. @throws QuantityError for what is no share */
export const precisionOf = (flags: Flags): Pick<BatchSpec, 'precision'> =>
  flags.precision === undefined ? {} : { precision: parseShare(text(flags, 'precision'), '--precision') };

/**
 * Several stacks are there to be compared, so that their launches go on until the comparison is settled, unless somebody
 * says how many there are to be.
 */
export function withSettling(flags: Flags, stacks: number): Flags {
  const free = flags.settle === undefined && flags.inspections === undefined && flags.precision === undefined;
  return free && stacks > 1 ? { ...flags, settle: formatShare(DEFAULT_MARGIN) } : flags;
}

/**
 * As a batch has it; nothing where the number of launches is not decided by a comparison.
 * @throws UserError beside --precision, QuantityError for what is no share
 */
export function settleOf(flags: Flags): Pick<BatchSpec, 'settle'> {
  if (flags.settle === undefined) return {};
  if (flags.precision !== undefined) {
    throw new UserError(
      '--settle and --precision both decide the number of launches: give one of them; --settle asks for a difference between stacks, --precision for the rate of each',
    );
  }
  return { settle: parseShare(text(flags, 'settle'), '--settle') };
}

/** null: none. @throws QuantityError for what is no time */
export const budgetOf = (flags: Flags): Seconds | null =>
  flags.budget === undefined ? null : requireDuration(text(flags, 'budget'), '--budget');

/** @throws UserError for what is no list of `name=value`, and for a name that an exporter could not write. */
export function labelsOf(flags: Flags): Readonly<Record<string, string>> {
  if (flags.labels === undefined) return {};
  const labels = text(flags, 'labels')
    .split(',')
    .map((item) => /^\s*([a-z][a-z0-9_]*)\s*=\s*(.+?)\s*$/.exec(item));
  if (labels.includes(null)) {
    throw new UserError(
      `--labels takes names in small letters with their values, such as site=a,rack=3; got "${text(flags, 'labels')}"`,
    );
  }
  const names = labels.map((label) => label?.[1] ?? '');
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UserError(`--labels has ${twice} more than once`);
  return Object.fromEntries(labels.map((label) => [label?.[1] ?? '', label?.[2] ?? '']));
}

/** Of each launch. @throws QuantityError for what is no time */
export const timeoutOf = (flags: Flags): Seconds => requireDuration(text(flags, 'timeout'), '--timeout');

/**
 * The devices that are asked for; `cuda:all` is each GPU.
 * @throws UserError for one that is not here
 */
export function devicesOf(flags: Flags, machine: MachineDescription): readonly string[] {
  const { gpus } = machine;
  const here = {
    ordinals: (gpus?.devices ?? []).map(({ ordinal }) => ordinal),
    problem: gpus?.problem ?? null,
  };
  return devicesNamed(text(flags, 'device'), here, cpuParts(machine));
}

/** null: to be drawn. @throws UserError for what is no whole number, or too large */
export function seedOf(flags: Flags): number | null {
  if (flags.seed === undefined) return null;
  const given = text(flags, 'seed');
  const seed = Number(given);
  if (!/^\d+$/.test(given) || seed > MOST_SEED) {
    throw new UserError(`--seed takes a whole number from 0 to ${MOST_SEED}; got "${given}"`);
  }
  return seed;
}

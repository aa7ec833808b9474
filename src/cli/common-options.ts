/** The flags of every measuring command, and what they mean. */
import type { Options } from 'yargs';
import { UserError } from '../errors.js';
import type { Flags, MeasuringDefaults } from '../indicators/indicator.js';
import { formatSeconds } from '../quantities/format.js';
import { parseCount, parseDuration, requireDuration } from '../quantities/parse.js';
import type { BatchSpec, Warmup } from '../record/schema.js';

const MOST_REPETITIONS = 20_000_000;
const MOST_INSPECTIONS = 10_000;
const MOST_SEED = 2 ** 32 - 1;
/** Without --reps: within these counts. */
const BUDGET = { kind: 'budget', least: 5, most: 20_000 } as const;

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
  inspections: {
    type: 'string',
    group: 'Measuring:',
    describe: 'Launches, each in a fresh process; from six on the interval is the machine’s',
    default: String(inspections),
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
    describe: 'What executes it: embedded, embedded:avx2 ...',
    default: 'embedded',
  },
  timeout: { type: 'string', group: 'Measuring:', describe: 'Limit of each launch', default: '10min' },
  wait: {
    type: 'boolean',
    group: 'Measuring:',
    describe:
      'Wait while another campaign measures on this machine; --no-wait measures beside it and says so',
    default: true,
  },
  out: {
    type: 'string',
    group: 'Output:',
    describe: 'Folder in which the campaign gets its own',
    default: 'results',
  },
  json: { type: 'boolean', group: 'Output:', describe: 'Print the record on stdout and nothing else there' },
  quiet: { type: 'boolean', group: 'Output:', describe: 'No progress' },
});

const text = (flags: Flags, name: string): string => String(flags[name]);

export function samplingOf(flags: Flags, { seconds }: MeasuringDefaults): BatchSpec['sampling'] {
  if (flags.reps === undefined) return { ...BUDGET, seconds };
  return { kind: 'fixed', repetitions: parseCount(text(flags, 'reps'), '--reps', MOST_REPETITIONS) };
}

export function warmupOf(flags: Flags): Warmup {
  const given = text(flags, 'warmup');
  if (given === 'auto') return { kind: 'auto' };
  if (given === '0') return { kind: 'count', count: 0 };
  const seconds = parseDuration(given);
  if (seconds !== null) return { kind: 'time', seconds };
  if (/^\d/.test(given)) return { kind: 'count', count: parseCount(given, '--warmup') };
  throw new UserError(`--warmup takes auto, a number of calls or a time such as 2s; got "${given}"`);
}

export const inspectionsOf = (flags: Flags): number =>
  parseCount(text(flags, 'inspections'), '--inspections', MOST_INSPECTIONS);

export const timeoutOf = (flags: Flags): number => requireDuration(text(flags, 'timeout'), '--timeout');

/** null: to be drawn. */
export function seedOf(flags: Flags): number | null {
  if (flags.seed === undefined) return null;
  const given = text(flags, 'seed');
  const seed = Number(given);
  if (!/^\d+$/.test(given) || seed > MOST_SEED) {
    throw new UserError(`--seed takes a whole number from 0 to ${MOST_SEED}; got "${given}"`);
  }
  return seed;
}

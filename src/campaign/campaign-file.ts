/**
 * A campaign file: what to measure, in YAML or JSON. Says what every line means by turning it into the flags that a
 * person would have typed; what those may be their own commands say. Pure.
 */
import { z } from 'zod';
import { checkYaml } from '../checked-yaml.js';
import { indicators } from '../indicators/index.js';
import type { Indicator } from '../indicators/indicator.js';
import { nearest } from '../nearest.js';
import { MOST_SEED } from '../random.js';
import { AT_ONCE } from './at-once.js';
import { isCommand } from './flag-values.js';

export const CAMPAIGN_SCHEMA = 'urn:pi-bench:schema:campaign:1';

const value = z.union([z.number(), z.string(), z.boolean()]);
/** One value, or several of which each makes a batch; a text may be a list or a range: `64..4096*2`. */
const values = z.union([value, z.array(value).min(1)]);
const text = z.union([z.string(), z.number()]);
const labels = z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.string());

const measuring = {
  stacks: values
    .optional()
    .describe('what executes it: embedded, embedded:avx2, a name from the stack file ...'),
  devices: values.optional().describe('where it runs: cpu, cuda:0, cuda:all, numa:all, cpu:each'),
  repetitions: values
    .optional()
    .describe('in each launch, exactly; left out: as many as fit into a second or so'),
  inspections: values
    .optional()
    .describe('launches, each in a fresh process; with a precision or to settle the most of them'),
  duration: values
    .optional()
    .describe('of the repetitions of each launch: 3s; left out: a second or so; not with repetitions'),
  warmup: values.optional().describe('auto, a number of calls, or a time (2s)'),
  precision: text.optional().describe('launch until the interval is ± this share of the median: 1%'),
  settle: text
    .optional()
    .describe('launch several stacks in turns until they are told apart, or the same within this share: 2%'),
  timeout: z.string().optional().describe('limit of each launch: 10min'),
  atOnce: z
    .enum(AT_ONCE)
    .optional()
    .describe('all devices at the same time, behind one gate; beside: and each of them alone, too'),
} as const;

/** An indicator's parameters are its flags. */
const parametersOf = ({ options }: Indicator) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(options).map(([name, { type, describe }]) => [
        name,
        (type === 'boolean' ? z.boolean() : values).optional().describe(describe ?? ''),
      ]),
    ),
  );

const entry = z.discriminatedUnion(
  'indicator',
  indicators.map((indicator) =>
    z.strictObject({
      indicator: z.literal(indicator.name),
      parameters: parametersOf(indicator).optional(),
      labels: labels.optional(),
      ...measuring,
    }),
  ) as unknown as [z.ZodObject, ...z.ZodObject[]],
);

export const campaignFile = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    .optional()
    .describe('part of the campaign’s id'),
  stackFile: z
    .string()
    .min(1)
    .optional()
    .describe('file with stacks of your own, relative to this one; entries name them among their stacks'),
  labels: labels.optional().describe('for every number of the record'),
  seed: z.int().min(0).max(MOST_SEED).optional().describe('of data and order; left out: drawn and recorded'),
  budget: z
    .string()
    .optional()
    .describe(
      'time for measuring; a launch that would end after it is not begun, and waiting for another campaign is not in it: 10min',
    ),
  defaults: z.strictObject(measuring).optional().describe('for every entry that does not say otherwise'),
  measure: z.array(entry).min(1),
});

type Values = z.infer<typeof values>;

/** What one entry asks for, as the flags of `pi-bench sweep`. */
export interface AskedEntry {
  readonly indicator: string;
  /** Texts, and yes or no; several commands are a list, because commands may have commas. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly labels: Readonly<Record<string, string>>;
  /** From 1, for messages. */
  readonly line: number;
}

export interface CampaignFile {
  readonly name: string | null;
  /** As it is written, relative to the campaign file. */
  readonly stackFile: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly seed: number | null;
  readonly budget: string | null;
  readonly entries: readonly AskedEntry[];
}

const FLAG_OF: Readonly<Record<keyof typeof measuring, string>> = {
  stacks: 'stack',
  devices: 'device',
  repetitions: 'reps',
  duration: 'duration',
  inspections: 'inspections',
  warmup: 'warmup',
  precision: 'precision',
  settle: 'settle',
  timeout: 'timeout',
  atOnce: 'at-once',
};

/** What decides the same as another flag, so that only one of them can be given. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  reps: ['duration'],
  duration: ['reps', 'precision'],
  precision: ['duration', 'settle'],
  settle: ['precision'],
};

const flagText = (given: Values): string | boolean => {
  if (typeof given === 'boolean') return given;
  return Array.isArray(given) ? given.join(',') : String(given);
};

function flagsOf(asked: Readonly<Record<string, Values | undefined>>): Record<string, string | boolean> {
  return Object.fromEntries(
    Object.entries(FLAG_OF).flatMap(([name, flag]) => {
      const given = asked[name];
      return given === undefined ? [] : [[flag, flagText(given)]];
    }),
  );
}

/** Of the defaults an entry has what it does not choose otherwise. */
function overriding(
  defaults: Readonly<Record<string, string | boolean>>,
  own: Readonly<Record<string, string | boolean>>,
): Record<string, string | boolean> {
  const decided = new Set(Object.keys(own).flatMap((flag) => ALTERNATIVES[flag] ?? []));
  const kept = Object.entries(defaults).filter(([flag]) => !decided.has(flag));
  return { ...Object.fromEntries(kept), ...own };
}

const PARAMETERS = indicators.flatMap(({ options }) => Object.keys(options));
const FLAG_NAMES: readonly string[] = [...Object.keys(FLAG_OF), ...Object.values(FLAG_OF)];

/** How a file calls what a flag of that name, or nearly so, says of measuring; null: none does. */
function measuringKey(given: string): string | null {
  if (!FLAG_NAMES.includes(given) && nearest(given, PARAMETERS) !== null) return null;
  const meant = nearest(given, FLAG_NAMES);
  return Object.entries(FLAG_OF).find((names) => names.some((name) => name === meant))?.[0] ?? null;
}

/** A key that is right elsewhere: by what it is given is said, and where it stands. null: its place is no matter. */
function placeText(key: string, path: readonly PropertyKey[]): string | null {
  const place = path.at(-1);
  if (typeof place === 'number' && PARAMETERS.includes(key))
    return `"${key}" stands below parameters: parameters: {${key}: ...}`;
  const own = place === 'parameters' || place === undefined ? measuringKey(key) : null;
  if (own === null) return null;
  return place === undefined
    ? `"${key}" does not stand here; below defaults, or in an entry of measure, stands ${own}`
    : `"${key}" does not stand below parameters; beside them stands ${own}`;
}

/** Texts that are times: a number alone does not say of what. */
const TIMES: readonly string[] = ['budget', 'timeout'];

/** What is wrong with a campaign, in better words than the schema's. */
export function explainCampaign(issue: z.core.$ZodIssue): string | null {
  const { code, path } = issue;
  if (code === 'unrecognized_keys') return placeText(issue.keys[0] ?? '', path);
  const key = String(path.at(-1) ?? '');
  if (code === 'invalid_union' && key === 'indicator')
    return `there is no such indicator; there is ${indicators.map(({ name }) => name).join(', ')}`;
  return code === 'invalid_type' && TIMES.includes(key)
    ? 'takes a time with its unit, such as 10min or 90s'
    : null;
}

/**
 * @param data as the schema took it
 * @param lineOf an entry of `measure`, by its index
 */
export function campaignOf(
  data: z.infer<typeof campaignFile>,
  lineOf: (entry: number) => number,
): CampaignFile {
  const { labels = {}, seed = null, budget = null, defaults = {}, measure } = data;
  return {
    name: data.name ?? null,
    stackFile: data.stackFile ?? null,
    labels,
    seed,
    budget,
    entries: measure.map((asked, i) => {
      const {
        indicator,
        parameters,
        labels: own,
      } = asked as {
        indicator: string;
        parameters?: Readonly<Record<string, Values>>;
        labels?: Readonly<Record<string, string>>;
      };
      return {
        indicator,
        flags: {
          ...overriding(flagsOf(defaults), flagsOf(asked as Readonly<Record<string, Values>>)),
          ...Object.fromEntries(
            Object.entries(parameters ?? {}).map(([key, given]) => [
              key,
              isCommand(key) && Array.isArray(given) ? given.map(String) : flagText(given),
            ]),
          ),
        },
        labels: own ?? {},
        line: lineOf(i),
      };
    }),
  };
}

/**
 * @param content of the file; JSON is YAML too
 * @param name of the file, for messages
 * @throws UserError that names the line
 */
export function parseCampaignFile(content: string, name: string): CampaignFile {
  const { data, lineOf } = checkYaml(content, name, 'a campaign file', campaignFile, explainCampaign);
  return campaignOf(data, (i) => lineOf(['measure', i]));
}

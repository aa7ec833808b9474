/**
 * A suite: what is measured on a node, as a campaign file has it, and by which criteria it is judged. Criteria are data with
 * limits in them; nothing of a suite is ever executed. Pure but for the reader that is passed in.
 */
import { z } from 'zod';
import { type AskedEntry, campaignFile, campaignOf, explainCampaign } from '../campaign/campaign-file.js';
import { checkYaml } from '../checked-yaml.js';
import { UserError } from '../errors.js';
import { QuantityError, requireDuration } from '../quantities/parse.js';
import { canonicalJson, sha256 } from '../record/digest.js';
import { SEVERITIES } from '../record/schema/qualification.js';
import type { Seconds } from '../units.js';
import { TIERS } from './answer.js';

export const SUITE_SCHEMA = 'urn:pi-bench:schema:suite:1';
/** The label of an entry by which checks name it. */
export const PART = 'part';

const share = z.number().min(0).max(1);

/** What every check may say. */
const common = {
  required: z
    .boolean()
    .optional()
    .describe(
      'whether a node qualifies only if this check is pass or warn; left out: wherever it can be judged',
    ),
  level: z
    .enum(['fail', 'warn'])
    .optional()
    .describe('what a limit that does not hold comes to; left out: fail'),
  severity: z.enum(SEVERITIES).optional().describe('left out: that of the cause'),
  action: z.string().min(1).optional().describe('what to do next; left out: what is known of the cause'),
};
const machineCheck = <T extends string>(name: T, what: string) =>
  z.strictObject({ check: z.literal(name).describe(what), ...common });
const measured = {
  ...common,
  parts: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'labels "part" of entries that were measured; left out: all that no other check of this kind names',
    ),
};

const check = z.discriminatedUnion('check', [
  machineCheck('counts', 'devices, CPUs, NUMA nodes against --expect'),
  machineCheck('identity', 'machine and devices can be told apart, and devices of one kind are alike'),
  machineCheck('driver', 'where a GPU’s driver is loaded it shows GPUs, and NVML answers'),
  machineCheck('link', 'what is known of GPUs’ links before there is load'),
  machineCheck(
    'ecc',
    'error correction is on, and no memory error that could not be corrected stands, of the host and of each GPU',
  ),
  machineCheck(
    'remapped-rows',
    'no row or page of a GPU’s memory waits to be replaced or retired, or could not be',
  ),
  machineCheck('power-limit', 'no GPU’s power limit is below its default'),
  machineCheck('mig', 'no GPU is divided'),
  machineCheck('governor', 'the clock of the CPUs is not governed by load'),
  machineCheck('quota', 'the control group leaves the process all its CPUs'),
  machineCheck('numa', 'every NUMA node may be used, and those with CPUs have as much memory as each other'),
  machineCheck('swap', 'nothing is swapped out'),
  z.strictObject({
    check: z.literal('load').describe('nobody else works here'),
    busyAtMost: share.optional().describe('share of all CPUs that others use'),
    processesAtMost: z
      .int()
      .min(0)
      .optional()
      .describe('compute processes of others on a GPU; where none is listed, its memory speaks for them'),
    ...common,
  }),
  // Nothing makes a wrong output right, so no suite can say that it does not matter.
  z.strictObject({
    check: z.literal('correctness').describe('every output is right'),
    ...measured,
    required: z.literal(true).optional(),
    level: z.literal('fail').optional(),
  }),
  z.strictObject({
    check: z.literal('complete').describe('every launch was measured to its end'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('efficiency').describe('rate against the machine’s own peak, or a GPU’s datasheet'),
    atLeast: share.describe(
      'rate / the lower of arithmetic peak and memory’s rate, measured in the same launches',
    ),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('sustained').describe('what lasts against what a repetition reaches'),
    atLeast: share.describe('rate over the wall clock / median rate of a repetition'),
    throttledAtMost: share.optional().describe('share of the time in which the control group stood still'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('stability').describe('how much repetitions and launches differ'),
    cvAtMost: z.number().min(0).optional().describe('standard deviation / mean of the repetitions'),
    p05AtLeast: share.optional().describe('rate that 95 % of the repetitions reach / median rate'),
    driftAtMost: z
      .number()
      .min(0)
      .optional()
      .describe('slow-down from the first to the last repetition, surely'),
    fadeAtMost: z
      .number()
      .min(0)
      .optional()
      .describe('by how much what lasts of a launch is slower than its beginning'),
    spreadAtMost: z.number().min(0).optional().describe('of the launches’ medians: (most - least) / median'),
    disturbedAtMost: share.optional().describe('share of the repetitions that lost their CPU'),
    modesAtMost: z.int().min(1).optional().describe('usual times of a repetition'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('floor').describe('against a baseline (--baseline)'),
    medianAtLeast: z.number().positive().max(1).describe('share of the baseline’s median'),
    p05AtLeast: z.number().positive().max(1).optional().describe('share of the baseline’s p05'),
    ...measured,
  }),
  z.strictObject({
    check: z
      .literal('peers')
      .describe('devices of a node against the others, each left out in turn; three or more'),
    within: share.describe('below the others’ median; at least four times their median absolute deviation'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('together').describe('what is left of a rate where all devices are measured at once'),
    atLeast: share
      .optional()
      .describe('rate at once / rate alone, where both were measured (atOnce: beside); left out: only told'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('history').describe('against earlier qualified runs of the same serial; three or more'),
    within: share.describe('below their median; at least four times their median absolute deviation'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('clock').describe('clocks lowered for heat or by a power brake, bit by bit'),
    atMost: share.describe('share of the readings in which a bit was set'),
    ...measured,
  }),
  z.strictObject({
    check: z.literal('counters').describe('errors counted while it was measured'),
    correctedAtMost: z.int().min(0).optional().describe('corrected memory errors, PCIe replays'),
    ...measured,
  }),
]);

export const CHECKS: readonly string[] = check.options.flatMap(({ shape }) => [...shape.check.values]);

const suiteCampaign = campaignFile
  .omit({ stackFile: true })
  .extend({
    measure: campaignFile.shape.measure
      .optional()
      .describe('left out: what the suite measures that it extends'),
  })
  // For editors: the reader says these in words of its own.
  .meta({
    dependentRequired: { defaults: ['measure'] },
    allOf: [
      {
        properties: {
          measure: { items: { required: ['labels'], properties: { labels: { required: [PART] } } } },
        },
      },
    ],
  });

export const suiteFile = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
    description: z.string().optional(),
    extends: z
      .enum(TIERS)
      .optional()
      .describe('a shipped suite, of which all holds that is not said here anew'),
    cooldown: z.string().optional().describe('before a check that failed is measured again: 2s'),
    campaign: suiteCampaign.optional().describe('what is measured; each entry has a label "part"'),
    checks: z.array(check).default([]),
  })
  .meta({
    anyOf: [{ required: ['extends'] }, { properties: { campaign: { required: ['measure'] } } }],
  });

/**
 * `rest`: its file names no parts, and these are what other checks of its kind leave. `asKind`: it was required later, with all of its
 * kind. Of neither anybody insists on one of its parts by name.
 */
export type SuiteCheck = z.infer<typeof check> & { readonly rest?: true; readonly asKind?: true };
export type CheckKind = SuiteCheck['check'];
export type CheckOf<K extends CheckKind> = Extract<SuiteCheck, { check: K }>;
export type Tier = (typeof TIERS)[number];

export interface SuiteEntry extends AskedEntry {
  /** The file that it stands in, for messages. */
  readonly file: string;
  readonly part: string;
}

export interface Suite {
  readonly name: string;
  /** null: a suite of one's own. */
  readonly tier: Tier | null;
  /** null: shipped. */
  readonly file: string | null;
  /** Of everything that it says, what it extends included. */
  readonly sha256: string;
  readonly cooldown: Seconds;
  /** Of a node without GPUs; null: none. */
  readonly budget: Seconds | null;
  readonly seed: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly entries: readonly SuiteEntry[];
  readonly checks: readonly SuiteCheck[];
}

const DEFAULT_COOLDOWN: Seconds = 2;

function explain(issue: z.core.$ZodIssue): string | null {
  const place = issue.path.at(-1);
  if (issue.code === 'invalid_union' && place === 'check')
    return `there is no such check; there is ${CHECKS.join(', ')}`;
  return issue.code === 'unrecognized_keys' && place === 'campaign' && issue.keys[0] === 'stackFile'
    ? 'a suite measures a machine, so it takes no stackFile'
    : explainCampaign(issue);
}

function parsedDuration(text: string, where: string): Seconds {
  try {
    return requireDuration(text, where);
  } catch (error) {
    if (error instanceof QuantityError) throw new UserError(error.message);
    throw error;
  }
}

/** Those that say the same thing again take the place of all that said it before, once, where the first of these stood. */
function replacing<T>(before: readonly T[], added: readonly T[], key: (one: T) => string): readonly T[] {
  const own = new Map<string, T[]>();
  for (const one of added) own.set(key(one), [...(own.get(key(one)) ?? []), one]);
  const placed = new Set<string>();
  const kept = before.flatMap((one): readonly T[] => {
    const [name, again] = [key(one), own.get(key(one))];
    if (again === undefined) return [one];
    if (placed.has(name)) return [];
    placed.add(name);
    return again;
  });
  return [...kept, ...added.filter((one) => !placed.has(key(one)))];
}

/** Those that its file names; null: none. */
export const namedParts = (one: SuiteCheck): readonly string[] | null =>
  'parts' in one && one.rest !== true ? (one.parts ?? null) : null;

const checkKey = (one: SuiteCheck): string => canonicalJson([one.check, 'parts' in one ? one.parts : null]);
const entryKey = ({ part, flags }: SuiteEntry): string => canonicalJson([part, flags.device ?? 'cpu']);

function checkParts(
  suite: Suite,
  name: string,
  lineOf: (check: number) => number,
  own: readonly SuiteCheck[],
) {
  const parts = new Set(suite.entries.map(({ part }) => part));
  const said = new Set<string>();
  own.forEach((one, i) => {
    const key = checkKey(one);
    if (said.has(key))
      throw new UserError(
        `${name}:${lineOf(i)}: checks.${i}: ${one.check} stands here twice${namedParts(one) === null ? '' : ' for the same parts'}: say all of its limits in one check`,
      );
    said.add(key);
    const unknown = ('parts' in one ? (one.parts ?? []) : []).find((part) => !parts.has(part));
    if (unknown === undefined) return;
    throw new UserError(
      `${name}:${lineOf(i)}: checks.${i}.parts: there is no part ${unknown}; there is ${[...parts].join(', ') || 'none'}`,
    );
  });
}

/** A part is judged by one check of each kind: by that which names it, or else by that which names none. */
function eachPartOnce(suite: Suite, name: string): Suite {
  const all = [...new Set(suite.entries.map(({ part }) => part))];
  const named = new Map<CheckKind, Set<string>>();
  for (const one of suite.checks) {
    const parts = named.get(one.check) ?? new Set<string>();
    for (const part of namedParts(one) ?? []) {
      if (parts.has(part))
        throw new UserError(
          `${name}: part ${part} is named by two checks ${one.check}: a part is judged by one of them`,
        );
      parts.add(part);
    }
    named.set(one.check, parts);
  }
  const checks = suite.checks.flatMap((one): readonly SuiteCheck[] => {
    const taken = named.get(one.check);
    if (namedParts(one) !== null || taken === undefined || taken.size === 0) return [one];
    const left = all.filter((part) => !taken.has(part));
    return left.length === 0 ? [] : [{ ...one, parts: left, rest: true } as SuiteCheck];
  });
  return { ...suite, checks };
}

/**
 * @param content of the file; JSON is YAML too
 * @param name of the file, for messages
 * @param shipped the text of a shipped suite, which this one may extend
 * @param tier where the file itself is a shipped one
 * @throws UserError that names the line
 */
export function parseSuite(
  content: string,
  name: string,
  shipped: (tier: Tier) => string,
  tier: Tier | null = null,
): Suite {
  return eachPartOnce(readSuite(content, name, shipped, tier), name);
}

function readSuite(content: string, name: string, shipped: (tier: Tier) => string, tier: Tier | null): Suite {
  const { data, lineOf } = checkYaml(content, name, 'a suite', suiteFile, explain);
  const base =
    data.extends === undefined
      ? null
      : readSuite(shipped(data.extends), `${data.extends}.yaml`, shipped, data.extends);
  const given = data.campaign;
  const campaign =
    given === undefined
      ? null
      : campaignOf({ ...given, measure: given.measure ?? [] }, (i) => lineOf(['campaign', 'measure', i]));
  if (given !== undefined && given.measure === undefined && data.extends === undefined)
    throw new UserError(
      `${name}:${lineOf(['campaign'])}: campaign.measure: it is missing, and may be where a suite extends another: say what is measured, or what it extends`,
    );
  if (given?.defaults !== undefined && given.measure === undefined)
    throw new UserError(
      `${name}:${lineOf(['campaign', 'defaults'])}: campaign.defaults: they are for the entries of measure in this file, and there are none`,
    );
  const entries = (campaign?.entries ?? []).map((entry): SuiteEntry => {
    const part = entry.labels[PART];
    if (part === undefined)
      throw new UserError(
        `${name}:${entry.line}: labels.part: each entry of a suite has a part, by which checks name it`,
      );
    if (/#\d+$/.test(part))
      throw new UserError(
        `${name}:${entry.line}: labels.part: ${part} is what a check calls one of several batches of a part: leave the # out`,
      );
    return { ...entry, file: name, part };
  });
  if (tier === null && TIERS.some((one) => one === data.name))
    throw new UserError(
      `${name}:${lineOf(['name'])}: name: ${data.name} is a shipped suite, and its verdicts must not be taken for those of another`,
    );
  const suite: Suite = {
    name: data.name,
    tier,
    file: tier === null ? name : null,
    sha256: sha256(canonicalJson([base?.sha256 ?? null, data])),
    cooldown:
      data.cooldown === undefined
        ? (base?.cooldown ?? DEFAULT_COOLDOWN)
        : parsedDuration(data.cooldown, `${name}:${lineOf(['cooldown'])}: cooldown`),
    budget:
      campaign?.budget == null
        ? (base?.budget ?? null)
        : parsedDuration(campaign.budget, `${name}:${lineOf(['campaign', 'budget'])}: budget`),
    seed: campaign?.seed ?? base?.seed ?? null,
    labels: { ...base?.labels, ...campaign?.labels },
    entries: replacing(base?.entries ?? [], entries, entryKey),
    checks: replacing(base?.checks ?? [], data.checks, checkKey),
  };
  checkParts(suite, name, (i) => lineOf(['checks', i]), data.checks);
  return suite;
}

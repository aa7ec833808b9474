/** A suite as a file has it: what is measured, and the criteria with their limits, as a schema. */
import { z } from 'zod';
import { campaignFile } from '../campaign/campaign-file.js';
import { SEVERITIES } from '../record/schema/qualification.js';
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
  // Nothing makes a wrong output right, so no suite can say that it does not matter, nor by leaving this check out.
  z.strictObject({
    check: z
      .literal('correctness')
      .describe(
        'what each launch left is right; of a part that no such check is about a wrong output fails all the same',
      ),
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
      'rate / the lower of arithmetic peak and memory’s rate, measured in the same launches; of a GPU that has a datasheet, of what that promises',
    ),
    models: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('names of the GPUs that the limit is for, as their driver gives them; left out: all devices'),
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
 * kind. Of neither anybody insists on one of its parts by name. `implied`: its file does not have it, so that it holds qualifies nothing.
 */
export type SuiteCheck = z.infer<typeof check> & {
  readonly rest?: true;
  readonly asKind?: true;
  readonly implied?: true;
};
export type CheckKind = SuiteCheck['check'];
export type CheckOf<K extends CheckKind> = Extract<SuiteCheck, { check: K }>;
export type Tier = (typeof TIERS)[number];

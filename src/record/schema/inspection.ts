/** The document of one inspection. Its samples lie beside it, in a file of their own. */
import { z } from 'zod';
import type { CampaignSchemas } from './campaign.js';
import type { CaseSchemas } from './case.js';
import type { LaunchSchemas } from './launch.js';
import { INSPECTION_SCHEMA } from './names.js';
import { type ObjectOf, plainJson, seconds } from './parts.js';

export function inspectionSchema(
  object: ObjectOf,
  {
    caseSchema,
    stackIdentity,
    warmup,
    span,
    ceilings,
    hugePages,
    ranks,
    overlap,
    traffic,
    verification,
  }: CaseSchemas & CampaignSchemas & LaunchSchemas,
) {
  const usage = object({
    userSeconds: seconds,
    systemSeconds: seconds,
    maxResidentBytes: z.number(),
    minorFaults: z.int(),
    majorFaults: z.int(),
    blockInputs: z.int(),
    blockOutputs: z.int(),
    voluntarySwitches: z.int(),
    involuntarySwitches: z.int(),
  }).describe(
    'of the whole process, from its start to this document (getrusage); what Linux does not count is left out',
  );
  return object({
    $schema: z.literal(INSPECTION_SCHEMA),
    kind: z.literal('pi-bench inspection'),
    schemaVersion: z.int(),
    campaign: z.string(),
    index: z.int().min(0),
    attempt: z.int().min(1),
    case: caseSchema,
    stack: stackIdentity,
    device: z.string(),
    seed: z.int().min(0),
    cpus: z.array(z.int()),
    startedAt: z.iso.datetime(),
    ended: z.enum(['complete', 'interrupted', 'timed-out']),
    clock: object({ name: z.string(), overhead: seconds, resolution: seconds }),
    warmup: object({
      rule: warmup,
      calls: z.int(),
      steady: z.boolean().nullable().describe('null: the user fixed the warm-up, so nobody looked'),
      seconds: z
        .array(z.number())
        .describe('of each call; on a device of each sample’s calls on average; the first 100,000 of them'),
    }),
    callsPerSample: z.int().min(1),
    samples: object({
      file: z
        .string()
        .describe(
          'beside this document: a zip of NumPy arrays, elapsed_ns, start_ns and disturbed, in order',
        ),
      sha256: z.string().describe('of that file'),
      count: z.int().min(0),
      disturbed: z
        .int()
        .nullable()
        .describe('repetitions in which a measuring thread lost its CPU; null: the system cannot tell'),
    }),
    wall: seconds.describe('from the start of the first sample to the end of the last'),
    evicting: seconds.describe(
      'of that, spent on bringing operands out of the caches, or, of ranks, on all between what is timed',
    ),
    spans: z.array(span).describe('without gap or overlap, from the launch to the writing of this document'),
    telemetry: plainJson,
    ceilings: ceilings.optional().describe('absent in documents from before they were measured'),
    hugePages: hugePages.optional(),
    ranks: ranks.optional(),
    overlap: overlap.optional(),
    traffic: traffic.optional(),
    atOnce: object({
      of: z.int().min(2).describe('launches that were to measure at the same time'),
      began: seconds.describe('CLOCK_MONOTONIC, which all processes of a machine share'),
      ended: seconds,
    })
      .optional()
      .describe('absent: it measured alone'),
    usage: usage.optional().describe('absent in documents from before it was read'),
    verification: verification.nullable(),
    fault: object({ kind: z.string(), at: z.int().optional(), share: z.number().optional() }).nullable(),
  });
}

/** What is asked for: batches, how long and how often each is measured, and an error that is injected. */
import { z } from 'zod';
import type { CaseSchemas } from './case.js';
import { type ObjectOf, seconds } from './parts.js';

export type CampaignSchemas = ReturnType<typeof campaignSchemas>;

export function campaignSchemas(object: ObjectOf, { caseSchema, stack, ownStack, explored }: CaseSchemas) {
  const sampling = z.union([
    object({ kind: z.literal('fixed'), repetitions: z.int().min(1) }),
    object({
      kind: z.literal('budget'),
      seconds: z.number().positive(),
      least: z.int().min(1),
      most: z.int().min(1),
    }),
  ]);
  const warmup = z.union([
    object({ kind: z.literal('auto') }),
    object({ kind: z.literal('count'), count: z.int().min(0) }),
    object({ kind: z.literal('time'), seconds: z.number().positive() }),
  ]);
  const batchSpec = object({
    case: caseSchema,
    stack,
    device: z.string(),
    inspections: z.int().min(1),
    sampling,
    warmup,
    timeout: seconds.describe('limit of one inspection'),
    precision: z
      .number()
      .positive()
      .lt(1)
      .optional()
      .describe(
        'launches end when the interval’s half-width is this share of the estimate; `inspections` is then the most of them',
      ),
    settle: z
      .number()
      .positive()
      .lt(1)
      .optional()
      .describe(
        'launches end when the comparison with the first batch of the same case is settled, differences below this share not mattering; `inspections` is then the most of them',
      ),
    labels: z.record(z.string(), z.string()).optional().describe('of this batch, by who measures'),
    inTurns: z
      .boolean()
      .optional()
      .describe(
        'launches also look at calls and peak in turns, for half a second or three turns, when all else is done; absent: they do not',
      ),
    atOnce: z
      .boolean()
      .optional()
      .describe(
        'measured at the same time as all batches that differ from it only in where they run, behind one gate; absent: alone',
      ),
  });
  const fault = z
    .union([
      object({
        inspection: z.int().min(0),
        kind: z.enum([
          'wrong-element',
          'skipped-calls',
          'slow-repetition',
          'stall',
          'crash',
          'corrupt-rank',
          'absent-rank',
          'lost-rank',
        ]),
        at: z.int().min(0).describe('repetition in which it happens'),
      }),
      object({
        batch: z.int().min(0).describe('in every launch of it'),
        kind: z.literal('repeated-work'),
        share: z.number().positive().max(1).describe('of the work of each repetition, done once more in it'),
      }),
      object({
        kind: z.literal('stopped'),
        share: z
          .number()
          .positive()
          .lt(1)
          .describe('of each tenth of a second in which every launch stands still'),
      }),
    ])
    .describe('an error injected on purpose: this is no measurement of the machine');
  const campaign = object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    command: z.array(z.string()),
    seed: z.int().min(0),
    batches: z.array(batchSpec).describe('empty: a qualification that only looks at the machine'),
    budget: seconds
      .optional()
      .describe('wall time; what would end after it, as far as is known, is not begun'),
    labels: z.record(z.string(), z.string()).optional().describe('by who measures'),
    stacks: z.array(ownStack).optional().describe('of a stack file, that batches run in'),
    explored: explored.optional(),
    fault: fault.nullable(),
  });
  // Others need not have published how they measured: null is what they did not tell.
  const asked = batchSpec.extend({
    sampling: sampling.nullable(),
    warmup: warmup.nullable(),
    timeout: batchSpec.shape.timeout.nullable(),
  });
  const recordCampaign = campaign.extend({
    seed: campaign.shape.seed.nullable(),
    batches: z.array(asked),
  });
  return { warmup, campaign, asked, recordCampaign };
}

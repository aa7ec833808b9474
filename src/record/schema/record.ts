/** The record of a campaign, put together from its parts. */
import { z } from 'zod';
import { batchSchema } from './batch.js';
import type { CampaignSchemas } from './campaign.js';
import type { CaseSchemas } from './case.js';
import { importedSchemas } from './imported.js';
import { kpiSchemas } from './kpi.js';
import type { LaunchSchemas } from './launch.js';
import { type ObjectOf, plainJson, seconds } from './parts.js';
import { qualificationSchema } from './qualification.js';
import { recommendationSchema } from './recommendation.js';

export function recordSchema(object: ObjectOf, parts: CaseSchemas & CampaignSchemas & LaunchSchemas) {
  const { recordCampaign, span } = parts;
  const imported = importedSchemas(object);
  const { labels, kpi } = kpiSchemas(object);
  const batch = batchSchema(object, { ...parts, imported });
  const recommendation = recommendationSchema(object);
  const { qualification } = qualificationSchema(object);
  return object({
    $schema: z.string(),
    kind: z.literal('pi-bench record'),
    schemaVersion: z.int(),
    piBench: object({ version: z.string(), commit: z.string().nullable() }),
    campaign: recordCampaign,
    contendedBy: z
      .string()
      .nullable()
      .describe('another campaign that measured on this machine at the same time'),
    status: z.enum(['complete', 'incomplete', 'interrupted']),
    stoppedBy: z.enum(['plan', 'budget', 'signal']).optional().describe('why the last launch was the last'),
    settled: z
      .boolean()
      .optional()
      .describe(
        'whether all comparisons are settled that the launches were to settle; absent: there was none, or a record from before it was written',
      ),
    machine: plainJson,
    labels,
    batches: z.array(batch),
    kpis: z.array(kpi),
    recommendations: z.array(recommendation).optional().describe('what a sweep of repetitions answers'),
    accounting: object({
      wall: seconds.describe(
        'in which the campaign launched: from its first launch to the end of its last, those of all its processes together; waiting for other campaigns, what is made ready before and the analysis after are not in it; at least, where there is `unended`',
      ),
      measured: seconds.describe('inside the repetitions that count'),
      share: z.number(),
      spans: z.array(span).describe('where the rest went, summed over inspections'),
      lost: seconds.describe('in failed and repeated inspections; at least, where there is `unended`'),
      unended: z
        .int()
        .min(1)
        .optional()
        .describe(
          'attempts whose end nobody saw, as pi-bench was killed with them: how long they ran is not known, and in neither `wall` nor `lost`; absent: none, or a record from before they were counted',
        ),
    })
      .nullable()
      .describe('null: not known, in imported records only'),
    imported: imported.ofRecord.optional(),
    qualification: qualification.optional().describe('the verdict of `pi-bench qualify`'),
    digest: z.string().describe('SHA-256 of this document as canonical JSON without this field'),
  });
}

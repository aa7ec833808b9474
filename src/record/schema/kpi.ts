/** KPIs and their labels: one value, or a curve. */
import { z } from 'zod';
import type { ObjectOf } from './parts.js';

const NOT_TOLD = 'absent: not told, as in records from before it was written';

export function kpiSchemas(object: ObjectOf) {
  const labels = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
  const kpiHead = {
    name: z.string().regex(/^[a-z][a-z0-9_]*$/),
    direction: z.enum(['higher', 'lower']),
    help: z.string(),
    timestamp: z.iso
      .datetime()
      .describe(
        'when the newest launch ended on which it rests; where launches do not tell, as in imported records, when others measured it or it was imported; in earlier records when the record was made',
      ),
    statistic: z.string(),
    display: object({ divisor: z.number(), unit: z.string(), digits: z.int() }),
    regression: z.boolean().describe('whether a regression test counts it'),
    labels,
    verified: z
      .enum(['passed', 'failed', 'not-run'])
      .optional()
      .describe(`what became of the outputs of its batch, of a curve of all its batches; ${NOT_TOLD}`),
    flags: z
      .array(z.string())
      .optional()
      .describe(
        `names of the validity flags of its batch, which has their reasons, of a curve of any of its batches; ${NOT_TOLD}`,
      ),
    notChecked: z
      .array(z.string())
      .optional()
      .describe(`names of flags that could not be looked for in some launch on which it rests; ${NOT_TOLD}`),
  };
  const scalarKpi = object({
    ...kpiHead,
    value: z.number(),
    unit: z.string(),
    batch: z
      .int()
      .min(0)
      .optional()
      .describe(
        `of a KPI of one value: its place in \`batches\`; a curve has several, its \`batches\`; ${NOT_TOLD}`,
      ),
    launches: z
      .int()
      .min(0)
      .optional()
      .describe(
        `that ran to their end, on which it rests: not all of its batch where some did not tell what it needs; in earlier records all; ${NOT_TOLD}`,
      ),
    ci: object({
      level: z.number(),
      low: z.number(),
      high: z.number(),
      basis: z
        .string()
        .optional()
        .describe(
          'what it rests on: launches, few launches, within one launch; absent: not told, as in records from before it was written',
        ),
    }).nullable(),
  });
  const curveKpi = object({
    ...kpiHead,
    points: z
      .array(z.tuple([z.number(), z.number()]))
      .min(2)
      .describe('[x, y], by x'),
    xUnit: z.string(),
    yUnit: z.string(),
    batches: z
      .array(z.int().min(0))
      .optional()
      .describe(`of each point, its place in \`batches\`; ${NOT_TOLD}`),
    launches: z
      .array(z.int().min(0))
      .optional()
      .describe(`of each point, as of a KPI of one value; ${NOT_TOLD}`),
    ci: object({
      level: z.number(),
      intervals: z.array(z.tuple([z.number(), z.number()]).nullable()).describe('of y, one for each point'),
      basis: z
        .array(z.string().nullable())
        .optional()
        .describe(
          'what each of them rests on, as of a KPI of one value; absent: not told, as in records from before it was written',
        ),
    }).nullable(),
  });
  const kpi = z.union([scalarKpi, curveKpi]);
  return { labels, kpi };
}

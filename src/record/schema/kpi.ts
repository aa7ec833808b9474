/** KPIs and their labels: one value, or a curve. */
import { z } from 'zod';
import type { ObjectOf } from './parts.js';

export function kpiSchemas(object: ObjectOf) {
  const labels = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
  const kpiHead = {
    name: z.string().regex(/^[a-z][a-z0-9_]*$/),
    direction: z.enum(['higher', 'lower']),
    help: z.string(),
    timestamp: z.iso.datetime(),
    statistic: z.string(),
    display: object({ divisor: z.number(), unit: z.string(), digits: z.int() }),
    regression: z.boolean().describe('whether a regression test counts it'),
    labels,
  };
  const scalarKpi = object({
    ...kpiHead,
    value: z.number(),
    unit: z.string(),
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

/** What a sweep of repetitions answers. */
import { z } from 'zod';
import type { ObjectOf } from './parts.js';

export function recommendationSchema(object: ObjectOf) {
  return object({
    kind: z.literal('repetitions'),
    batches: z.array(z.int()).describe('of this record, which differ in nothing but their repetitions'),
    repetitions: z.int().nullable().describe('the fewest whose spread is not distinguishable from the best'),
    best: z.int().nullable().describe('the count of the smallest spread'),
    why: z.string(),
    test: z.string(),
    spreadIs: z.string(),
    leastRatioFound: z
      .number()
      .nullable()
      .describe('ratios of spreads below this one pass for chance in a sweep of so many launches'),
    counts: z.array(
      object({
        repetitions: z.int(),
        launches: z.int(),
        spread: z.number().nullable(),
        ratio: z.number().nullable(),
        ratioInterval: object({ low: z.number(), high: z.number() }).nullable(),
        p: z.number().nullable(),
      }),
    ),
    launches: z
      .array(object({ target: z.number(), launches: z.int() }))
      .describe(
        'with that many repetitions: for an interval of ± the target’s share of the median, by the `variance` of their batch and the interval that its launches have, or by the standard deviation where a table tells no more',
      ),
  });
}

/** What both the document of an inspection and the record tell of one launch. */
import { z } from 'zod';
import { type ObjectOf, seconds } from './parts.js';

export type LaunchSchemas = ReturnType<typeof launchSchemas>;

export function launchSchemas(object: ObjectOf) {
  const flag = object({
    name: z.string(),
    reason: z.string(),
    evidence: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
  });
  const verification = object({
    passed: z.boolean(),
    method: z.string(),
    tolerance: z.string(),
    worstError: z.number().nullable().describe('largest error as a multiple of the limit; null: not finite'),
    checked: z.int(),
    wrong: z.int(),
    firstWrong: z.string(),
  });
  const span = object({ name: z.string(), seconds });
  const ceilings = object({
    arithmetic: object({ rate: z.number(), isa: z.string() })
      .nullable()
      .describe('operations per second in registers only, with the threads of the case'),
    memory: object({ rate: z.number(), bytes: z.number() })
      .nullable()
      .describe('bytes per second of reading a working set of so many bytes, with the threads of the case'),
  }).describe('what bounds a repetition, measured beside it; null: not known or not meant');
  const status = z.enum([
    'measured',
    'wrong',
    'partial',
    'crashed',
    'killed',
    'timed-out',
    'out-of-memory',
    'failed',
    'interrupted',
  ]);
  return { flag, verification, span, ceilings, status };
}

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
  const inTurns = object({
    share: z.number().describe('of the peak that calls reach: the median of the turns'),
    turns: z.int().min(1).describe('looks at a call, each between two looks at the peak'),
  }).describe(
    'of looks at call and peak in turns, which have the machine of the same moments; absent: not asked for, or not known',
  );
  const ceilings = object({
    arithmetic: object({
      rate: z.number(),
      isa: z.string(),
      inTurns: inTurns.optional(),
    })
      .nullable()
      .describe('operations per second in registers only, with the threads of the case'),
    memory: object({ rate: z.number(), bytes: z.number() })
      .nullable()
      .describe('bytes per second of reading a working set of so many bytes, with the threads of the case'),
    moving: object({ rate: z.number(), bytes: z.number(), by: z.string() })
      .optional()
      .describe(
        'of a collective: bytes per second of passes over memory that load and store as it does, of every rank at once, and the bytes that one call loads and stores; absent: not known or not meant',
      ),
    unusedInstructions: z
      .array(z.string())
      .optional()
      .describe(
        'by their names, what the device has for the data type, the best loop in registers of this build (of peak the loop that was executed) does not use and may be faster: that loop’s rate is then no ceiling, and `arithmetic` is null; empty: nothing, so it is one; absent: not meant, or in documents from before it was told',
      ),
  }).describe('what bounds a repetition, measured beside it; null: not known or not meant');
  const hugePages = object({
    bytes: z.number().describe('on huge pages'),
    of: z.number().describe('bytes of the arrays, or of the memory that was set aside for them'),
    possible: z.number().describe('of these, what whole huge pages have room for where they lie'),
    page: z.number().describe('bytes of a huge page'),
  }).describe(
    'of the arrays in the host’s memory that calls work on, after they were filled and before the warm-up; absent: not known, not asked, or in documents from before it was',
  );
  const skew = object({ p50: seconds, p99: seconds, max: seconds });
  const ranks = object({
    repetitions: z.int().describe('whose times were kept'),
    calls: z
      .int()
      .optional()
      .describe('in these repetitions; absent in records from before several were one: as many'),
    ranks: z.array(
      object({
        median: seconds,
        p99: seconds,
        total: seconds.describe('of all its calls'),
        slowest: z
          .number()
          .describe(
            'share of the repetitions in which this rank was longest in its call, which who waits for another is, so it does not say who is slow; of one in which several were each has an equal part, in records from before they had the lowest all of it',
          ),
        slowestWorth: z
          .number()
          .optional()
          .describe(
            'independent repetitions that they are worth in telling that; only in records from when a slow rank was looked for by it',
          ),
        last: z
          .number()
          .describe('share of the repetitions in which it came last, with equal parts as in `slowest`'),
        lastWorth: z
          .number()
          .optional()
          .describe(
            'independent repetitions that they are worth in telling that; only in records from when repetitions, and not launches, told which rank comes last',
          ),
      }),
    ),
    skewIn: skew.describe('from the first to the last rank that came'),
    skewOut: skew.describe('from the first to the last rank that left'),
    late: z.int().describe('repetitions made again because a rank came after the common moment'),
    here: z
      .int()
      .optional()
      .describe(
        'of the ranks, how many are on the host of the first, the only one looked at; absent: not told',
      ),
    useful: z
      .array(seconds)
      .nullable()
      .describe('of one repetition, what each rank did not spend waiting, observed beside the timed ones'),
    runtime: seconds.nullable().describe('of the slowest rank in those'),
  }).describe('of what several ranks execute together');
  const overlap = object({
    compute: seconds.describe('the product alone'),
    communicate: seconds.describe('the collective alone'),
    computeBeside: seconds.describe('the product while the ranks communicate'),
    communicateBeside: seconds.describe('the collective while the ranks compute'),
    hidden: z
      .number()
      .describe(
        '(compute + communicate - both at once) / communicate; below 0: at once takes longer than one after the other',
      ),
    mostHidden: z
      .number()
      .optional()
      .describe('what could hide at most: compute / communicate, where that is below 1'),
    gain: z
      .number()
      .optional()
      .describe('(compute + communicate) / both at once; below 1 exactly where hidden is below 0'),
    computeSlowed: z.number().optional().describe('computeBeside / compute'),
    communicateSlowed: z.number().optional().describe('communicateBeside / communicate'),
  }).describe(
    'of the slowest rank’s times, those of both at once being the samples: medians of the times over the repetitions; the ratios are those of each repetition’s own times, and their medians, so that they may differ from ratios of the medians. Where as many repetitions, or launches, have hidden below 0 as above, it is 0 and gain is 1. Without gain, in records from before it was written, hidden is that of a launch’s median times',
  );
  const traffic = object({
    threads: z.int().min(1),
    bytes: z.number().describe('that they read'),
    seconds: seconds.describe('from the beginning of the repetitions to the end of the last'),
    rate: z.number().describe('bytes / seconds'),
    by: z.string().describe('the instruction set that reads'),
  }).describe(
    'of threads that read main memory while the loads of another one were timed, counted by each of them; absent: there were none',
  );
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
  return { flag, verification, span, inTurns, ceilings, hugePages, ranks, overlap, traffic, status };
}

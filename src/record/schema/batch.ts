/** A batch in the record: the inspections of one case on one stack, and what they come to. */
import { z } from 'zod';
import type { CampaignSchemas } from './campaign.js';
import type { CaseSchemas } from './case.js';
import type { ImportedSchemas } from './imported.js';
import type { LaunchSchemas } from './launch.js';
import { type ObjectOf, plainJson, seconds } from './parts.js';

const sustained = z.number().nullable().describe('over the wall clock; null: not known, in imported records');

function recordInspectionSchema(
  object: ObjectOf,
  { status, flag, verification, ceilings, hugePages, ranks, overlap, traffic, span }: LaunchSchemas,
) {
  return object({
    index: z.int(),
    status,
    reason: z.string().nullable(),
    endedAt: z.iso
      .datetime()
      .optional()
      .describe('absent: not known, as of imported launches, or in records from before it was written'),
    file: z.string().nullable(),
    sha256: z.string().nullable().describe('of that file'),
    statistics: plainJson.nullable().describe('of the elapsed seconds'),
    rate: object({ burst: z.number(), sustained }).nullable(),
    disturbedShare: z.number().nullable(),
    undisturbedMedian: seconds.nullable(),
    steady: z.boolean().nullable(),
    frequency: z
      .number()
      .nullable()
      .optional()
      .describe('effective hertz of the first thread: mean of before and after the repetitions'),
    cpus: z
      .string()
      .optional()
      .describe(
        'those of the threads, each bound to its own, as a list (of ranks to which their launcher gave different CPUs that of rank 0); absent: none was bound, or in records from before it was written',
      ),
    cpusUsed: z
      .number()
      .optional()
      .describe(
        'on a library or framework: CPU time of the process over the repetitions, by the time that passed',
      ),
    ceilings: ceilings.nullable().optional(),
    hugePages: hugePages.optional(),
    ranks: ranks.optional(),
    overlap: overlap.optional(),
    traffic: traffic.optional(),
    verification: verification.nullable(),
    flags: z.array(flag),
    notChecked: z.array(object({ flag: z.string(), why: z.string() })),
    spans: z.array(span),
  });
}

export function batchSchema(
  object: ObjectOf,
  parts: CaseSchemas & CampaignSchemas & LaunchSchemas & { imported: ImportedSchemas },
) {
  const { caseSchema, stackIdentity, asked, imported, flag, inTurns, ranks, overlap } = parts;
  const interval = object({
    level: z.number(),
    low: z.number(),
    high: z.number(),
    method: z.string(),
    basis: z.string().describe('what the interval rests on: launches, few launches, within one launch'),
  });
  const measuredBy = object({ launches: z.int(), of: z.int() });
  const recordInspection = recordInspectionSchema(object, parts);
  return object({
    case: caseSchema,
    title: z.string(),
    work: object({
      flop: z.number(),
      bytes: z.number(),
      writeAllocateBytes: z
        .number()
        .optional()
        .describe(
          'at most: read before they are written where plain stores miss the caches and the CPU does not avoid it; beside `bytes`, in no rate; absent: not known or not meant',
        ),
      launches: z.number().optional().describe('kernels that a GPU is given to execute'),
      loads: z.number().optional().describe('loads that each need the one before'),
      flop2mnkLessMn: z
        .number()
        .optional()
        .describe(
          'the products counted as 2mnk - mn, as older figures have them; in no rate of ours; absent: no products, or a record from before it was written',
        ),
    })
      .nullable()
      .describe('of one repetition; null: not known, in imported records only'),
    rateCounts: z
      .enum(['flop', 'bytes', 'launches', 'loads'])
      .optional()
      .describe('the work that rates count; absent: flop'),
    rateUnit: z.string(),
    stack: stackIdentity,
    device: z.string(),
    asked,
    planned: z.int(),
    measured: z.int(),
    verified: z.enum(['passed', 'failed', 'not-run']),
    elapsed: object({
      median: seconds,
      interval: interval.nullable(),
      range: z.tuple([z.number(), z.number()]).nullable(),
      basis: z
        .string()
        .describe('that of the interval; where there is none also: two launches; published table'),
      p99: seconds
        .optional()
        .describe(
          'median over launches of the time that 99 % of a launch’s repetitions stay below: its median-unbiased quantile (type 8 of Hyndman & Fan 1996), which leans on the slowest repetition where a launch has fewer than 100; absent: not known, in imported records and in those from before it was written',
        ),
      p99Interval: interval
        .nullable()
        .optional()
        .describe(
          'from the launches; null: too few of them, or of their repetitions (100 for this quantile)',
        ),
    }).nullable(),
    rate: object({
      median: z
        .number()
        .describe('work of one repetition / median over launches of the median time of a launch'),
      p05: z
        .number()
        .nullable()
        .describe(
          'work of one repetition / median over launches of the time in which 95 % of a launch’s repetitions end: its median-unbiased quantile (type 8 of Hyndman & Fan 1996; `p95` in `statistics` and `pooled` is of type 7), which leans on the slowest repetition where a launch has fewer than 20, and is it up to 13; null: not known, in imported records',
        ),
      p05Interval: interval
        .nullable()
        .optional()
        .describe(
          'from the launches, of a precision with its reserve for looking; null: too few of them, or of their repetitions (20 for this quantile)',
        ),
      sustained: z
        .number()
        .nullable()
        .describe(
          'work of one repetition / median over launches of the wall time for each repetition, of ranks without what they do between two; in earlier records the median over launches of their rates, which differs where launches are even in number; null: not known, in imported records',
        ),
      interval: interval.nullable(),
    }).nullable(),
    roofline: object({
      peak: z.number().describe('operations per second in registers only: median over launches'),
      peakIsa: z.string().describe('the instruction set that reaches it'),
      peaks: object({ launches: z.int(), least: z.number(), most: z.number() })
        .optional()
        .describe(
          'the peaks of the launches that measured it; absent: one did, or a record from before it was written',
        ),
      measuredBy: measuredBy
        .optional()
        .describe(
          'the launches that measured a peak, where not all of them did: efficiency and share are of the rate of those; in earlier records of the rate of all',
        ),
      efficiency: z.number().describe('rate / peak'),
      inTurns: inTurns.optional(),
      bandwidth: z
        .number()
        .nullable()
        .describe('bytes per second of reading the working set, or a part of a large one'),
      bytes: z
        .number()
        .optional()
        .describe(
          'that were read for the bandwidth; absent: not known, as in records from before they were kept',
        ),
      intensity: z.number().describe('operations for each byte of the operands and the result'),
      bound: z.enum(['arithmetic', 'memory']).nullable().describe('which ceiling is lower for this case'),
      attainable: z.number().nullable().describe('rate at that ceiling'),
      share: z.number().nullable().describe('rate / attainable'),
    })
      .nullable()
      .optional()
      .describe('Williams, Waterman & Patterson 2009; null where no ceiling is known'),
    datasheet: object({
      rate: z.number().describe('that the datasheet of this GPU promises, in the unit of the batch'),
      share: z.number().describe('rate / that'),
      source: z.string(),
    })
      .nullable()
      .optional()
      .describe('null: not a GPU whose datasheet is known'),
    ranks: ranks
      .extend({
        ceiling: object({
          rate: z.number(),
          bytes: z.number(),
          by: z.string(),
          share: z.number().describe('time at the ceiling / median time'),
          measuredBy: measuredBy
            .optional()
            .describe(
              'the launches that measured it, where not all of them did: the share is of the time of those; in earlier records of the time of all',
            ),
        })
          .nullable()
          .describe('null: not known, as where latency decides'),
      })
      .optional()
      .describe('of all launches together: medians of what is typical, sums of what adds'),
    overlap: overlap
      .extend({
        interval: object({ level: z.number(), low: z.number(), high: z.number() })
          .nullable()
          .describe(
            'of the hidden share, over launches; where a precision decided their number with what was spent on looking, as that of the time, but in earlier records; null: too few of them',
          ),
      })
      .optional()
      .describe('medians over launches of each of these'),
    traffic: object({
      threads: z.int().min(1),
      rate: z.number().describe('bytes per second that they read together: median over launches'),
    })
      .optional()
      .describe('of threads that read main memory while loads were timed; absent: there were none'),
    atOnce: object({
      of: z.int().min(2),
      others: z.array(z.string()).describe('devices that were measured at the same time'),
      overlap: z
        .number()
        .nullable()
        .describe(
          'share of the time of its repetitions in which all the others repeated, too: median over launches; null: nothing was measured',
        ),
      ofAlone: z
        .number()
        .nullable()
        .describe('rate / rate of the same batch measured alone, in this record; null: there is none'),
    })
      .optional()
      .describe('absent: it was measured alone'),
    launches: plainJson.nullable().describe('the medians of the launches and their spread'),
    variance: object({
      between: z
        .number()
        .describe(
          'standard deviation between launches, their own noise taken out, over the median: by Qn of Rousseeuw & Croux from 6 launches on, of 3 to 5, which hardly tell it, or where most tie, the plain one; in earlier records by Qn of them, too',
        ),
      within: z
        .number()
        .describe(
          'of the median per repetition inside a launch, dependence counted: divided by the root of the repetitions it is the noise of a launch median',
        ),
      repetitions: z.number().describe('of a launch: harmonic mean'),
      costOfLaunch: seconds.nullable().describe('seconds outside the repetitions: median over launches'),
      costOfRepetition: seconds.nullable(),
      bestRepetitions: z
        .int()
        .nullable()
        .describe(
          'narrowest interval for the time (Kalibera & Jones 2013); null: launches do not differ or costs are unknown',
        ),
      launchesForOnePercent: z
        .int()
        .nullable()
        .describe(
          'with these repetitions, for an interval of 1 % to either side: more than there are where these did not reach it (but in earlier records), 1000 where about half of them are far off, as of two modes, which no number is known to leave out; null: the spread of fewer than 6 launches tells none (earlier records have a number that is no plan)',
        ),
      launchesForOnePercentAtBest: z
        .int()
        .nullable()
        .describe('the same with the best repetitions; null also where these are'),
    })
      .nullable()
      .optional()
      .describe('what one launch and one repetition tell; null: fewer than 3 launches, or no score'),
    pooled: plainJson
      .nullable()
      .describe(
        'statistics of all repetitions together; of several launches, which are no one series, `lag1`, `effectiveSampleSize` and (but in earlier records) `drift` are null: each launch has its own in `statistics`',
      ),
    violin: plainJson
      .nullable()
      .describe(
        'of all repetitions; of the launches’ values where `imported` says that only these were published',
      ),
    box: plainJson.nullable().describe('of the same'),
    disturbedShare: z.number().nullable(),
    precision: object({
      target: z.number(),
      reached: z.boolean(),
      halfWidth: z
        .number()
        .nullable()
        .describe('of the interval, as a share of the estimate; null: there is none'),
      worth: z
        .number()
        .optional()
        .describe(
          'independent launches that these are worth, as neighbours are alike; absent: as many as they are, or a record from before it was written',
        ),
      reason: z.string(),
    })
      .optional()
      .describe('absent: the number of launches was fixed'),
    flags: z.array(flag.extend({ inspections: z.array(z.int()) })),
    inspections: z.array(recordInspection).describe('empty where a table was imported'),
    imported: imported.ofBatch.optional(),
  });
}

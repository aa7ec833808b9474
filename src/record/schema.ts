/**
 * The documents that pi-bench writes, versioned: the record of a campaign and the document of an inspection.
 * One definition gives the types, the check on writing (unknown fields are rejected), the check on reading (unknown
 * fields are kept) and the JSON Schema that the package ships.
 */
import { z } from 'zod';
import { importedSchemas } from './imported-schema.js';

export const SCHEMA_VERSION = 1;
/** Of an inspection's document: 2 keeps its samples in a file of their own. */
export const INSPECTION_VERSION = 2;

/** Names of the JSON Schemas that the package ships in schema/. */
export const RECORD_SCHEMA = 'urn:pi-bench:schema:record:1';
export const INSPECTION_SCHEMA = 'urn:pi-bench:schema:inspection:2';

type ObjectOf = typeof z.strictObject;

const seconds = z.number().describe('seconds');
const parameterValue = z.union([z.number(), z.string(), z.boolean()]);
/** Machine descriptions and telemetry have their own types; the record takes them as they come. */
const plainJson = z.record(z.string(), z.json());

/** The schemas, with `object` deciding what happens to unknown fields. */
function documents(object: ObjectOf) {
  const caseSchema = object({
    indicator: z.string(),
    parameters: z.record(z.string(), parameterValue),
  });
  const stack = object({
    provider: z.string().describe('who made it, for example "embedded"'),
    variant: z.string().nullable().describe('the chosen instruction set or build; null: its own choice'),
  });
  const stackIdentity = object({
    provider: z.string(),
    variant: z.string().nullable(),
    implementation: z.string().nullable().describe('what the stack chose to execute, as it tells'),
    version: z.string().nullable().describe('null: it does not say'),
    file: z.string().nullable().describe('the library file'),
    sha256: z.string().nullable().describe('of that file'),
    soname: z.string().nullable().optional().describe('the name that the library gives itself'),
    path: z.string().nullable().optional().describe('of the file, with all links followed'),
    package: z
      .string()
      .nullable()
      .optional()
      .describe('of the system that owns the file, with its version; null: none does'),
    chose: z
      .string()
      .nullable()
      .optional()
      .describe('core or instruction set that the library chose for this CPU, in its own words'),
    threadBinding: z
      .enum(['each', 'together', 'none'])
      .optional()
      .describe(
        'of the library’s threads: each to a CPU of its own, together to those of the case, or not at all',
      ),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('variables that the library may have read in the launch'),
  });
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
    labels: z.record(z.string(), z.string()).optional().describe('of this batch, by who measures'),
  });
  const fault = object({
    inspection: z.int().min(0),
    kind: z.enum([
      'wrong-element',
      'slow-repetition',
      'stall',
      'crash',
      'corrupt-rank',
      'absent-rank',
      'lost-rank',
    ]),
    at: z.int().min(0),
  }).describe('an error injected on purpose: this is no measurement of the machine');
  const campaign = object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    command: z.array(z.string()),
    seed: z.int().min(0),
    batches: z.array(batchSpec).min(1),
    budget: seconds.optional().describe('wall time after which no launch begins'),
    labels: z.record(z.string(), z.string()).optional().describe('by who measures'),
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
    batches: z.array(asked).min(1),
  });
  const imported = importedSchemas(object);
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
    moving: object({ rate: z.number(), bytes: z.number(), by: z.string() })
      .optional()
      .describe(
        'of a collective: bytes per second of passes over memory that load and store as it does, of every rank at once, and the bytes that one call loads and stores; absent: not known or not meant',
      ),
  }).describe('what bounds a repetition, measured beside it; null: not known or not meant');
  const skew = object({ p50: seconds, p99: seconds, max: seconds });
  const ranks = object({
    repetitions: z.int().describe('whose times were kept'),
    ranks: z.array(
      object({
        median: seconds,
        p99: seconds,
        total: seconds.describe('of all its calls'),
        slowest: z.number().describe('share of the repetitions in which this rank took longest'),
        last: z.number().describe('share of the repetitions in which it came last'),
      }),
    ),
    skewIn: skew.describe('from the first to the last rank that came'),
    skewOut: skew.describe('from the first to the last rank that left'),
    late: z.int().describe('repetitions made again because a rank came after the common moment'),
    useful: z
      .array(seconds)
      .nullable()
      .describe('of one repetition, what each rank did not spend waiting, observed beside the timed ones'),
    runtime: seconds.nullable().describe('of the slowest rank in those'),
  }).describe('of what several ranks execute together');
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

  const inspection = object({
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
      seconds: z.array(z.number()),
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
    evicting: seconds.describe('of that, spent on bringing operands out of the caches'),
    spans: z.array(span).describe('without gap or overlap, from the launch to the writing of this document'),
    telemetry: plainJson,
    ceilings: ceilings.optional().describe('absent in documents from before they were measured'),
    ranks: ranks.optional(),
    usage: usage.optional().describe('absent in documents from before it was read'),
    verification: verification.nullable(),
    fault: object({ kind: z.string(), at: z.int() }).nullable(),
  });

  const interval = object({
    level: z.number(),
    low: z.number(),
    high: z.number(),
    method: z.string(),
    basis: z.string().describe('what the interval rests on: launches, few launches, within one launch'),
  });
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
    ci: object({ level: z.number(), low: z.number(), high: z.number() }).nullable(),
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
    }).nullable(),
  });
  const kpi = z.union([scalarKpi, curveKpi]);
  const sustained = z
    .number()
    .nullable()
    .describe('over the wall clock; null: not known, in imported records');
  const recordInspection = object({
    index: z.int(),
    status,
    reason: z.string().nullable(),
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
    ceilings: ceilings.nullable().optional(),
    ranks: ranks.optional(),
    verification: verification.nullable(),
    flags: z.array(flag),
    notChecked: z.array(object({ flag: z.string(), why: z.string() })),
    spans: z.array(span),
  });
  const batch = object({
    case: caseSchema,
    title: z.string(),
    work: object({
      flop: z.number(),
      bytes: z.number(),
      writeAllocateBytes: z
        .number()
        .optional()
        .describe(
          'read before they are written where plain stores miss the caches; beside `bytes`, in no rate; absent: not known or not meant',
        ),
    })
      .nullable()
      .describe('of one repetition; null: not known, in imported records only'),
    rateCounts: z.enum(['flop', 'bytes']).optional().describe('the work that rates count; absent: flop'),
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
      basis: z.string(),
    }).nullable(),
    rate: object({
      median: z.number(),
      p05: z
        .number()
        .nullable()
        .describe(
          'median over launches of the rate that 95 % of a launch’s repetitions reach; null: not known, in imported records',
        ),
      p05Interval: interval.nullable().optional().describe('from the launches; null: too few of them'),
      sustained,
      interval: interval.nullable(),
    }).nullable(),
    roofline: object({
      peak: z.number().describe('operations per second in registers only: median over launches'),
      peakIsa: z.string().describe('the instruction set that reaches it'),
      efficiency: z.number().describe('rate / peak'),
      bandwidth: z.number().nullable().describe('bytes per second of reading the working set'),
      intensity: z.number().describe('operations for each byte of the operands and the result'),
      bound: z.enum(['arithmetic', 'memory']).nullable().describe('which ceiling is lower for this case'),
      attainable: z.number().nullable().describe('rate at that ceiling'),
      share: z.number().nullable().describe('rate / attainable'),
    })
      .nullable()
      .optional()
      .describe('Williams, Waterman & Patterson 2009; null where no ceiling is known'),
    ranks: ranks
      .extend({
        ceiling: object({
          rate: z.number(),
          bytes: z.number(),
          by: z.string(),
          share: z.number().describe('time at the ceiling / median time'),
        })
          .nullable()
          .describe('null: not known, as where latency decides'),
      })
      .optional()
      .describe('of all launches together: medians of what is typical, sums of what adds'),
    launches: plainJson.nullable().describe('the medians of the launches and their spread'),
    variance: object({
      between: z
        .number()
        .describe('standard deviation between launches, their own noise taken out, over the median'),
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
        .describe('with these repetitions, for an interval of 1 % to either side'),
      launchesForOnePercentAtBest: z.int().nullable().describe('the same with the best repetitions'),
    })
      .nullable()
      .optional()
      .describe('what one launch and one repetition tell; null: fewer than 3 launches, or no score'),
    pooled: plainJson.nullable().describe('statistics of all repetitions together'),
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
      halfWidth: z.number().nullable().describe('of the interval, as a share of the estimate'),
      reason: z.string(),
    })
      .optional()
      .describe('absent: the number of launches was fixed'),
    flags: z.array(flag.extend({ inspections: z.array(z.int()) })),
    inspections: z.array(recordInspection).describe('empty where a table was imported'),
    imported: imported.ofBatch.optional(),
  });
  const recommendation = object({
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
      .describe('with that many repetitions: for an interval of ± the target’s share of the median'),
  });
  const record = object({
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
    machine: plainJson,
    labels,
    batches: z.array(batch),
    kpis: z.array(kpi),
    recommendations: z.array(recommendation).optional().describe('what a sweep of repetitions answers'),
    accounting: object({
      wall: seconds.describe('from the command to the record, waiting for other campaigns excluded'),
      measured: seconds.describe('inside the repetitions that count'),
      share: z.number(),
      spans: z.array(span).describe('where the rest went, summed over inspections'),
      lost: seconds.describe('in failed and repeated inspections'),
    })
      .nullable()
      .describe('null: not known, in imported records only'),
    imported: imported.ofRecord.optional(),
    digest: z.string().describe('SHA-256 of this document as canonical JSON without this field'),
  });
  return { record, inspection, campaign };
}

/** For writing: unknown fields are errors. */
export const written = documents(z.strictObject);
/** For reading: unknown fields are kept. */
export const readable = documents(z.looseObject as unknown as ObjectOf);

export type Campaign = z.infer<typeof written.campaign>;
export type BatchSpec = Campaign['batches'][number];
export type Case = BatchSpec['case'];
export type StackChoice = BatchSpec['stack'];
export type Warmup = BatchSpec['warmup'];
export type InspectionDocument = z.infer<typeof written.inspection>;
export type ResourceUsage = NonNullable<InspectionDocument['usage']>;
export type StackIdentity = InspectionDocument['stack'];
export type PiBenchRecord = z.infer<typeof written.record>;
export type RecordBatch = PiBenchRecord['batches'][number];
export type RecordInspection = RecordBatch['inspections'][number];
export type InspectionStatus = RecordInspection['status'];
export type Recommendation = NonNullable<PiBenchRecord['recommendations']>[number];
export type Kpi = PiBenchRecord['kpis'][number];
export type ScalarKpi = Extract<Kpi, { value: number }>;
export type CurveKpi = Extract<Kpi, { xUnit: string }>;
export type Labels = PiBenchRecord['labels'];
export type Span = NonNullable<PiBenchRecord['accounting']>['spans'][number];

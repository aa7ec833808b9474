/**
 * The baseline file: what nodes of one kind reach, so that one more of them can be judged. `fleet baseline` writes it,
 * `qualify --baseline` reads it.
 */
import { z } from 'zod';
import type { ObjectOf } from '../record/schema/parts.js';

export const BASELINE_SCHEMA = 'urn:pi-bench:schema:baseline:1';
export const BASELINE_VERSION = 1;
export const BASELINE_KIND = 'pi-bench baseline';

function baselineWith(object: ObjectOf) {
  /** What has to be equal for a device to be judged by an entry. */
  const device = object({
    kind: z.enum(['cpu', 'gpu']),
    name: z.string().describe('model name of the CPU, name of the GPU'),
    cpus: z.int().nullable().describe('of a CPU: those that are online; null: a GPU'),
    pciDevice: z.string().nullable().describe('of a GPU, vendor:device; null: a CPU, or not known'),
    pciSubsystem: z.string().nullable(),
    powerLimitWatts: z.number().nullable().describe('in force; null: a CPU, or not known'),
  });
  /** null: fewer than three nodes tell. */
  const apart = (what: string) =>
    object({
      centre: z.number().describe('median over the nodes'),
      deviation: z
        .number()
        .min(0)
        .describe(
          'robust standard deviation of the nodes (Qn; above 200 nodes 1.4826 MAD); of a rate as a share',
        ),
      nodes: z.int().min(1).describe('that tell, with one device or several'),
    })
      .nullable()
      .describe(`${what}; null: too few nodes tell`);
  const entry = object({
    device,
    indicator: z.string(),
    parameters: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
    stack: object({
      provider: z.string(),
      variant: z.string().nullable(),
      own: z
        .string()
        .optional()
        .describe('name of a stack from a stack file, in which it runs; absent: none'),
    }),
    kpi: z.string().describe('name of the KPI whose values these are'),
    unit: z.string(),
    direction: z.enum(['higher', 'lower']),
    median: z.number().describe('over nodes, of the median over each node’s launches'),
    p05: z
      .number()
      .nullable()
      .describe(
        'over nodes, median of what 95 % of each node’s repetitions reach (of a KPI whose lower is better: do not pass); null: not known',
      ),
    spread: object({
      mad: z.number().describe('median absolute deviation of the nodes’ medians, not scaled'),
      low: z.number().describe('the least node that was kept'),
      high: z.number(),
    }),
    nodes: z.int().min(1).describe('that it rests on, with one device or several'),
    dropped: z.int().min(0).describe('nodes of which no device was kept: outliers'),
    peak: object({
      value: z.number().describe('in the unit of the entry'),
      source: z.string().describe('a datasheet, or measured in registers in the same launches'),
      measured: z.boolean().describe('a measured peak scatters, a datasheet’s does not'),
    })
      .nullable()
      .describe('null: nothing is known that bounds it'),
    distribution: object({
      probabilities: z.array(z.number()),
      seconds: z.array(z.number()).describe('elapsed of a repetition at each probability'),
    })
      .nullable()
      .describe('of the repetitions of the reference node; null: not kept'),
    apart: object({
      p05: apart('the rate that 95 % of a node’s repetitions reach'),
      cv: apart('standard deviation / mean of the rates of a node’s repetitions'),
      drift: apart('change of a node’s rate over a launch, as a share, below 0 where it gets slower'),
      distribution: apart('how much slower than the reference node’s distribution, less how much faster'),
    })
      .optional()
      .describe('how nodes differ beside their medians; absent: an older baseline, or a sustained rate'),
  });
  return object({
    $schema: z.string().optional(),
    kind: z.literal(BASELINE_KIND),
    schemaVersion: z.int(),
    name: z.string(),
    createdAt: z.iso.datetime(),
    piBench: object({ version: z.string(), commit: z.string().nullable() }).describe('that wrote this file'),
    nodes: z.array(
      object({
        machine: z.string().nullable(),
        hostname: z.string().nullable(),
        campaign: z.string(),
        digest: z.string().nullable().describe('of the record that it came from'),
        piBench: z
          .string()
          .nullable()
          .optional()
          .describe(
            'version that measured it; null: another tool did; absent: an older baseline, taken for its `piBench`',
          ),
      }),
    ),
    hardware: z
      .record(z.string(), z.union([z.number(), z.string(), z.boolean()]))
      .optional()
      .describe(
        'of its nodes, by the labels of a record, on which they agree: what the name of a CPU does not tell; absent: an older baseline',
      ),
    gpusPerNode: z
      .int()
      .min(1)
      .optional()
      .describe(
        'on which something was measured, of most of its nodes: one with fewer lacks some; absent: it is of no GPUs, or an older baseline',
      ),
    entries: z.array(entry).min(1),
    overall: z
      .array(
        object({
          device,
          apart: apart(
            'of a node: median over its KPIs of ln(their median / its own), above 0 where it is slower',
          ),
        }),
      )
      .optional()
      .describe('by kind of device: how nodes differ over all KPIs together; absent: an older baseline'),
  });
}

/** For writing: unknown fields are errors. For reading: they are kept. */
export const writtenBaseline = baselineWith(z.strictObject);
export const readableBaseline = baselineWith(z.looseObject as unknown as ObjectOf);

export type Baseline = z.infer<typeof writtenBaseline>;
export type BaselineEntry = Baseline['entries'][number];
export type BaselineDevice = BaselineEntry['device'];
/** Where nodes lie by something, and how far apart. */
export type Apart = NonNullable<BaselineEntry['apart']>['p05'];

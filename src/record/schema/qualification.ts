/** The verdict on a node in its record: what was checked, against which limit from where, and every attempt at it. */
import { z } from 'zod';
import { type ObjectOf, seconds } from './parts.js';

/** From the best to the worst that a check can come to; `skipped` stands beside them. */
export const VERDICTS = ['pass', 'warn', 'fail', 'inconclusive', 'skipped'] as const;
/** What to do with a node, in DCGM's words, so that automation that knows those can map ours. */
export const SEVERITIES = ['monitor', 'triage', 'isolate', 'reset', 'config'] as const;
const OUTCOMES = ['qualified', 'not-qualified', 'inconclusive'] as const;

export function qualificationSchema(object: ObjectOf) {
  const quantity = z.union([z.number(), z.string(), z.boolean(), z.null()]);
  const finding = object({
    quantity: z.string().describe('what was looked at: rate_median, cv, throttled_periods, cpu_quota ...'),
    measured: quantity.describe('null: it could not be read'),
    unit: z.string().nullable().describe('of measured and limit; null: none'),
    limit: quantity.describe('null: there is none, and nothing was judged'),
    bound: z
      .enum(['at-least', 'at-most', 'equal', 'none'])
      .describe('how the measured value has to stand to the limit'),
    source: z.string().describe('where the limit comes from: the suite, a baseline, peers, own history'),
    verdict: z.enum(VERDICTS),
    note: z.string().nullable().describe('in words, what the figures do not say'),
  });
  const reference = object({
    batch: z.int().min(0).describe('of this record'),
    nodes: z.int().min(1).describe('that it rests on'),
    median: z.number().describe('over nodes, of the rate, in the unit of the batch'),
    p05: z
      .number()
      .nullable()
      .describe('over nodes, of what 95 % of a node’s repetitions reach; null: not known'),
    low: z.number().describe('the least of the nodes’ medians'),
    high: z.number(),
    distribution: object({ probabilities: z.array(z.number()), seconds: z.array(z.number()) })
      .nullable()
      .describe('of the repetitions of the most typical of the nodes, in quantiles; null: not kept'),
  });
  const attempt = object({
    number: z.int().min(1),
    verdict: z.enum(VERDICTS),
    findings: z.array(finding),
  });
  const check = object({
    id: z.string().describe('the same in every run of a suite: <kind>[/<part>][@<device>]'),
    kind: z.string().describe('the criterion: correctness, floor, peers, history, stability ...'),
    part: z
      .string()
      .nullable()
      .describe('label "part" of the batch that it judges; null: the machine itself'),
    device: z.string().nullable(),
    batch: z.int().min(0).nullable().describe('of this record; null: none'),
    required: z.boolean().describe('one that is neither pass nor warn keeps the node from being qualified'),
    verdict: z.enum(VERDICTS),
    severity: z.enum(SEVERITIES).nullable().describe('null: there is nothing to do'),
    cause: z
      .string()
      .nullable()
      .describe('a stable name: cpu-quota, thermal, slow, unstable, wrong-result ...'),
    reason: z.string().describe('one sentence: what was found, or why it was not judged'),
    action: z.string().nullable().describe('what to do next, in words; null: nothing'),
    findings: z.array(finding).describe('of the attempt that decided'),
    attempts: z.array(attempt).describe('every one of them, in order; one where nothing was repeated'),
  });
  const qualification = object({
    suite: object({
      name: z.string(),
      tier: z.string().nullable().describe('t0 to t3; null: a suite of one’s own'),
      file: z.string().nullable().describe('null: shipped with pi-bench'),
      sha256: z.string(),
    }),
    outcome: z.enum(OUTCOMES),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    wall: seconds.describe(
      'of all attempts, cooling down between them included; waiting for another campaign is not in it',
    ),
    identity: object({
      machine: z.string().nullable(),
      hostname: z.string().nullable(),
      devices: z.array(
        object({
          device: z.string(),
          name: z.string().nullable(),
          serial: z.string().nullable().describe('that its history is kept under'),
          serialIs: z
            .string()
            .describe('what the serial is: GPU UUID, machine id, boot of a container’s host'),
        }),
      ),
    }),
    expected: z.record(z.string(), z.number()).describe('what --expect gave: counts, and bytes of memory'),
    baseline: object({
      file: z.string(),
      sha256: z.string(),
      name: z.string(),
      nodes: z.int(),
      references: z
        .array(reference)
        .optional()
        .describe('its entries that judged a batch; absent in records from before they were kept'),
    })
      .nullable()
      .describe('null: none was given'),
    checks: z.array(check),
    attempts: z
      .array(
        object({
          number: z.int().min(1),
          campaign: z.string().describe('id; the first is that of this record'),
          folder: z
            .string()
            .nullable()
            .describe(
              'relative to the record, or where it went when that folder could not be written; null: this record itself',
            ),
          why: z.string(),
          parts: z.array(z.string()).describe('what was measured in it'),
          cooledDown: seconds.describe('before it began'),
        }),
      )
      .describe('what was measured: once, and again where a check of performance failed'),
    notJudged: z.array(z.string()).describe('what this qualification says nothing about, and why'),
  });
  return { qualification, check, finding };
}

/**
 * What `dcgmi diag -j` writes. A result names its GPU in `gpu_ids` up to DCGM 3.2, in `gpu_id` from 3.3 on
 * and as an entity in 4. Of several iterations each is one whole output in `iterations`, below an overall
 * result.
 */
import { z } from 'zod';

const facts = {
  error_id: z.union([z.int(), z.string()]).optional(),
  error_severity: z.union([z.int(), z.string()]).optional(),
};
/** `warnings` within a warning: a deployment test of DCGM 3.3. */
const warning = z.union([
  z.string(),
  z.looseObject({ warning: z.string().optional(), warnings: z.string().optional(), ...facts }),
]);
const texts = z.union([z.string(), z.array(z.union([z.string(), z.looseObject({})]))]);
const id = z.union([z.int(), z.string()]);
const result = z.looseObject({
  gpu_ids: z.string().optional(),
  gpu_id: id.optional(),
  cpu_id: id.optional(),
  entity_group: z.string().optional(),
  entity_id: z.int().optional(),
  /**
   * DCGM 3.3.1 has it once for all faults of a deployment test, each of which is a result there, and their
   * facts beside them.
   */
  status: z.string().optional(),
  warnings: z.union([z.string(), z.array(warning.nullable())]).optional(),
  info: texts.optional(),
  ...facts,
});
const test = z.looseObject({
  name: z.string(),
  results: z.array(result.nullable()).optional(),
  test_summary: result.optional(),
});
const diagnostic = z.looseObject({
  test_categories: z
    .array(
      z
        .looseObject({
          category: z.string().optional(),
          tests: z.array(test.nullable()).optional(),
        })
        .nullable(),
    )
    .optional(),
  runtime_error: z.string().optional(),
  version: z.string().optional(),
});
const run = z.looseObject({
  'DCGM Diagnostic': diagnostic.optional(),
  'DCGM GPU Diagnostic': diagnostic.optional(),
  metadata: z.looseObject({ version: z.string().optional() }).optional(),
  version: z.string().optional(),
});

export const output = run.extend({
  iterations: z.array(run.nullable()).optional(),
  'Overall Result': z.string().optional(),
  warning: z.string().optional(),
});

export type Output = z.infer<typeof output>;
export type Run = z.infer<typeof run>;
export type Test = z.infer<typeof test>;
export type Result = z.infer<typeof result>;

const MARKS = ['DCGM Diagnostic', 'DCGM GPU Diagnostic', 'Overall Result'] as const;

/** Whether it is meant for one, understood or not. */
export const isOutput = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && MARKS.some((mark) => mark in json);

/**
 * dcgmi prints warnings before its JSON now and then, and why an iteration could not run as a document before
 * that of all.
 */
export function documentsOf(text: string): readonly unknown[] {
  const from = text.indexOf('{');
  const whole = from < 0 ? text : text.slice(from, text.lastIndexOf('}') + 1);
  // Within a document a comma stands between two objects.
  return whole.split(/(?<=\})\s*\n\s*(?=\{)/).map((one): unknown => JSON.parse(one));
}

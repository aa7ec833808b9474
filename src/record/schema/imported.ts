/** What a record says of itself where others measured: where it comes from, and what they did not publish. */
import { z } from 'zod';
import type { ObjectOf } from './parts.js';

export type ImportedSchemas = ReturnType<typeof importedSchemas>;

export function importedSchemas(object: ObjectOf) {
  const missing = z.array(object({ what: z.string(), why: z.string() }));
  const ofRecord = object({
    format: z.string().describe('whose documents they were: thoth'),
    files: z.array(
      object({
        path: z.string().describe('relative to what was imported'),
        sha256: z.string(),
        layout: z.string().describe('which of the format’s layouts it has'),
      }),
    ),
    notRead: z
      .array(object({ path: z.string(), why: z.string() }))
      .describe('files of that place from which nothing came'),
    notKnown: missing.describe('what these documents cannot tell, for all batches'),
    measured: object({ from: z.iso.datetime(), to: z.iso.datetime() })
      .nullable()
      .describe('when, as the documents say; null: they do not'),
  }).describe('pi-bench did not measure this: it read what others published');
  const ofBatch = object({
    source: z.string().describe('what the batch is called there'),
    table: z
      .string()
      .optional()
      .describe(
        'file of the table that it is from, relative to what was imported; absent: of no table, or in records from before it was written',
      ),
    values: z
      .enum(['launches', 'table'])
      .describe('launches: one value of each launch was published; table: only statistics of them'),
    statistic: z
      .enum(['median', 'mean', 'not told'])
      .describe('what the one value of a launch is, over its repetitions'),
    rates: z
      .record(z.string(), z.json())
      .nullable()
      .describe('statistics of the launches’ rates as published, in the batch’s unit of rates'),
    notChecked: z
      .array(object({ flag: z.string(), why: z.string() }))
      .describe('in all launches of the batch, beside what its inspections list'),
    remarks: z.array(z.string()).describe('faults of the published figures, and what was done about them'),
  }).describe('a batch that others measured');
  return { ofRecord, ofBatch };
}

/** The JSON Schemas of the documents, made from the definitions that check them. */
import { z } from 'zod';
import { CAMPAIGN_SCHEMA, campaignFile } from '../campaign/campaign-file.js';
import { BASELINE_SCHEMA, writtenBaseline } from '../qualify/baseline-schema.js';
import { SUITE_SCHEMA, suiteFile } from '../qualify/suite-file.js';
import { STACK_FILE_SCHEMA, stackFile } from '../stacks/own/stack-file.js';
import { INSPECTION_SCHEMA, RECORD_SCHEMA, written } from './schema.js';

/** By file name, without extension. */
export function jsonSchemas(): Readonly<Record<string, object>> {
  const of = (schema: z.ZodType, $id: string, title: string, io: 'input' | 'output' = 'output'): object => ({
    $id,
    title,
    ...z.toJSONSchema(schema, { target: 'draft-2020-12', unrepresentable: 'any', io }),
  });
  return {
    record: of(written.record, RECORD_SCHEMA, 'pi-bench record'),
    campaign: of(campaignFile, CAMPAIGN_SCHEMA, 'pi-bench campaign file'),
    'stack-file': of(stackFile, STACK_FILE_SCHEMA, 'pi-bench stack file'),
    // As somebody writes it: what its reader fills in may be left out.
    suite: of(suiteFile, SUITE_SCHEMA, 'pi-bench suite', 'input'),
    baseline: of(writtenBaseline, BASELINE_SCHEMA, 'pi-bench baseline'),
    inspection: of(written.inspection, INSPECTION_SCHEMA, 'pi-bench inspection'),
  };
}

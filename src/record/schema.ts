/**
 * The documents that pi-bench writes, versioned: the record of a campaign and the document of an inspection.
 * One definition (its parts are in schema/) gives the types, the check on writing (unknown fields are rejected), the
 * check on reading (unknown fields are kept) and the JSON Schema that the package ships.
 */
import { z } from 'zod';
import { campaignSchemas } from './schema/campaign.js';
import { caseSchemas } from './schema/case.js';
import { inspectionSchema } from './schema/inspection.js';
import { launchSchemas } from './schema/launch.js';
import type { ObjectOf } from './schema/parts.js';
import { recordSchema } from './schema/record.js';

export { INSPECTION_SCHEMA, RECORD_SCHEMA, SCHEMA_VERSION } from './schema/names.js';

/**
 * The schemas, with `object` deciding what happens to unknown fields. They are made when they are first asked for: most
 * commands need one of them, and making it takes longer than checking a document.
 */
function documents(object: ObjectOf) {
  const parts = once(() => {
    const ofCase = caseSchemas(object);
    return { ...ofCase, ...campaignSchemas(object, ofCase), ...launchSchemas(object) };
  });
  const record = once(() => recordSchema(object, parts()));
  const inspection = once(() => inspectionSchema(object, parts()));
  return {
    get record() {
      return record();
    },
    get inspection() {
      return inspection();
    },
    get campaign() {
      return parts().campaign;
    },
  };
}

/** `make`, called when what it makes is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** For writing: unknown fields are errors. */
export const written = documents(z.strictObject);
/** For reading: unknown fields are kept. */
export const readable = documents(z.looseObject as unknown as ObjectOf);

export type Campaign = z.infer<typeof written.campaign>;
export type BatchSpec = Campaign['batches'][number];
export type OwnStack = NonNullable<Campaign['stacks']>[number];
export type Explored = NonNullable<Campaign['explored']>;
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
export type Qualification = NonNullable<PiBenchRecord['qualification']>;
export type QualificationCheck = Qualification['checks'][number];
export type Finding = QualificationCheck['findings'][number];
export type Verdict = QualificationCheck['verdict'];
export type Severity = NonNullable<QualificationCheck['severity']>;
export type Kpi = PiBenchRecord['kpis'][number];
export type ScalarKpi = Extract<Kpi, { value: number }>;
export type CurveKpi = Extract<Kpi, { xUnit: string }>;
export type Labels = PiBenchRecord['labels'];
export type Span = NonNullable<PiBenchRecord['accounting']>['spans'][number];

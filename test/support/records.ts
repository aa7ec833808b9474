/** Whole records from launches that a test describes, as the commands read them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../src/record/digest.js';
import { machineLabels } from '../../src/record/labels.js';
import {
  type Case,
  type Labels,
  type PiBenchRecord,
  RECORD_SCHEMA,
  type RecordBatch,
  SCHEMA_VERSION,
  written,
} from '../../src/record/schema.js';
import { batchOf, type Launch, matmulCase } from './batch.js';
import { machineOf } from './machine.js';

export interface DescribedBatch {
  readonly parameters?: Case['parameters'];
  readonly stack?: Partial<RecordBatch['stack']>;
  /** Seconds of a repetition of each launch, or launches with more to say. */
  readonly launches: readonly (number | Launch)[];
  readonly labels?: Readonly<Record<string, string>>;
  /** It does no work, as a barrier: a record of it has rates of 0. */
  readonly idle?: true;
  readonly atOnce?: true;
}

/** As `buildBatch` makes it of a barrier. */
export const idleBatch = (batch: RecordBatch): RecordBatch => ({
  ...batch,
  work: { flop: 0, bytes: 0 },
  rateCounts: 'bytes',
  rateUnit: 'B/s',
  rate: { median: 0, p05: 0, p05Interval: null, sustained: 0, interval: null },
});

export interface DescribedRecord {
  readonly id?: string;
  readonly createdAt?: string;
  readonly labels?: Labels;
  readonly batches: readonly DescribedBatch[];
}

export function recordBatch({
  parameters = {},
  stack = {},
  launches,
  labels,
  idle,
  atOnce,
}: DescribedBatch): RecordBatch {
  const made = batchOf(
    matmulCase({ transpose: 'NN', batch: 1, prepack: false, ...parameters }),
    launches.map((launch) => (typeof launch === 'number' ? { seconds: launch } : launch)),
  );
  const identity = { ...made.stack, ...stack };
  const own = identity.own === undefined ? {} : { own: identity.own.name };
  const chosen = { provider: identity.provider, variant: identity.variant, ...own };
  const batch = {
    ...made,
    stack: identity,
    asked: {
      ...made.asked,
      stack: chosen,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(atOnce === undefined ? {} : { atOnce }),
    },
  };
  return idle ? idleBatch(batch) : batch;
}

export function recordOf({
  id = 'campaign-a',
  createdAt = '2026-01-02T03:04:05.000Z',
  labels = {},
  batches: described,
}: DescribedRecord): PiBenchRecord {
  const machine = machineOf();
  const piBench = { version: '0.0.0', commit: null };
  const batches = described.map(recordBatch);
  const record: PiBenchRecord = {
    $schema: RECORD_SCHEMA,
    kind: 'pi-bench record',
    schemaVersion: SCHEMA_VERSION,
    piBench,
    campaign: {
      id,
      createdAt,
      command: ['matmul'],
      seed: 1,
      batches: batches.map(({ asked }) => asked),
      fault: null,
    },
    contendedBy: null,
    status: 'complete',
    machine: JSON.parse(JSON.stringify(machine)) as PiBenchRecord['machine'],
    labels: { ...machineLabels(machine, piBench, id), machine: 'one', ...labels },
    batches,
    kpis: [],
    accounting: null,
    digest: '',
  };
  const checked = written.record.parse(record);
  return { ...checked, digest: digestOf(checked) };
}

/** Writes the record into a folder of its own below `parent`. */
export function writeRecord(parent: string, record: PiBenchRecord): string {
  const folder = join(parent, record.campaign.id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'record.json'), JSON.stringify(record));
  return folder;
}

/** Launches about a centre, always the same ones: `spread` is about their standard deviation on logarithms. */
export const aboutSeconds = (centre: number, count = 12, spread = 0.004): number[] =>
  Array.from({ length: count }, (_, i) => centre * Math.exp(spread * 1.6 * ((2 * i + 1) / count - 1)));

/** Records as a qualification judges them: batches with parts, and all that a context holds beside. */
import type { GpuDescription, GpuSurvey } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { keyedBatch } from '../../src/qualify/baseline-key.js';
import type { Baseline, BaselineDevice, BaselineEntry } from '../../src/qualify/baseline-schema.js';
import type { Context } from '../../src/qualify/criteria/criterion.js';
import { judgementsOf } from '../../src/qualify/criteria/index.js';
import { parseSuite, type Suite } from '../../src/qualify/suite.js';
import type { SuiteCheck } from '../../src/qualify/suite-file.js';
import type { PiBenchRecord, RecordBatch, RecordInspection } from '../../src/record/schema.js';
import type { Launch } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { recordOf } from '../support/records.js';

export interface DescribedPart {
  readonly part: string;
  readonly launches: readonly (number | Launch)[];
  /** Changes what the launches come to. */
  readonly but?: (batch: RecordBatch) => RecordBatch;
}

export function partsRecord(parts: readonly DescribedPart[], id = 'campaign-a'): PiBenchRecord {
  const record = recordOf({
    id,
    batches: parts.map(({ part, launches }, i) => ({
      launches,
      labels: { part },
      parameters: { m: 100 + i },
    })),
  });
  const batches = record.batches.map((batch, i) => parts[i]?.but?.(batch) ?? batch);
  return { ...record, batches };
}

/** One that can be told from others, so that it has a history. */
export const knownMachine = (): MachineDescription => {
  const machine = machineOf();
  return { ...machine, os: { ...machine.os, machineIdHash: 'one' } };
};

export const contextOf = (record: PiBenchRecord | null, more: Partial<Context> = {}): Context => ({
  source: 't1',
  machine: knownMachine(),
  surroundings: { busy: 0, memoryErrors: null },
  after: null,
  record,
  reference: null,
  expected: {},
  baseline: null,
  history: [],
  ...more,
});

/** One that is as it should be, but for what is said. */
export const gpu = (more: Partial<GpuDescription> = {}): GpuDescription => ({
  ordinal: 0,
  name: 'NVIDIA H200',
  uuid: `GPU-${more.ordinal ?? 0}`,
  pciBusId: '0000:01:00.0',
  computeCapability: '9.0',
  multiprocessors: 132,
  l2Bytes: 5e7,
  memoryBytes: 1.4e11,
  memoryBusBits: 6144,
  asyncEngines: 3,
  nvmlProblem: null,
  powerLimitWatts: 700,
  defaultPowerLimitWatts: 700,
  ecc: true,
  mig: false,
  driver: '580.82',
  vbios: '96.00',
  ...more,
});
export const survey = (...devices: readonly GpuDescription[]): GpuSurvey => ({
  problem: devices.length === 0 ? 'the driver does not answer' : null,
  cuda: '12.8',
  library: 'libcuda.so.1',
  devices,
});

/** The only judgement that a check comes to. */
export function judgement(check: SuiteCheck, context: Context) {
  const [only, ...others] = judgementsOf(check, context);
  if (only === undefined || others.length > 0)
    throw new Error(`${others.length + 1} judgements of ${check.check}`);
  return only;
}

/** A baseline without entries. */
export const emptyBaseline = (): Baseline => ({
  kind: 'pi-bench baseline',
  schemaVersion: 1,
  name: 'fleet',
  createdAt: '2026-01-01T00:00:00.000Z',
  piBench: { version: '0.1.0', commit: null },
  nodes: [],
  entries: [],
});

/** Of a case that no suite has, for what is asked of its device alone. */
export const baselineEntry = (device: BaselineDevice, more: Partial<BaselineEntry> = {}): BaselineEntry => ({
  device,
  indicator: 'matmul',
  parameters: { m: 1 },
  stack: { provider: 'embedded', variant: null },
  kpi: 'pibench_matmul_rate_flops_per_second',
  unit: 'FLOP/s',
  direction: 'higher',
  median: 90e9,
  p05: 80e9,
  spread: { mad: 1e9, low: 80e9, high: 100e9 },
  nodes: 5,
  dropped: 0,
  peak: { value: 100e9, source: 'datasheet', measured: false },
  distribution: null,
  ...more,
});

/** Of five nodes on which the batch has this rate. */
export const baselineOf = (
  batch: RecordBatch,
  rate: number,
  more: Partial<BaselineEntry> = {},
): Baseline => ({
  ...emptyBaseline(),
  entries: [
    {
      ...keyedBatch(machineOf(), batch, 'pibench_matmul_rate_flops_per_second'),
      unit: 'FLOP/s',
      direction: 'higher',
      median: rate,
      p05: rate * 0.98,
      spread: { mad: 0, low: rate, high: rate },
      nodes: 5,
      dropped: 0,
      peak: null,
      distribution: null,
      ...more,
    },
  ],
});

export const SECOND = 0.001;
/** Of 2 x 100^3 operations in that time. */
export const RATE = 2e6 / SECOND;

export const flag = (
  name: string,
  evidence: RecordInspection['flags'][number]['evidence'] = {},
): RecordInspection['flags'][number] => ({ name, reason: `${name} happened`, evidence });

/** A record of one launch of one part. */
export const oneLaunch = (launch: number | Launch, but?: (batch: RecordBatch) => RecordBatch): Context =>
  contextOf(partsRecord([{ part: 'gemm', launches: [launch], ...(but === undefined ? {} : { but }) }]));

/** A suite of one small product, in seconds. @param checks each as a line of the file has it */
export const smallSuite = (...checks: readonly string[]): Suite =>
  parseSuite(
    `
name: small
cooldown: 1ms
campaign:
  seed: 1
  measure:
    - indicator: matmul
      parameters: { size: 64, threads: 1 }
      repetitions: 10
      inspections: 1
      labels: { part: gemm }
checks:
${checks.map((check) => `  - ${check}`).join('\n')}
`,
    'small',
    () => '',
  );

/**
 * A record as result documents in the layout that Thoth's synchronisation reads: a folder for each batch, `build/specification`,
 * and `results/<n>/{result,hwinfo,log}` for each launch. Only square products fit its table. Pure.
 */
import { UserError } from '../../errors.js';
import type { MachineDescription } from '../../machine/types.js';
import { lostLaunches } from '../../readers/comparison/lost-launches.js';
import { canonicalJson, sha256 } from '../../record/digest.js';
import type { InspectionDocument, PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { flop2mnkLessMn } from '../../record/work.js';
import { hardwareOf, operatingSystem, requestsOf } from './machine.js';
import { usageOf } from './usage.js';

/** A launch with the document that its worker wrote. */
export interface LaunchDocument {
  /** Median of the repetitions: the record's, which the headline rests on. */
  readonly elapsedSeconds: number;
  readonly document: InspectionDocument;
}

export interface ThothFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly text: string;
}

const MILLI = 1e3;
const GIGA = 1e9;
const INDENT = 2;

const json = (value: unknown): string => `${JSON.stringify(value, null, INDENT)}\n`;

/**
 * null where the case has a place in Thoth's table of products. What is meant there is the plain product alone on the machine, its operands
 * as they lie, called again and again: a row of any other would be averaged with those.
 */
export function whyNoPlace({ case: one, verified, title, rate, asked }: RecordBatch): string | null {
  const { m, n, k, batch, transpose, prepack, cache } = one.parameters;
  if (one.indicator !== 'matmul') return `${title}: Thoth has no table for ${one.indicator}`;
  if (m !== n || n !== k) return `${title}: Thoth's table has square products only`;
  if (batch !== undefined && batch !== 1) return `${title}: Thoth's table has no batches of products`;
  if (transpose !== undefined && transpose !== 'NN')
    return `${title}: Thoth's table has no transposed operands`;
  if (prepack === true) return `${title}: Thoth's table has no prepacked operands`;
  if (cache !== undefined && cache !== 'hot') return `${title}: Thoth's table has no cold caches`;
  if (asked.atOnce === true) return `${title}: Thoth's table has no products at once with others`;
  if (verified !== 'passed') return `${title}: its outputs were not verified, or wrong`;
  return rate === null ? `${title}: nothing was measured` : null;
}

const round6 = (moment: number): string => new Date(moment).toISOString().replace('Z', '000');

/** What stands for a script: everything that a result depends on beside the machine and the stack. */
const scriptSha256 = ({ piBench }: PiBenchRecord, batch: RecordBatch): string =>
  sha256(canonicalJson({ piBench, case: batch.case }));

/** Parameters that have a column of their own, or of which only one value has a place there. */
const TOLD_ELSEWHERE: readonly string[] = ['m', 'n', 'k', 'dtype', 'batch', 'transpose', 'prepack', 'cache'];

/**
 * What Thoth tells results of one version of a script from those of another by. It has no column for threads and pinning, so that they are
 * in it, as semantic versions add what was built: `0.1.0+pin-true.threads-2`.
 */
function versionOf({ piBench: { version, commit } }: PiBenchRecord, batch: RecordBatch): string {
  const parameters = Object.entries(batch.case.parameters)
    .filter(([name]) => !TOLD_ELSEWHERE.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}-${value}`);
  const added = [...(commit === null ? [] : [`commit-${commit.slice(0, 12)}`]), ...parameters];
  return added.length === 0 ? version : `${version}+${added.join('.')}`;
}

/** Which batch of which campaign it is, behind whatever makes its identifier readable. */
export const inspectionHash = ({ campaign }: PiBenchRecord, at: number): string =>
  sha256(`${campaign.id} ${at}`).slice(0, 8);

/** Identifier of the batch: readable, and no other batch's. */
function inspectionId(record: PiBenchRecord, batch: RecordBatch, at: number): string {
  const { provider, variant, own } = batch.stack;
  const { n, dtype, threads } = batch.case.parameters;
  const readable = [
    'pi-bench',
    own?.name ?? provider,
    own === undefined ? variant : null,
    'matmul',
    n,
    dtype,
    `${threads ?? 1}t`,
  ]
    .filter((part) => part !== null && part !== undefined)
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-');
  return `inspection-${readable}-${inspectionHash(record, at)}`;
}

export interface ThothBatch {
  readonly record: PiBenchRecord;
  readonly batch: RecordBatch;
  readonly launches: readonly LaunchDocument[];
  /** Of the stack; null: it has none. */
  readonly overallScore: number | null;
}

/** Its column is an integer of 32 bits. */
const MOST_REPS = 2 ** 31 - 1;

function repsOf({ samples, callsPerSample }: InspectionDocument): number {
  const reps = samples.count * callsPerSample;
  if (reps > MOST_REPS) {
    throw new UserError(`${reps} calls in a launch are more than Thoth's column of whole numbers holds`);
  }
  return reps;
}

function stdoutOf({ batch }: ThothBatch, { elapsedSeconds, document }: LaunchDocument) {
  const n = Number(batch.case.parameters.n);
  const { provider, variant, own } = batch.stack;
  return {
    name: 'PiMatmul',
    component: own?.name ?? (variant === null ? provider : `${provider}:${variant}`),
    // Exactly the columns of its table: a key more, and nothing is stored.
    '@parameters': {
      dtype: String(batch.case.parameters.dtype),
      device: batch.device,
      reps: repsOf(document),
      matrix_size: n,
    },
    '@result': {
      rate: flop2mnkLessMn(n, n, n) / elapsedSeconds / GIGA,
      elapsed: elapsedSeconds * MILLI,
    },
  };
}

/** What holds for this launch, of itself and of those that only the batch's launches together show. */
const flagNames = ({ flags, inspections }: RecordBatch, launch: number): readonly string[] => [
  ...new Set([
    ...inspections.flatMap((one) => (one.index === launch ? one.flags.map(({ name }) => name) : [])),
    ...flags.flatMap(({ name, inspections: of }) => (of.includes(launch) ? [name] : [])),
  ]),
];

const notCheckedTexts = ({ inspections }: RecordBatch, launch: number): readonly string[] =>
  inspections.flatMap(({ index, notChecked }) =>
    index === launch ? notChecked.map(({ flag, why }) => `${flag}: ${why}`) : [],
  );

function resultOf(of: ThothBatch, launch: LaunchDocument): unknown {
  const { record, batch, overallScore } = of;
  const { document, elapsedSeconds } = launch;
  const machine = record.machine as unknown as MachineDescription;
  const stdout = stdoutOf(of, launch);
  const begun = Date.parse(document.startedAt);
  const wall = document.spans.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    ...stdout,
    stdout,
    stderr: '',
    exit_code: 0,
    ...(overallScore === null ? {} : { overall_score: overallScore }),
    version: versionOf(record, batch),
    script_sha256: scriptSha256(record, batch),
    start_datetime: round6(begun),
    end_datetime: round6(begun + wall * MILLI),
    usage: usageOf(document),
    hwinfo: hardwareOf(machine),
    os_release: { name: machine.os.name, version_id: machine.os.version },
    runtime_environment: {
      operating_system: operatingSystem(machine),
      python_version: null,
      cuda_version: null,
      hardware: { cpu_family: machine.cpu.family, cpu_model: machine.cpu.model },
    },
    pi_bench: {
      campaign: record.campaign.id,
      inspection: document.index,
      case: batch.case,
      stack: batch.stack,
      work_flop_2mnk: batch.work?.flop ?? null,
      rate_flops_per_second_2mnk: (batch.work?.flop ?? Number.NaN) / elapsedSeconds,
      flop_convention_of_result: '2n^3-n^2',
      calls_per_sample: document.callsPerSample,
      flags: flagNames(batch, document.index),
      not_checked: notCheckedTexts(batch, document.index),
      launches_lost: lostLaunches(batch),
      contended_by: record.contendedBy,
    },
  };
}

function logOf({ batch }: ThothBatch, { document }: LaunchDocument): string {
  const spans = document.spans.map(({ name, seconds }) => `${name}: ${seconds} s`);
  return `${[batch.title, `started at ${document.startedAt}`, ...spans].join('\n')}\n`;
}

/** What a stack from a stack file ran in, under the names that an inspection's specification has for it. */
function ownSpecification({ stack: { own } }: RecordBatch): Record<string, unknown> {
  if (own === undefined) return {};
  const debian = own.packages.filter(({ manager }) => manager === 'debian');
  const environment = Object.entries(own.environment).filter(([, value]) => value !== null);
  return {
    packages: debian.map(({ name, version }) => `${name}=${version}`),
    environment: environment.map(([name, value]) => ({ name, value })),
  };
}

/** @param at the place of the batch in its record */
export function thothFiles(of: ThothBatch, at: number): readonly ThothFile[] {
  const { record, batch, launches } = of;
  const machine = record.machine as unknown as MachineDescription;
  const id = inspectionId(record, batch, at);
  const { threads } = batch.case.parameters;
  const specification = {
    base: 'node',
    identifier: id.replace(/^inspection-(.*)-[0-9a-f]{8}$/, '$1'),
    batch_size: launches.length,
    script: `pi-bench://${batch.case.indicator}`,
    '@created': round6(Date.parse(record.campaign.createdAt)),
    build: { requests: { ...requestsOf(machine, null), hardware: {} } },
    run: { requests: requestsOf(machine, typeof threads === 'number' ? threads : null) },
    ...ownSpecification(batch),
  };
  return [
    { path: `${id}/build/specification`, text: json(specification) },
    ...launches.flatMap((launch, n) => [
      { path: `${id}/results/${n}/result`, text: json(resultOf(of, launch)) },
      { path: `${id}/results/${n}/hwinfo`, text: json(hardwareOf(machine)) },
      { path: `${id}/results/${n}/log`, text: logOf(of, launch) },
    ]),
  ];
}

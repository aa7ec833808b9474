/**
 * Qualifies this machine: measures what the suite asks for, judges it, measures again what does not hold, and writes the
 * verdict into the record. The order of things; what they mean the criteria say.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { asksForNode, cpuParts } from '../../devices/cpu-parts.js';
import { asksForGpu, CPU, gpuNamed, isGpu, ordinalOf } from '../../devices/device.js';
import { GPU_DATA_TYPES } from '../../indicators/data-types.js';
import { findIndicator } from '../../indicators/index.js';
import { typesOf } from '../../indicators/peak-gpu.js';
import { monotonic } from '../../inspection/job.js';
import { parseCpuList } from '../../machine/linux/cpu-list.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Baseline } from '../../qualify/baseline-schema.js';
import type { Context, HistoryRun, Surroundings } from '../../qualify/criteria/criterion.js';
import { partOf } from '../../qualify/criteria/criterion.js';
import { qualificationOf, withQualification } from '../../qualify/qualification.js';
import type { Suite, SuiteEntry } from '../../qualify/suite.js';
import { type JudgedCheck, judgeAll, MOST_ATTEMPTS, undecided } from '../../qualify/verdict.js';
import { groupsOf } from '../../record/at-once.js';
import type { BatchSpec, Campaign, PiBenchRecord, Qualification } from '../../record/schema.js';
import type { Seconds } from '../../units.js';
import { beginCampaign } from '../begin-campaign.js';
import { createCampaign } from '../create-campaign.js';
import { batchesOfEntry } from '../entry-batches.js';
import { NO_OWN } from '../own-stacks.js';
import { type CampaignEnd, type CampaignStart, runCampaign } from '../run-campaign.js';
import { say } from '../say.js';
import { type Asked, askedText } from './asked.js';
import { ATTEMPTS } from './names.js';

export interface QualifyInput {
  readonly suite: Suite;
  readonly machine: MachineDescription;
  readonly surroundings: Surroundings;
  readonly expected: Readonly<Record<string, number>>;
  readonly baseline: {
    readonly data: Baseline;
    readonly said: NonNullable<Qualification['baseline']>;
  } | null;
  readonly history: readonly HistoryRun[];
  /** Folder in which the campaign gets its own. */
  readonly out: string;
  readonly command: readonly string[];
  /** CLOCK_MONOTONIC and wall clock at which the command began. */
  readonly began: Seconds;
  readonly startedAt: string;
  /** From then on nothing is launched that would end later; null: none. */
  readonly budget: Seconds | null;
  /** After which even a running launch is ended; null: none. */
  readonly deadline: Seconds | null;
  readonly quiet: boolean;
  readonly wait: boolean;
  /** Kept in its folder, so that it can be resumed; absent: it is a self-test. */
  readonly asked?: Asked;
  /** Of a self-test. */
  readonly fault?: Campaign['fault'];
}

/** A qualification that was killed or interrupted, as its journals have it. */
export interface Begun {
  readonly first: CampaignStart;
  /** What had been measured again, in order. */
  readonly again: readonly CampaignStart[];
}

export interface Qualified {
  readonly record: PiBenchRecord;
  readonly qualification: Qualification;
  readonly path: string;
  /** Of the signal that ended it; null: none did. */
  readonly signalled: number | null;
}

/** A worker that hangs is killed within these seconds of being told to stop, and then the record has to be written. */
const RESERVE: Seconds = 4;
/** An exit code above: a signal came. */
const SIGNALLED = 128;

const deviceOf = ({ flags }: SuiteEntry): string => String(flags.device ?? CPU);
const toPeers = ({ flags }: SuiteEntry): boolean =>
  String(flags.operation ?? '')
    .split(',')
    .includes('peer');

/** What the machine has nothing for. */
function cannotRun(entry: SuiteEntry, machine: MachineDescription): boolean {
  const gpus = machine.gpus?.devices.length ?? 0;
  const device = deviceOf(entry);
  if (asksForGpu(device)) return gpus === 0 || (toPeers(entry) && gpus < 2);
  return asksForNode(device) && cpuParts(machine).nodes.length === 0;
}

/** A node is qualified with all its CPUs, whatever a quota leaves of them: that one is there is to be seen. */
function onAllCpus(entry: SuiteEntry, { limits, cpu }: MachineDescription): SuiteEntry {
  const { flags, indicator } = entry;
  const { options } = findIndicator(indicator);
  // Of ranks, threads are those of each.
  const free = 'threads' in options && !('ranks' in options) && flags.threads === undefined;
  if (!free || deviceOf(entry) !== CPU) return entry;
  const threads = parseCpuList(limits.allowedCpus)?.length ?? cpu.threads ?? 1;
  return { ...entry, flags: { ...flags, threads: String(threads), pin: true } };
}

/** What is measured here; a node without GPUs is not asked for any. */
export function batchesHere(suite: Suite, machine: MachineDescription): readonly BatchSpec[] {
  return suite.entries
    .filter((entry) => !cannotRun(entry, machine))
    .flatMap((entry) => batchesOfEntry(onAllCpus(entry, machine), entry.file, machine, NO_OWN.names))
    .filter(({ device, case: one }) => !lacksType(device, one, machine));
}

/** A suite is for GPUs of all ages: a type that one does not have is no fault of it. */
function lacksType(
  device: string,
  { indicator, parameters }: BatchSpec['case'],
  { gpus }: MachineDescription,
): boolean {
  const gpu = isGpu(device) ? gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device)) : undefined;
  if (gpu === undefined) return false;
  const dtype = findIndicator(indicator).dtype(parameters);
  return (
    GPU_DATA_TYPES.some((one) => one === dtype) &&
    !typesOf(gpu.computeCapability).some((one) => one === dtype)
  );
}

/** Of all GPUs, those that lack a type that the suite measures: `float8_e4m3 on cuda:0`. */
function typesMissing({ entries }: Suite, { gpus }: MachineDescription): readonly string[] {
  const asked = entries
    .filter((entry) => asksForGpu(deviceOf(entry)))
    .flatMap(({ flags }) => String(flags.dtype ?? '').split(','));
  return (gpus?.devices ?? []).flatMap(({ ordinal, computeCapability }) =>
    GPU_DATA_TYPES.filter(
      (dtype) => asked.includes(dtype) && !typesOf(computeCapability).includes(dtype),
    ).map(
      (dtype) =>
        `${dtype} on ${gpuNamed(ordinal)}: GPUs of compute capability ${computeCapability} have none`,
    ),
  );
}

function notJudged({ machine, suite }: QualifyInput): readonly string[] {
  const gpus = machine.gpus?.devices.length ?? 0;
  const asked = suite.entries.filter((entry) => asksForGpu(deviceOf(entry)));
  const without = (entries: readonly SuiteEntry[], why: string): readonly string[] => {
    const parts = entries.filter((entry) => cannotRun(entry, machine)).map(({ part }) => part);
    return parts.length === 0 ? [] : [`${[...new Set(parts)].join(', ')}: ${why}`];
  };
  return [
    ...(asked.length > 0 && gpus === 0
      ? ['GPUs: none is here; --expect gpu=N makes a missing one a failure']
      : without(asked, 'there is one GPU, and copies between GPUs take two')),
    ...without(
      suite.entries.filter((entry) => asksForNode(deviceOf(entry))),
      'the kernel tells of no NUMA nodes',
    ),
    ...typesMissing(suite, machine),
    ...(batchesHere(suite, machine).some(({ device, atOnce }) => isGpu(device) && atOnce === true)
      ? ['measuring GPUs at once has been tried on a fake driver only, not yet on several GPUs']
      : []),
  ];
}

/** Batches that are measured at once are so again: one alone would be another measurement. */
function withTheirGroups(again: readonly number[], batches: readonly BatchSpec[]): readonly number[] {
  const groups = groupsOf(batches);
  return [...new Set(again.flatMap((index) => groups[index] ?? [index]))].sort((a, b) => a - b);
}

/** Of one launch, by the first attempt: what it took with all around it. */
function costOf({ batches }: PiBenchRecord, index: number): Seconds {
  const all = (batches[index]?.inspections ?? []).map(({ spans }) =>
    spans.reduce((sum, { seconds }) => sum + seconds, 0),
  );
  return Math.max(0, ...all);
}

/** Of one batch: its part, or none. */
function partsOf({ batches }: PiBenchRecord, index: number): readonly string[] {
  const part = batches[index] === undefined ? undefined : partOf(batches[index]);
  return part === undefined ? [] : [part];
}

const elapsed = ({ began }: QualifyInput): Seconds => monotonic() - began;

/** Seconds in which launches may begin. */
function timeLeft(input: QualifyInput): Seconds {
  const budget = input.budget ?? Number.POSITIVE_INFINITY;
  const deadline = (input.deadline ?? Number.POSITIVE_INFINITY) - RESERVE;
  return Math.min(budget, deadline) - elapsed(input);
}

function begin(
  input: QualifyInput,
  batches: readonly BatchSpec[],
  out: string,
  name: string,
  left: Seconds,
): CampaignStart {
  const { suite, machine } = input;
  const campaign: Campaign = {
    ...createCampaign({
      name,
      command: input.command,
      batches,
      seed: suite.seed,
      budget: Number.isFinite(left) ? Math.max(0, left) : null,
      labels: suite.labels,
    }),
    fault: input.fault ?? null,
  };
  return beginCampaign(campaign, out, machine);
}

const runOne = ({ quiet, wait, deadline, began }: QualifyInput, start: CampaignStart): Promise<CampaignEnd> =>
  runCampaign(start, {
    quiet,
    wait,
    strict: false,
    until: deadline === null ? null : began + Math.max(0, deadline - RESERVE),
  });

function contextOf(input: QualifyInput, record: PiBenchRecord, reference: PiBenchRecord | null): Context {
  const { suite, machine, surroundings, expected, baseline, history } = input;
  return {
    source: suite.file === null ? suite.name : `suite ${suite.name}`,
    machine,
    surroundings,
    record,
    reference,
    expected,
    baseline: baseline?.data ?? null,
    history,
  };
}

/** Only what is about something measured: the machine is not looked at again. */
const ofBatches = (judged: readonly JudgedCheck[]): readonly JudgedCheck[] =>
  judged.filter(({ judgement }) => judgement.batch !== null);

/** A first attempt is begun with what it was asked for beside it: from then on a kill loses nothing. */
function beginFirst(input: QualifyInput, name: string): CampaignStart {
  const start = begin(input, batchesHere(input.suite, input.machine), input.out, name, timeLeft(input));
  if (input.asked !== undefined) start.store.writeAsked(askedText(input.asked));
  return start;
}

/** @param begun to go on with; null: to begin */
export async function qualify(input: QualifyInput, begun: Begun | null = null): Promise<Qualified> {
  const { suite, machine, startedAt } = input;
  const name = `qualify-${suite.name}`;
  const start = begun?.first ?? beginFirst(input, name);
  const { batches } = start.campaign;
  const first = await runOne(input, start);
  const judged: (readonly JudgedCheck[])[] = [judgeAll(suite, contextOf(input, first.record, null))];
  const attempts: Qualification['attempts'] = [
    {
      number: 1,
      campaign: first.record.campaign.id,
      folder: null,
      why: 'the suite',
      parts: [...new Set(first.record.batches.flatMap((batch) => partOf(batch) ?? []))],
      cooledDown: 0,
    },
  ];
  const folder = join(first.path, '..');
  let ended = first;
  for (let number = 2; number <= MOST_ATTEMPTS && ended.exitCode < SIGNALLED; number++) {
    const again = withTheirGroups(undecided(judged), batches);
    if (again.length === 0) break;
    const cost = again.reduce((sum, index) => sum + costOf(first.record, index), suite.cooldown);
    const parts = [...new Set(again.flatMap((index) => partsOf(first.record, index)))];
    const known = begun?.again[number - 2];
    if (known === undefined && cost > timeLeft(input)) {
      say(`no time to measure again what did not hold (${parts.join(', ')})`);
      break;
    }
    if (!input.quiet) say(`measuring again what did not hold: ${parts.join(', ')} (attempt ${number})`);
    if (known === undefined) await setTimeout(suite.cooldown * 1000);
    const once = again.flatMap((index) => {
      const batch = batches[index];
      return batch === undefined ? [] : [{ ...batch, inspections: 1 }];
    });
    const place = join(folder, ATTEMPTS);
    ended = await runOne(input, known ?? begin(input, once, place, `${name}-again`, timeLeft(input)));
    judged.push(ofBatches(judgeAll(suite, contextOf(input, ended.record, first.record))));
    attempts.push({
      number,
      campaign: ended.record.campaign.id,
      folder: `${ATTEMPTS}/${ended.record.campaign.id}`,
      why: 'checks of performance did not hold',
      parts,
      cooledDown: suite.cooldown,
    });
  }
  const qualification = qualificationOf({
    suite,
    machine,
    expected: input.expected,
    baseline: input.baseline?.said ?? null,
    startedAt,
    endedAt: new Date().toISOString(),
    wall: elapsed(input),
    judged,
    attempts,
    notJudged: notJudged(input),
  });
  const signalled = [first, ended].map(({ exitCode }) => exitCode).find((code) => code >= SIGNALLED) ?? null;
  return {
    record: withQualification(first.record, qualification),
    qualification,
    path: first.path,
    signalled,
  };
}

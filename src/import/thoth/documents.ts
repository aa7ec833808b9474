/** Inspections of the documents of 2019 and 2020: launches of one case on one stack become a batch. Pure. */
import { canonicalJson } from '../../record/digest.js';
import type { RecordBatch } from '../../record/schema.js';
import { LEAST_LAUNCHES } from '../../statistics/launch-dependence.js';
import { launchesNotIndependent } from '../../statistics/validity/launches-not-independent.js';
import { findQuantum, LEAST_SAMPLES, quantisedBy } from '../../statistics/validity/quantised.js';
import type { Seconds } from '../../units.js';
import { uncheckable } from '../not-checked.js';
import { type PublishedBatch, publishedStack } from '../published.js';
import { type ReadLaunch, readLaunch } from './launch.js';
import { parseCpus } from './quantities.js';
import type { Inspection2019, Result, Specification } from './schemas.js';

/** The packages that a component may have come from; of another its own name is one. */
const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['tensorflow', ['intel-tensorflow', 'tensorflow-cpu', 'tensorflow-gpu', 'tensorflow']],
  ['pytorch', ['torch']],
]);

/** Where several of a component's packages were locked, nobody knows which of them ran: no more is told than all have in common. */
function stackOf(component: string, specification: Specification | null): RecordBatch['stack'] {
  const locked = specification?.python?.requirements_locked?.default ?? {};
  const names = (PACKAGES.get(component) ?? [component]).filter((name) => Object.hasOwn(locked, name));
  const versions = new Set(names.map((name) => locked[name]?.version?.replace(/^==/, '') ?? null));
  const [name] = names;
  const [version] = versions;
  return publishedStack(
    component,
    names.length !== 1 || name === undefined || name === component ? null : name,
    versions.size === 1 ? (version ?? null) : null,
  );
}

function secondsBetween(from: string | null | undefined, to: string | null | undefined): Seconds | null {
  const seconds = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000;
  return seconds >= 0 ? seconds : null;
}

type Of = NonNullable<ReadLaunch['of']>;

/** Enough launches of one batch show by themselves whether their values are a scheduler's. */
export function quantisedLaunches(elapsed: readonly Seconds[]): Pick<PublishedBatch, 'flags' | 'notChecked'> {
  if (elapsed.length < LEAST_SAMPLES) {
    const why = `fewer than ${LEAST_SAMPLES} launches, and the times of their repetitions were not published`;
    return { flags: [], notChecked: [{ flag: 'quantised', why }] };
  }
  const found = findQuantum(elapsed);
  return {
    flags: found === null ? [] : [{ name: 'quantised', ...quantisedBy(found, false) }],
    notChecked: [],
  };
}

interface TimedLaunch extends ReadLaunch {
  /** As `Date.parse` has it; NaN where it was not published. */
  readonly began: number;
}

/** Whether launches that followed each other are alike. Those that began at one moment did not follow each other. */
function dependentLaunches(reads: readonly TimedLaunch[]): Pick<PublishedBatch, 'flags' | 'notChecked'> {
  const blind = (why: string) => ({ flags: [], notChecked: [{ flag: 'launches-not-independent', why }] });
  const measured = reads.filter(({ launch }) => launch.elapsed !== null);
  if (measured.length < LEAST_LAUNCHES) return blind(`fewer than ${LEAST_LAUNCHES} launches`);
  const moments = new Set(measured.map(({ began }) => began));
  if (moments.has(Number.NaN) || moments.size < measured.length)
    return blind('in which order the launches began was not published');
  const inOrder = measured.toSorted((a, b) => a.began - b.began);
  const flag = launchesNotIndependent(inOrder.flatMap(({ launch }) => launch.elapsed ?? []));
  return { flags: flag === null ? [] : [flag], notChecked: [] };
}

/** What the launches' values show of the batch, and what of it nobody can look for. */
function checksOf(reads: readonly TimedLaunch[]): Pick<PublishedBatch, 'flags' | 'notChecked'> {
  const quantised = quantisedLaunches(reads.flatMap(({ launch }) => launch.elapsed ?? []));
  const dependent = dependentLaunches(reads);
  return {
    flags: [...quantised.flags, ...dependent.flags],
    notChecked: [
      ...uncheckable(['throttled', 'quantised', 'launches-not-independent']),
      ...quantised.notChecked,
      ...dependent.notChecked,
    ],
  };
}

function batchOf(
  source: string,
  { indicator, parameters, device, component, saysFlags }: Of,
  reads: readonly TimedLaunch[],
  asked: number,
  specification: Specification | null,
): PublishedBatch {
  const succeeded = reads.flatMap(({ of }) => of ?? []);
  const launches = reads.map(({ launch }) => launch);
  const repetitions = [...new Set(launches.flatMap((launch) => launch.repetitions ?? []))];
  const work = succeeded[0]?.work ?? null;
  return {
    case: { indicator: indicator.name, parameters },
    title: indicator.title(parameters),
    source,
    work,
    stack: stackOf(component, specification),
    device,
    repetitions: repetitions.length === 1 ? (repetitions[0] ?? null) : null,
    asked: Math.max(asked, launches.length),
    statistic: succeeded[0]?.statistic ?? 'not told',
    values: { kind: 'launches', launches },
    ...(saysFlags ? { flags: [], notChecked: [] } : checksOf(reads)),
    remarks: [...new Set(succeeded.flatMap(({ remarks }) => remarks))],
  };
}

export interface Inspection {
  /** As it is called there. */
  readonly id: string;
  readonly specification: Specification | null;
  /** In the order of their numbers. */
  readonly results: readonly Result[];
}

/**
 * A batch of each case among the results; failed launches belong to the first.
 * @returns empty where no launch worked, and then why is in the launches' reasons
 */
export function batchesOf({ id, specification, results }: Inspection): {
  readonly batches: readonly PublishedBatch[];
  readonly failures: readonly string[];
} {
  const cpuLimit = parseCpus(specification?.run?.requests?.cpu);
  const reads = results.map((result): TimedLaunch => {
    const wall = secondsBetween(result.start_datetime, result.end_datetime);
    return {
      ...readLaunch(result, { cpuLimit, wall }),
      began: Date.parse(result.start_datetime ?? ''),
    };
  });
  const groups = new Map<string, TimedLaunch[]>();
  reads.forEach((read, i) => {
    if (read.of === null) return;
    const { indicator, parameters, work, statistic, component, device, saysFlags } = read.of;
    // Launches of pi-bench repeat for a time or a number of samples: how often says nothing of the batch.
    const repetitions = results[i]?.pi_bench == null ? read.launch.repetitions : null;
    const key = canonicalJson([
      ...[indicator.name, parameters, work, statistic, repetitions],
      ...[component, device, saysFlags],
    ]);
    groups.set(key, [...(groups.get(key) ?? []), read]);
  });
  const failedReads = reads.filter(({ of }) => of === null);
  const failures = failedReads.map(({ launch }) => launch.reason ?? '');
  const asked = groups.size > 1 ? 0 : Number(specification?.batch_size ?? 0) || 0;
  const batches = [...groups.values()].flatMap((group, i) => {
    const first = group[0]?.of;
    if (first == null) return [];
    return batchOf(id, first, i === 0 ? [...group, ...failedReads] : group, asked, specification);
  });
  return { batches, failures };
}

/** The layout of 2019 has the times of the process elsewhere, in whole seconds. */
export function inspectionOf2019(document: Inspection2019): Inspection {
  const { started_at: start, finished_at: end } = document.status?.job ?? {};
  const result = { ...document.job_log, start_datetime: start, end_datetime: end };
  const stdout = document.job_log.stdout;
  const named =
    typeof stdout === 'object' &&
    stdout !== null &&
    'tensorflow_buildinfo' in stdout &&
    !('component' in stdout)
      ? { ...stdout, component: 'tensorflow' }
      : stdout;
  return {
    id: document.inspection_id,
    specification: document.specification,
    results: [{ ...result, stdout: named }],
  };
}

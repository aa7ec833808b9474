/** Whether the launches of a batch are of one build in one environment, by what each says of itself. Pure. */
import { readVariables } from '../stacks/read-variables.js';
import type { AnalysedInspection } from './analyse-inspection.js';
import type { BatchSpec, InspectionDocument } from './schema.js';

/** What all launches of a batch have in common. */
type Batch = Pick<BatchSpec, 'case' | 'stack' | 'device'>;

/** What a launch says of what it ran. */
export interface Launched {
  readonly index: number;
  /** null: it left no document. */
  readonly stack: InspectionDocument['stack'] | null;
}

/** What tells two builds of one library, or of our own kernels, apart; null: not known. Of MPI ours only calls another’s. */
function buildOf({ stack }: Launched): string | null {
  if (stack === null) return null;
  const { sha256, version, mpi } = stack;
  return mpi === undefined ? (sha256 ?? version) : (mpi.sha256 ?? mpi.version);
}

type ByName = Readonly<Record<string, string>>;

const differingNames = (own: ByName, its: ByName): readonly string[] =>
  [...new Set([...Object.keys(own), ...Object.keys(its)])].sort().filter((name) => own[name] !== its[name]);

const environmentOf = ({ stack }: Launched): ByName | null => stack?.environment ?? null;

function otherBuild(one: Launched, launches: readonly Launched[]): string | null {
  const first = launches.find((other) => buildOf(other) !== null);
  const build = buildOf(one);
  if (first === undefined || build === null || build === buildOf(first)) return null;
  const { stack } = one;
  const name = stack?.mpi === undefined ? stack?.provider : `the MPI library ${stack.mpi.path}`;
  return `another build of ${name} than launch ${first.index + 1}: ${build}, not ${buildOf(first)}`;
}

/** Whose file is the same may still be another one, by the packages around that. */
function otherPackages(one: Launched, launches: readonly Launched[]): string | null {
  const first = launches.find(({ stack }) => stack?.packages !== undefined);
  const [own, its] = [one.stack?.packages, first?.stack?.packages];
  if (first === undefined || own === undefined || its === undefined) return null;
  const differing = differingNames(own, its).map(
    (name) => `${name} ${own[name] ?? 'is gone'}, not ${its[name] ?? 'there'}`,
  );
  if (differing.length === 0) return null;
  return `other packages than launch ${first.index + 1}: ${differing.join('; ')}`;
}

/** What a launch ran, or would run, that the first one of them that tells did not; null: nothing is known against it. */
export const otherSoftware = (one: Launched, launches: readonly Launched[]): string | null =>
  otherBuild(one, launches) ?? otherPackages(one, launches);

function otherCode(one: Launched, launches: readonly Launched[]): string | null {
  const first = launches.find(({ stack }) => stack?.chose != null);
  const [chose, expected] = [one.stack?.chose, first?.stack?.chose];
  if (first === undefined || chose == null || chose === expected) return null;
  return `${one.stack?.provider} chose other code than in launch ${first.index + 1}: ${chose}, not ${expected}`;
}

/** Variables by which launches of the batch in two environments are not of one batch. */
export const differingVariables = (batch: Batch, own: ByName, its: ByName): readonly string[] =>
  differingNames(readVariables(batch, own), readVariables(batch, its));

function otherEnvironment(one: Launched, launches: readonly Launched[], batch: Batch): string | null {
  const first = launches.find((other) => environmentOf(other) !== null);
  const [own, its] = [environmentOf(one), first === undefined ? null : environmentOf(first)];
  if (first === undefined || own === null || its === null) return null;
  const differing = differingVariables(batch, own, its);
  if (differing.length === 0) return null;
  return `it ran in another environment than launch ${first.index + 1}: ${differing.join(', ')} changed`;
}

/**
 * Why a launch is none of the batch, with those before it and after; null: nothing is known against it.
 * @param launches all of the batch, it included, in the order in which they were asked for
 */
export function otherThanFirst(one: Launched, launches: readonly Launched[], batch: Batch): string | null {
  const software = otherSoftware(one, launches);
  if (software !== null) return `it ran ${software}`;
  return otherEnvironment(one, launches, batch) ?? otherCode(one, launches);
}

/**
 * A batch is of one build in one environment, those of its first launch: a package that was replaced meanwhile, or a variable that
 * was set before a campaign was resumed, makes another stack, whose launches say nothing of this one.
 */
export function ofOneBuild(
  inspections: readonly AnalysedInspection[],
  batch: Batch,
): readonly AnalysedInspection[] {
  const launches = inspections.map(
    ({ entry, document }): Launched => ({ index: entry.index, stack: document?.stack ?? null }),
  );
  return inspections.map((one, i) => {
    const reason = otherThanFirst(launches[i] as Launched, launches, batch);
    if (reason === null) return one;
    return { ...one, entry: { ...one.entry, status: 'failed', reason, rate: null } };
  });
}

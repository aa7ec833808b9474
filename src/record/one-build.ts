/** Whether the launches of a batch are of one build in one environment, by what each says of itself. Pure. */
import type { AnalysedInspection } from './analyse-inspection.js';

/** Ours is of the pi-bench that runs, which whoever resumes a campaign has to have in its version, in whichever of its files. */
const OWN = 'embedded';

/** What tells two builds of one library apart; null: not known. Of MPI ours only calls another’s. */
function buildOf({ document }: AnalysedInspection): string | null {
  if (document === null) return null;
  const { provider, sha256, version, mpi } = document.stack;
  if (mpi !== undefined) return mpi.sha256 ?? mpi.version;
  return provider === OWN ? null : (sha256 ?? version);
}

type ByName = Readonly<Record<string, string>>;

const differingNames = (own: ByName, its: ByName): readonly string[] =>
  [...new Set([...Object.keys(own), ...Object.keys(its)])].sort().filter((name) => own[name] !== its[name]);

const environmentOf = ({ document }: AnalysedInspection): ByName | null =>
  document?.stack.environment ?? null;

/** Why it is no launch of what the first one that tells measured; null: nothing is known against it. */
function otherBuild(one: AnalysedInspection, inspections: readonly AnalysedInspection[]): string | null {
  const first = inspections.find((other) => buildOf(other) !== null);
  const build = buildOf(one);
  if (first === undefined || build === null || build === buildOf(first)) return null;
  const stack = one.document?.stack;
  const name = stack?.mpi === undefined ? stack?.provider : `the MPI library ${stack.mpi.path}`;
  return `it ran another build of ${name} than launch ${first.entry.index + 1}: ${build}, not ${buildOf(first)}`;
}

/** Whose file is the same may still be another one, by the packages around that. */
function otherPackages(one: AnalysedInspection, inspections: readonly AnalysedInspection[]): string | null {
  const first = inspections.find(({ document }) => document?.stack.packages !== undefined);
  const [own, its] = [one.document?.stack.packages, first?.document?.stack.packages];
  if (first === undefined || own === undefined || its === undefined) return null;
  const differing = differingNames(own, its).map(
    (name) => `${name} ${own[name] ?? 'is gone'}, not ${its[name] ?? 'there'}`,
  );
  if (differing.length === 0) return null;
  return `it ran other packages than launch ${first.entry.index + 1}: ${differing.join('; ')}`;
}

function otherCode(one: AnalysedInspection, inspections: readonly AnalysedInspection[]): string | null {
  const first = inspections.find(({ document }) => document?.stack.chose != null);
  const [chose, expected] = [one.document?.stack.chose, first?.document?.stack.chose];
  if (first === undefined || chose == null || chose === expected) return null;
  return `${one.document?.stack.provider} chose other code than in launch ${first.entry.index + 1}: ${chose}, not ${expected}`;
}

function otherEnvironment(
  one: AnalysedInspection,
  inspections: readonly AnalysedInspection[],
): string | null {
  const first = inspections.find((other) => environmentOf(other) !== null);
  const [own, its] = [environmentOf(one), first === undefined ? null : environmentOf(first)];
  if (first === undefined || own === null || its === null) return null;
  const differing = differingNames(own, its);
  if (differing.length === 0) return null;
  return `it ran in another environment than launch ${first.entry.index + 1}: ${differing.join(', ')} changed`;
}

/**
 * A batch is of one build in one environment, those of its first launch: a package that was replaced meanwhile, or a variable that
 * was set before a campaign was resumed, makes another stack, whose launches say nothing of this one.
 */
export function ofOneBuild(inspections: readonly AnalysedInspection[]): readonly AnalysedInspection[] {
  return inspections.map((one) => {
    const reason =
      otherBuild(one, inspections) ??
      otherPackages(one, inspections) ??
      otherEnvironment(one, inspections) ??
      otherCode(one, inspections);
    if (reason === null) return one;
    return { ...one, entry: { ...one.entry, status: 'failed', reason, rate: null } };
  });
}

/**
 * A score as a prescription: the YAML that Thoth's resolver reads, one step unit for each stack. A step adds its score, -1 to 1, to
 * that of every stack that contains the package. Pure.
 */
import { Document } from 'yaml';
import { plural, significant } from '../quantities/format.js';
import { differencesText } from '../readers/comparison/comparable.js';
import { LAUNCHES_LOST } from '../readers/comparison/lost-launches.js';
import { variableTexts } from '../readers/own-variables.js';
import { canonicalJson, sha256 } from '../record/digest.js';
import { type Hardware, prescribedHardware, type Where } from './prescribed-hardware.js';
import type { ScoreDocument, StackScore } from './score.js';

/** Twice as fast is the most that a step can say, half as fast the least. */
const MOST = 1;

export interface Prescription {
  /** For a file: `pi-bench-openblas-0.3.26-1a2b3c4d`. */
  readonly name: string;
  readonly yaml: string;
}

export interface Prescriptions {
  readonly prescriptions: readonly Prescription[];
  /** Stacks without one, and why. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
  /** Whether every package has one. */
  readonly complete: boolean;
}

/** As Python packages are named: lower case, one hyphen between. */
const packageName = (provider: string): string =>
  provider
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const PYTHON_VERSION = /^\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9.]+)?$/i;

/**
 * `{version: '==0.3.26'}`. A version that is none of Python's is matched as text; of a banner such as OpenBLAS's, which has spaces, its
 * number counts. Nothing where the stack does not say.
 */
function versionOf(version: string | null): { readonly version?: string } {
  if (version === null) return {};
  const number = /\s/.test(version) ? (/\d+(\.\d+)+/.exec(version)?.[0] ?? null) : version;
  if (number === null) return {};
  return { version: `${PYTHON_VERSION.test(number) ? '==' : '==='}${number}` };
}

interface PackageVersion {
  readonly name: string;
  readonly version?: string;
}

type Packages = readonly [PackageVersion, ...PackageVersion[]];

const packageOf = ({ name, version }: { name: string; version: string | null }): PackageVersion => ({
  name: packageName(name),
  ...versionOf(version),
});

/**
 * The packages that a resolver is to match, the one that executes first: of a stack from a stack file those that the file names, for
 * what they depend on comes with them.
 */
function packagesOf({ provider, version, own, package: owner, packages }: StackScore['stack']): Packages {
  const asked = (own?.packages ?? []).filter((one) => one.asked);
  const [leading] = Object.keys(packages ?? {});
  const executing = (own?.packages ?? []).find(
    (one) => one.name === leading || `${one.name} ${one.version}` === owner,
  );
  const [first, ...others] = [...new Set([...(executing === undefined ? [] : [executing]), ...asked])].map(
    packageOf,
  );
  return first === undefined ? [packageOf({ name: provider, version })] : [first, ...others];
}

/** Every package that a user of the stack has. */
const contentsOf = (stack: StackScore['stack']): readonly PackageVersion[] => [
  ...packagesOf(stack),
  ...(stack.own?.packages ?? []).map(packageOf),
];

/**
 * Whether a resolver cannot choose between the two. A step without a version is for all of them; and of a library that crashed in every
 * launch nobody knows the version: it may be that of any other.
 */
const isSamePackage = (one: PackageVersion, other: PackageVersion): boolean =>
  one.name === other.name &&
  (one.version === undefined || other.version === undefined || one.version === other.version);

/** A step matches one package, and can ask for others that were resolved before. */
function matchOf(stack: StackScore['stack']): Record<string, unknown> {
  const [executing, ...others] = packagesOf(stack);
  return {
    package_version: executing,
    ...(others.length === 0 ? {} : { state: { resolved_dependencies: others } }),
  };
}

/** What a stack from a stack file ran in: every package, for a resolver's user to have the same. */
function provisionedText({ own }: StackScore['stack']): readonly string[] {
  if (own === undefined) return [];
  const packages = own.packages.map(({ name, version }) => `${name} ${version}`);
  const variables = variableTexts(own);
  return [
    ...(packages.length === 0 ? [] : [`provisioned: ${packages.join(', ')}`]),
    ...(variables.length === 0 ? [] : [`variables: ${variables.join(', ')}`]),
    ...(own.lock === null ? [] : [`lock ${own.lock}`]),
  ];
}

/**
 * log2 of the score, so that twice as fast is 1, as fast 0, half as fast -1, and steps add up like factors. 0 where the interval
 * holds 1, or there is none: a difference that may be chance must not move a resolver.
 */
export function stepScore({ score, interval }: Pick<StackScore, 'score' | 'interval'>): number {
  if (score === null || interval === null || (interval.low <= 1 && interval.high >= 1)) return 0;
  return Math.max(-MOST, Math.min(MOST, Math.log2(score)));
}

function message(one: StackScore, document: ScoreDocument): string {
  const { reference, definition, acrossLabels, forced, forcedPast } = document;
  const { score, interval, cases, missing, unscored, weakenedBy } = one;
  const between =
    interval === null
      ? 'no interval'
      : `95 % between ${significant(interval.low, 4)} and ${significant(interval.high, 4)}`;
  const flags = [...new Set(weakenedBy.map(({ flag }) => flag))].sort();
  return [
    `${one.name} reaches ${significant(score ?? 0, 4)} times the rate of ${reference.name} (${between})`,
    `geometric mean over ${plural(cases.length, 'case')}`,
    ...(missing.length === 0 ? [] : [`${plural(missing.length, 'case')} of the reference not measured`]),
    ...(unscored.length === 0 ? [] : [`${plural(unscored.length, 'case')} without work not scored`]),
    ...(flags.length === 0 ? [] : [`weakened by ${flags.join(', ')}`]),
    ...(forced ? ['forced', ...forcedPast] : []),
    ...(acrossLabels.length === 0
      ? []
      : [`these differ, too, and may be the reason: ${differencesText(acrossLabels)}`]),
    ...provisionedText(one.stack),
    `${definition.name} ${definition.version}`,
  ].join('; ');
}

/** What a step is for: which package, and on which hardware. */
interface Subject {
  readonly should_include: Readonly<Record<string, unknown>>;
  readonly match: Readonly<Record<string, unknown>>;
}

/**
 * By what the step is for, and not by what its stack is called beside others of its record: measured again, it takes the place of the
 * one before, and no two steps for the same are added up.
 */
function subjectName({ stack }: StackScore, subject: Subject): string {
  const [{ name, version = '' }] = packagesOf(stack);
  const readable = `${name}${version.replace(/^=+/, '-')}`.replaceAll(/[^A-Za-z0-9.+-]+/g, '-');
  return `${readable}-${sha256(canonicalJson(subject)).slice(0, 8)}`;
}

/** `PiBenchOpenblas03261a2b3c4d`. */
const unitName = (name: string): string =>
  `PiBench${name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`;

function prescriptionOf(one: StackScore, document: ScoreDocument, hardware: Hardware): Prescription {
  const subject: Subject = {
    should_include: { adviser_pipeline: true, runtime_environments: { hardware: [hardware] } },
    match: matchOf(one.stack),
  };
  const name = subjectName(one, subject);
  const yaml = new Document({
    units: {
      steps: [
        {
          name: unitName(name),
          type: 'step',
          ...subject,
          run: {
            score: stepScore(one),
            justification: [{ type: 'INFO', message: message(one, document), link: 'pi-bench-score' }],
          },
        },
      ],
    },
  });
  // Its reader takes no whole number for a score.
  const score = yaml.getIn(['units', 'steps', 0, 'run', 'score'], true);
  if (typeof score === 'object' && score !== null) Object.assign(score, { minFractionDigits: 1 });
  return { name: `pi-bench-${name}`, yaml: yaml.toString({ lineWidth: 110 }) };
}

/** For which hardware a stack can have one, or in words why it has none whatever the others have. */
function subjectOf(one: StackScore, where: Where): Hardware | string {
  const { score, reason, stack, weakenedBy } = one;
  if (score === null) return reason ?? 'it has no score';
  if (stack.mpi !== undefined)
    return `its score is that of an MPI library, too (${stack.mpi.path}), and a step names ${stack.provider} alone`;
  const lost = weakenedBy.find(({ flag, of }) => flag === LAUNCHES_LOST && of === 'stack');
  return lost === undefined ? prescribedHardware(one, where) : `${lost.title}: ${lost.reason}`;
}

/** A stack with what decides whether it can have a prescription. */
interface Candidate {
  readonly one: StackScore;
  /** That its step names. */
  readonly packages: Packages;
  readonly contents: readonly PackageVersion[];
  /** In words: why it can have none. */
  readonly found: Hardware | string;
}

/** Whether the step of a stack matches also who has the other one. */
const holdsFor = ({ packages }: Candidate, { contents }: Candidate): boolean =>
  packages.every((one) => contents.some((other) => isSamePackage(one, other)));

/** A resolver has one version of each package. */
const exclude = (one: Candidate, other: Candidate): boolean =>
  one.packages.some((its) =>
    other.packages.some((others) => its.name === others.name && !isSamePackage(its, others)),
  );

/** Which of the stacks would get the steps of both, added up: one of the two where its packages are among the other's, or a third. */
const getsBoth = (one: Candidate, other: Candidate, all: readonly Candidate[]): Candidate | undefined =>
  exclude(one, other)
    ? undefined
    : [one, other, ...all].find((it) => holdsFor(one, it) && holdsFor(other, it));

/** Why both cannot have a step, before the name of the other; one of the two holds for the other. */
function inCommon(one: Candidate, other: Candidate): string {
  if (!holdsFor(other, one)) return 'its step would also be for';
  return holdsFor(one, other)
    ? 'to a resolver it is the same package as'
    : 'a resolver would add up its step and that of';
}

/** Why a stack has none beside a slower one that has its step; undefined where it can have one. */
function besideSlower(one: Candidate, slower: Candidate, all: readonly Candidate[]): string | undefined {
  const both = getsBoth(one, slower, all);
  if (both === undefined) return undefined;
  return both === one || both === slower
    ? `${inCommon(one, slower)} ${slower.one.name}, which is slower`
    : `a resolver would add up its step and that of ${slower.one.name}, which is slower, for ${both.one.name}, which has the packages of both`;
}

/**
 * Of stacks that are one package in one version to a resolver, only the slowest has one, and none where one of them can have none: which
 * of them a user gets it cannot choose, and it may be the one whose outputs are wrong, or that crashes. The same holds where one has all
 * packages of the other and more, or a third one those of both: who has these would get both steps, added up.
 * @param where of the results' record
 */
export function prescriptionsOf(document: ScoreDocument, where: Where): Prescriptions {
  const prescriptions: Prescription[] = [];
  const leftOut: { name: string; why: string }[] = [];
  const slowestFirst = document.scores
    .toSorted((a, b) => (a.score ?? -1) - (b.score ?? -1))
    .map(
      (one): Candidate => ({
        one,
        packages: packagesOf(one.stack),
        contents: contentsOf(one.stack),
        found: subjectOf(one, where),
      }),
    );
  const unfit = slowestFirst.filter(({ found }) => typeof found === 'string');
  const taken: Candidate[] = [];
  for (const candidate of slowestFirst) {
    const { one, found } = candidate;
    const other = unfit.find((it) => holdsFor(candidate, it));
    const beside = taken.flatMap((it) => besideSlower(candidate, it, slowestFirst) ?? [])[0];
    if (typeof found === 'string') {
      leftOut.push({ name: one.name, why: found });
    } else if (other !== undefined) {
      const has = other.one.score === null ? 'has no score' : 'can have none';
      const why = `${inCommon(candidate, other)} ${other.one.name}, which ${has}: ${other.found}`;
      leftOut.push({ name: one.name, why });
    } else if (beside !== undefined) {
      leftOut.push({ name: one.name, why: beside });
    } else {
      taken.push(candidate);
      prescriptions.push(prescriptionOf(one, document, found));
    }
  }
  return {
    prescriptions: prescriptions.reverse(),
    leftOut,
    complete: slowestFirst.every((one) => taken.some((it) => holdsFor(it, one))),
  };
}

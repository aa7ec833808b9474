/**
 * A score as a prescription: the YAML that Thoth's resolver reads, one step unit for each stack. A step adds its score, -1 to 1, to
 * that of every stack that contains the package. Pure.
 */
import { Document } from 'yaml';
import { plural, significant } from '../quantities/format.js';
import { differencesText } from '../readers/comparison/comparable.js';
import { variableTexts } from '../readers/own-variables.js';
import type { Labels } from '../record/schema.js';
import type { ScoreDocument, StackScore } from './score.js';

/** Twice as fast is the most that a step can say, half as fast the least. */
const MOST = 1;

export interface Prescription {
  /** For a file: `pi-bench-openblas`. */
  readonly name: string;
  readonly yaml: string;
}

export interface Prescriptions {
  readonly prescriptions: readonly Prescription[];
  /** Stacks without one, and why. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
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

/**
 * The packages that a resolver is to match, the one that executes first: of a stack from a stack file those that the file names, for
 * what they depend on comes with them.
 */
function packagesOf({
  provider,
  version,
  own,
  package: owner,
  packages,
}: StackScore['stack']): readonly [PackageVersion, ...PackageVersion[]] {
  const asked = (own?.packages ?? []).filter((one) => one.asked);
  const [leading] = Object.keys(packages ?? {});
  const executing = (own?.packages ?? []).find(
    (one) => one.name === leading || `${one.name} ${one.version}` === owner,
  );
  const [first, ...others] = [...new Set([...(executing === undefined ? [] : [executing]), ...asked])].map(
    (one): PackageVersion => ({ name: packageName(one.name), ...versionOf(one.version) }),
  );
  return first === undefined ? [{ name: packageName(provider), ...versionOf(version) }] : [first, ...others];
}

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
    ...(variables.length === 0 ? [] : [`with ${variables.join(', ')}`]),
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

/** Where it was measured, as far as a prescription can ask for it. */
function hardware({ cpu_family_model_stepping: numbers }: Labels): Record<string, unknown> {
  const [family = '', model = ''] = String(numbers ?? '').split('-');
  if (!/^\d+$/.test(family) || !/^\d+$/.test(model)) return {};
  return {
    runtime_environments: { hardware: [{ cpu_families: [Number(family)], cpu_models: [Number(model)] }] },
  };
}

/** `PiBenchOpenblas0326`. */
const unitName = (name: string): string =>
  `PiBench${name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`;

function yamlOf(one: StackScore, document: ScoreDocument, labels: Labels): string {
  const { stack } = one;
  const yaml = new Document({
    units: {
      steps: [
        {
          name: unitName(one.name),
          type: 'step',
          should_include: { adviser_pipeline: true, ...hardware(labels) },
          match: matchOf(stack),
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
  return yaml.toString({ lineWidth: 110 });
}

/**
 * Of stacks that are one package in one version to a resolver, only the slowest has one, and none where one of them has no score:
 * which of them a user gets it cannot choose.
 * @param labels of the results' record
 */
export function prescriptionsOf(document: ScoreDocument, labels: Labels): Prescriptions {
  const prescriptions: Prescription[] = [];
  const leftOut: { name: string; why: string }[] = [];
  const taken = new Map<string, string>();
  const keyOf = ({ stack }: StackScore): string => JSON.stringify(packagesOf(stack));
  // Who takes the package may get the one of which there is no score, whose outputs may be wrong.
  const without = new Map(
    document.scores.filter(({ score }) => score === null).map((one) => [keyOf(one), one] as const),
  );
  const slowestFirst = document.scores.toSorted((a, b) => (a.score ?? -1) - (b.score ?? -1));
  for (const one of slowestFirst) {
    const key = keyOf(one);
    const twin = taken.get(key);
    const unscored = without.get(key);
    if (one.score === null) {
      leftOut.push({ name: one.name, why: one.reason ?? 'it has no score' });
    } else if (unscored !== undefined) {
      leftOut.push({
        name: one.name,
        why: `to a resolver it is the same package as ${unscored.name}, which has no score: ${unscored.reason ?? 'nobody knows why'}`,
      });
    } else if (twin !== undefined) {
      leftOut.push({
        name: one.name,
        why: `to a resolver it is the same package as ${twin}, which is slower`,
      });
    } else {
      taken.set(key, one.name);
      prescriptions.push({
        name: `pi-bench-${one.name.replaceAll(/[^A-Za-z0-9.+-]+/g, '-')}`,
        yaml: yamlOf(one, document, labels),
      });
    }
  }
  return { prescriptions: prescriptions.reverse(), leftOut };
}

/**
 * A suite: what is measured on a node, as a campaign file has it, and by which criteria it is judged. Criteria are data with
 * limits in them; nothing of a suite is ever executed. Pure but for the reader that is passed in.
 */
import type { z } from 'zod';
import { type AskedEntry, campaignOf, explainCampaign } from '../campaign/campaign-file.js';
import { checkYaml } from '../checked-yaml.js';
import { UserError } from '../errors.js';
import { QuantityError, requireDuration } from '../quantities/parse.js';
import { canonicalJson, sha256 } from '../record/digest.js';
import type { Seconds } from '../units.js';
import { TIERS } from './answer.js';
import { CHECKS, PART, type SuiteCheck, suiteFile, type Tier } from './suite-file.js';

export interface SuiteEntry extends AskedEntry {
  /** The file that it stands in, for messages. */
  readonly file: string;
  readonly part: string;
}

export interface Suite {
  readonly name: string;
  /** null: a suite of one's own. */
  readonly tier: Tier | null;
  /** null: shipped. */
  readonly file: string | null;
  /** Of everything that it says, what it extends included. */
  readonly sha256: string;
  readonly cooldown: Seconds;
  /** Of a node without GPUs; null: none. */
  readonly budget: Seconds | null;
  readonly seed: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly entries: readonly SuiteEntry[];
  readonly checks: readonly SuiteCheck[];
}

const DEFAULT_COOLDOWN: Seconds = 2;

function explain(issue: z.core.$ZodIssue): string | null {
  const place = issue.path.at(-1);
  if (issue.code === 'invalid_union' && place === 'check')
    return `there is no such check; there is ${CHECKS.join(', ')}`;
  return issue.code === 'unrecognized_keys' && place === 'campaign' && issue.keys[0] === 'stackFile'
    ? 'a suite measures a machine, so it takes no stackFile'
    : explainCampaign(issue);
}

function parsedDuration(text: string, where: string): Seconds {
  try {
    return requireDuration(text, where);
  } catch (error) {
    if (error instanceof QuantityError) throw new UserError(error.message);
    throw error;
  }
}

/** Those that say the same thing again take the place of all that said it before, once, where the first of these stood. */
function replacing<T>(before: readonly T[], added: readonly T[], key: (one: T) => string): readonly T[] {
  const own = new Map<string, T[]>();
  for (const one of added) own.set(key(one), [...(own.get(key(one)) ?? []), one]);
  const placed = new Set<string>();
  const kept = before.flatMap((one): readonly T[] => {
    const [name, again] = [key(one), own.get(key(one))];
    if (again === undefined) return [one];
    if (placed.has(name)) return [];
    placed.add(name);
    return again;
  });
  return [...kept, ...added.filter((one) => !placed.has(key(one)))];
}

/** Those that its file names; null: none. */
export const namedParts = (one: SuiteCheck): readonly string[] | null =>
  'parts' in one && one.rest !== true ? (one.parts ?? null) : null;

/** Those that its limits are for; null: every device. */
const modelsOf = (one: SuiteCheck): readonly string[] | null =>
  'models' in one ? (one.models ?? null) : null;

/** Whether both judge some device. */
function shareModels(one: SuiteCheck, other: SuiteCheck): boolean {
  const [models, others] = [modelsOf(one), modelsOf(other)];
  return models === null || others === null || models.some((model) => others.includes(model));
}

const limitKey = (one: SuiteCheck): string => canonicalJson([one.check, 'parts' in one ? one.parts : null]);
const checkKey = (one: SuiteCheck): string => canonicalJson([limitKey(one), modelsOf(one)]);
const entryKey = ({ part, flags }: SuiteEntry): string => canonicalJson([part, flags.device ?? 'cpu']);

/** What a file's own checks of a kind say anew of a part that one is about. One that names no part is about those that no other names. */
function sayingAnew(one: SuiteCheck, part: string, ofKind: readonly SuiteCheck[]): readonly SuiteCheck[] {
  const naming = ofKind.filter((other) => namedParts(other)?.includes(part));
  const others = ofKind.filter((other) => namedParts(other) === null);
  return modelsOf(one) === null
    ? naming
    : [...naming, ...others.filter((other) => !naming.some((named) => shareModels(named, other)))];
}

/** Those of its models for which these say nothing; null: every device. */
function modelsLeft(one: SuiteCheck, anew: readonly SuiteCheck[]): readonly string[] | null {
  const said = anew.map(modelsOf);
  return said.includes(null)
    ? []
    : (modelsOf(one)?.filter((model) => !said.some((models) => models?.includes(model))) ?? null);
}

/**
 * The checks of a suite that is extended, without what the file that extends it says anew: of a part that it names its own limit holds,
 * whatever parts that one named beside it; and one that is for some models only gives way also to a check that names no parts. A limit
 * for some models says nothing anew of the others: of these what was there still holds.
 */
function withoutSaidAnew(base: readonly SuiteCheck[], own: readonly SuiteCheck[]): readonly SuiteCheck[] {
  const same = new Set(own.map(checkKey));
  return base.flatMap((one): readonly SuiteCheck[] => {
    const parts = namedParts(one);
    // The very same parts and models: that one takes its place.
    if (parts === null || same.has(checkKey(one))) return [one];
    const ofKind = own.filter(({ check }) => check === one.check);
    const left = parts.map((part) => ({ part, models: modelsLeft(one, sayingAnew(one, part, ofKind)) }));
    const byModels = new Map(left.map(({ models }) => [canonicalJson(models), models] as const));
    return [...byModels].flatMap(([key, models]): readonly SuiteCheck[] => {
      if (models?.length === 0) return [];
      const these = left.filter((other) => canonicalJson(other.models) === key).map(({ part }) => part);
      return [{ ...one, parts: these, ...(models === null ? {} : { models }) } as SuiteCheck];
    });
  });
}

function checkParts(
  suite: Suite,
  name: string,
  lineOf: (check: number) => number,
  own: readonly SuiteCheck[],
) {
  const parts = new Set(suite.entries.map(({ part }) => part));
  const said = new Set<string>();
  own.forEach((one, i) => {
    const key = limitKey(one);
    if (said.has(key))
      throw new UserError(
        `${name}:${lineOf(i)}: checks.${i}: ${one.check} stands here twice${namedParts(one) === null ? '' : ' for the same parts'}: say all of its limits in one check`,
      );
    said.add(key);
    const unknown = ('parts' in one ? (one.parts ?? []) : []).find((part) => !parts.has(part));
    if (unknown === undefined) return;
    throw new UserError(
      `${name}:${lineOf(i)}: checks.${i}.parts: there is no part ${unknown}; there is ${[...parts].join(', ') || 'none'}`,
    );
  });
}

/** What every suite that measures has, whatever its file says. */
const IMPLIED: SuiteCheck = { check: 'correctness', implied: true };

/** Nothing makes a wrong output right: what no check `correctness` of the file judges is judged by one that the file does not have. */
function withCorrectness(suite: Suite): Suite {
  const judgesRest = suite.checks.some((one) => one.check === 'correctness' && namedParts(one) === null);
  return suite.entries.length === 0 || judgesRest ? suite : { ...suite, checks: [...suite.checks, IMPLIED] };
}

/** A part is judged on a device by one check of each kind: by that which names it, or else by that which names none. */
function eachPartOnce(suite: Suite, name: string): Suite {
  const all = [...new Set(suite.entries.map(({ part }) => part))];
  const checks = suite.checks.flatMap((one): readonly SuiteCheck[] => {
    const parts = namedParts(one);
    const named = suite.checks
      .filter((other) => other.check === one.check && shareModels(one, other))
      .flatMap((other) => namedParts(other) ?? []);
    const twice = parts?.find((part) => named.indexOf(part) !== named.lastIndexOf(part));
    if (twice !== undefined)
      throw new UserError(
        `${name}: part ${twice} is named by two checks ${one.check}: a part is judged by one of them`,
      );
    const left = all.filter((part) => !named.includes(part));
    if (parts !== null || left.length === all.length) return [one];
    // What the counters come to over the whole run is of no part.
    return left.length === 0 && one.check !== 'counters'
      ? []
      : [{ ...one, parts: left, rest: true } as SuiteCheck];
  });
  return { ...suite, checks };
}

/**
 * @param content of the file; JSON is YAML too
 * @param name of the file, for messages
 * @param shipped the text of a shipped suite, which this one may extend
 * @param tier where the file itself is a shipped one
 * @throws UserError that names the line
 */
export function parseSuite(
  content: string,
  name: string,
  shipped: (tier: Tier) => string,
  tier: Tier | null = null,
): Suite {
  return eachPartOnce(withCorrectness(readSuite(content, name, shipped, tier)), name);
}

function readSuite(content: string, name: string, shipped: (tier: Tier) => string, tier: Tier | null): Suite {
  const { data, lineOf } = checkYaml(content, name, 'a suite', suiteFile, explain);
  const base =
    data.extends === undefined
      ? null
      : readSuite(shipped(data.extends), `${data.extends}.yaml`, shipped, data.extends);
  const given = data.campaign;
  const campaign =
    given === undefined
      ? null
      : campaignOf({ ...given, measure: given.measure ?? [] }, (i) => lineOf(['campaign', 'measure', i]));
  if (given !== undefined && given.measure === undefined && data.extends === undefined)
    throw new UserError(
      `${name}:${lineOf(['campaign'])}: campaign.measure: it is missing, and may be where a suite extends another: say what is measured, or what it extends`,
    );
  if (given?.defaults !== undefined && given.measure === undefined)
    throw new UserError(
      `${name}:${lineOf(['campaign', 'defaults'])}: campaign.defaults: they are for the entries of measure in this file, and there are none`,
    );
  const entries = (campaign?.entries ?? []).map((entry): SuiteEntry => {
    const part = entry.labels[PART];
    if (part === undefined)
      throw new UserError(
        `${name}:${entry.line}: labels.part: each entry of a suite has a part, by which checks name it`,
      );
    if (/#\d+$/.test(part))
      throw new UserError(
        `${name}:${entry.line}: labels.part: ${part} is what a check calls one of several batches of a part: leave the # out`,
      );
    return { ...entry, file: name, part };
  });
  if (tier === null && TIERS.some((one) => one === data.name))
    throw new UserError(
      `${name}:${lineOf(['name'])}: name: ${data.name} is a shipped suite, and its verdicts must not be taken for those of another`,
    );
  const suite: Suite = {
    name: data.name,
    tier,
    file: tier === null ? name : null,
    sha256: sha256(canonicalJson([base?.sha256 ?? null, data])),
    cooldown:
      data.cooldown === undefined
        ? (base?.cooldown ?? DEFAULT_COOLDOWN)
        : parsedDuration(data.cooldown, `${name}:${lineOf(['cooldown'])}: cooldown`),
    budget:
      campaign?.budget == null
        ? (base?.budget ?? null)
        : parsedDuration(campaign.budget, `${name}:${lineOf(['campaign', 'budget'])}: budget`),
    seed: campaign?.seed ?? base?.seed ?? null,
    labels: { ...base?.labels, ...campaign?.labels },
    entries: replacing(base?.entries ?? [], entries, entryKey),
    checks: replacing(withoutSaidAnew(base?.checks ?? [], data.checks), data.checks, checkKey),
  };
  checkParts(suite, name, (i) => lineOf(['checks', i]), data.checks);
  return suite;
}
